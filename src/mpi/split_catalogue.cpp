#include "mpi/split_catalogue.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/checked_sort.hpp"
#include "groups/catalogue_rows.hpp"
#include "groups/rotation_curve.hpp"
#include "mpi/mail.hpp"

namespace kith::mpi {
namespace {

// ---- sums as rows of numbers

double as_number(std::int64_t count) { return std::bit_cast<double>(count); }

struct SumsRow {
  static std::size_t width(const Source& from) { return 2 + 4 * from.d + 2 * from.types; }
  static void put(const Sums& sums, std::vector<double>& to) {
    to.insert(to.end(), {sums.mass, sums.weight});
    for (const auto* each : {&sums.position, &sums.velocity, &sums.lower, &sums.upper})
      to.insert(to.end(), each->begin(), each->end());
    for (const std::int64_t size : sums.type_size) to.push_back(as_number(size));
    to.insert(to.end(), sums.type_mass.begin(), sums.type_mass.end());
  }
  static Sums get(const Source& from, const double* row) {
    Sums sums(from.d, from.types);
    sums.mass = *row++;
    sums.weight = *row++;
    for (auto* each : {&sums.position, &sums.velocity, &sums.lower, &sums.upper})
      for (double& value : *each) value = *row++;
    for (std::int64_t& size : sums.type_size) size = std::bit_cast<std::int64_t>(*row++);
    for (double& mass : sums.type_mass) mass = *row++;
    return sums;
  }
};

struct MomentsRow {
  static std::size_t width(const Source& from) {
    return 3 + from.d * from.d + angular_components(from);
  }
  static void put(const Moments& moments, std::vector<double>& to) {
    to.insert(to.end(), {moments.radius2, moments.inertia, moments.dispersion});
    for (const auto* each : {&moments.tensor, &moments.angular_momentum})
      to.insert(to.end(), each->begin(), each->end());
  }
  static Moments get(const Source& from, const double* row) {
    Moments moments(from.d, angular_components(from));
    moments.radius2 = *row++;
    moments.inertia = *row++;
    moments.dispersion = *row++;
    for (auto* each : {&moments.tensor, &moments.angular_momentum})
      for (double& value : *each) value = *row++;
    return moments;
  }
};

class SplitRows {
 public:
  SplitRows(Call& call, const GroupColumns& columns, const SplitGroups& split, const Source& from,
            const CatalogueOptions& options)
      : call_(call), columns_(columns), split_(split), from_(from), options_(options) {}

  Catalogue run() {
    std::vector<double> origin;
    call_.prepare([&] {
      if (split_.is_owner()) origin = from_.at(split_.own().begin);
    });
    origin_ = split_.to_all_parts(origin);
    sum_up();
    find_moments();
    Catalogue rows;
    call_.phase([&](Workers& workers) {
      CatalogueRows made(from_, split_.is_owner() ? 1 : 0, options_, workers);
      if (split_.is_owner()) {
        const auto first = static_cast<std::size_t>(columns_.index()[split_.own().begin]);
        made.put(0, {size_, first, origin}, sums_, own_center_, moments_);
      }
      rows = made.take();
    });
    return rows;
  }

 private:
  /// Rows of f(block) for the blocks of all parts here; f<D>(part, block).
  template <class Row, class F>
  PieceRows over_blocks(F f) {
    PieceRows rows;
    call_.work([&](Workers& workers) {
      rows.resize(split_.pieces().size());
      for (std::size_t p = 0; p < rows.size(); ++p) {
        const GroupPiece& piece = split_.pieces()[p];
        if (origin_[p].empty()) continue;
        PieceRows blocks(range_count(piece.size(), kSumBlock));
        workers.for_ranges(piece.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
          std::vector<std::uint32_t> members(end - begin);
          std::iota(members.begin(), members.end(),
                    static_cast<std::uint32_t>(piece.begin + begin));
          const MemberBlock block(from_, members, origin_[p]);
          with_dimension(static_cast<int>(from_.d), [&]<int D>() {
            Row::put(f.template operator()<D>(p, block), blocks[begin / kSumBlock]);
          });
        });
        for (const auto& block : blocks) rows[p].insert(rows[p].end(), block.begin(), block.end());
      }
    });
    return rows;
  }

  /// What the owner makes of blocks in order.
  template <class Row, class Value>
  void add_up(const std::vector<double>& rows, Value& sum) const {
    for (std::size_t at = 0; at < rows.size(); at += Row::width(from_))
      sum = std::move(sum) + Row::get(from_, rows.data() + at);
  }

  /// Sums, and with them center and weights.
  void sum_up() {
    call_.quick([&] { by_.assign(split_.pieces().size(), Weight::mass); });
    std::int64_t is_massless = add_sums() ? 0 : -1;
    call_.communicator().least(&is_massless, 1);
    if (is_massless == 0) return;
    // Some groups have no mass: their members all count the same.
    for (std::size_t p = 0; p < by_.size(); ++p)
      if (center_[p].front() == 0) by_[p] = Weight::one;
    add_sums();
  }

  /// True unless the group of this rank has no mass.
  bool add_sums() {
    const SplitGroups::Gathered found =
        split_.to_owner(over_blocks<SumsRow>([&]<int D>(std::size_t p, const MemberBlock& block) {
          return sums_of<D>(from_, block, by_[p]);
        }));
    std::vector<double> row;
    call_.prepare([&] {
      if (!split_.is_owner()) return;
      sums_ = Sums(from_.d, from_.types);
      add_up<SumsRow>(found.values, sums_);
      own_center_ = CatalogueRows::center_of(sums_);
      row.push_back(sums_.mass > 0 ? 1 : 0);
      row.insert(row.end(), own_center_.position.begin(), own_center_.position.end());
      row.insert(row.end(), own_center_.velocity.begin(), own_center_.velocity.end());
    });
    center_ = split_.to_all_parts(row);
    call_.quick([] {});
    return row.empty() || row.front() > 0;
  }

  void find_moments() {
    const std::size_t components = angular_components(from_);
    const SplitGroups::Gathered found = split_.to_owner(
        over_blocks<MomentsRow>([&]<int D>(std::size_t p, const MemberBlock& block) {
          const auto begin = center_[p].begin() + 1, middle = begin + static_cast<int>(from_.d);
          const Center center{{begin, middle}, {middle, center_[p].end()}};
          return moments_of<D>(from_, block, center, by_[p], components);
        }));
    call_.prepare([&] {
      if (!split_.is_owner()) return;
      moments_ = Moments(from_.d, components);
      add_up<MomentsRow>(found.values, moments_);
      size_ = 0;
    });
    count_members();
  }

  void count_members() {
    PieceRows sizes;
    call_.prepare([&] {
      for (const GroupPiece& piece : split_.pieces())
        sizes.push_back({static_cast<double>(piece.size())});
    });
    const SplitGroups::Gathered found = split_.to_owner(sizes);
    for (const double size : found.values) size_ += static_cast<std::size_t>(size);
  }

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  const Source& from_;
  const CatalogueOptions& options_;
  std::vector<Weight> by_;     ///< of each part here
  PieceRows origin_, center_;  ///< of each part's group
  // Of the group that this rank owns.
  std::size_t size_ = 0;
  Sums sums_;
  Center own_center_;
  Moments moments_;
};

/// A member on its way to its place by distance.
struct Distant {
  std::uint64_t label, r2, index;
  double mass;

  Key key() const { return Key{r2} << 64 | index; }
  bool operator<(const Distant& other) const {
    return label != other.label ? label < other.label : key() < other.key();
  }
};

/// Circular velocities: members by distance over the ranks of their group, cut as the group is.
class SplitCurves {
 public:
  SplitCurves(Call& call, const GroupColumns& columns, const SplitGroups& split, const Source& from,
              double gravity)
      : call_(call), columns_(columns), split_(split), from_(from), gravity_(gravity) {}

  /// Of the group that this rank owns.
  double largest(const std::vector<double>& middle) {
    middle_ = split_.to_all_parts(middle);
    sort_by_distance();
    PieceRows rows;  // masses of blocks, then squares of velocities
    call_.prepare([&] {
      for (const GroupPiece& piece : split_.pieces()) rows.push_back(block_masses(piece));
    });
    const PieceRows inside = split_.to_parts(masses_before(split_.to_owner(rows)));
    call_.work([&](Workers& workers) {
      for (std::size_t p = 0; p < rows.size(); ++p) {
        const auto part = part_of(split_.pieces()[p]);
        rows[p].clear();
        if (part.empty()) continue;
        RotationCurve curve(gravity_, split_.pieces()[p].before, inside[p].front());
        for (const Distant& each : part) curve.add(std::bit_cast<double>(each.r2), each.mass);
        rows[p].push_back(curve.most());
        workers.check_cancelled();
      }
    });
    const SplitGroups::Gathered found = split_.to_owner(rows);
    double most = 0;
    for (const double each : found.values) most = std::max(most, each);
    return std::sqrt(most);
  }

 private:
  void sort_by_distance() {
    std::vector<std::vector<Key>> keys;
    std::vector<std::span<const Key>> sets;
    call_.phase([&](Workers& workers) {
      keys.resize(split_.labels().size());
      for (std::size_t p = 0; p < split_.pieces().size(); ++p) collect(p, keys, workers);
      for (const auto& each : keys) sets.emplace_back(each);
    });
    const std::vector<Key> bounds = Selection<Key>(call_, sets, split_.wanted()).run();
    Runs out;
    call_.work([&](Workers& workers) {
      keys.clear();
      checked_sort(members_.begin(), members_.end(), [&] { workers.check_cancelled(); });
      for (const GroupPiece& piece : split_.pieces()) add_runs(piece, bounds, out);
    });
    const Arrived arrived =
        call_.exchange(out, reinterpret_cast<const std::byte*>(members_.data()));
    call_.work([&](Workers& workers) {
      const std::span<const Distant> rows = rows_of<Distant>(arrived.bytes);
      members_.assign(rows.begin(), rows.end());
      checked_sort(members_.begin(), members_.end(), [&] { workers.check_cancelled(); });
    });
  }

  void collect(std::size_t p, std::vector<std::vector<Key>>& keys, const Workers& workers) {
    const GroupPiece& piece = split_.pieces()[p];
    std::vector<Key>& set = keys[split_.set_of(piece)];
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      if (i % kSumBlock == 0) workers.check_cancelled();
      const double r2 = distance2_from(from_, i, middle_[p].data());
      members_.push_back({piece.label, std::bit_cast<std::uint64_t>(r2),
                          static_cast<std::uint64_t>(columns_.index()[i]), from_.mass(i)});
      set.push_back(members_.back().key());
    }
    checked_sort(set.begin(), set.end(), [&] { workers.check_cancelled(); });
  }

  /// Members, sorted, by the ranks of their places. Runs to this rank of both parts are one.
  void add_runs(const GroupPiece& piece, const std::vector<Key>& bounds, Runs& out) const {
    const auto members = part_of(piece);
    std::size_t bound = 0;  // the first of this group
    while (split_.wanted()[bound].set != split_.set_of(piece)) ++bound;
    auto begin = members.begin();
    for (int rank = piece.owner; rank <= piece.last; ++rank, ++bound) {
      const auto end = rank < piece.last
                           ? std::partition_point(begin, members.end(),
                                                  [&](const Distant& member) {
                                                    return member.key() < bounds[bound];
                                                  })
                           : members.end();
      const auto bytes = static_cast<std::size_t>(end - begin) * sizeof(Distant);
      begin = end;
      if (bytes == 0) continue;
      if (out.size() > 0 && out.rank.back() == rank)
        out.offset.back() += bytes;
      else
        out.add(rank, bytes);
    }
  }

  /// Of the members, which are sorted.
  std::span<const Distant> part_of(const GroupPiece& piece) const {
    const auto [begin, end] =
        std::equal_range(members_.begin(), members_.end(), Distant{piece.label, 0, 0, 0},
                         [](const Distant& a, const Distant& b) { return a.label < b.label; });
    return {begin, end};
  }

  std::vector<double> block_masses(const GroupPiece& piece) const {
    const auto part = part_of(piece);
    std::vector<double> masses(range_count(part.size(), kSumBlock));
    for (std::size_t i = 0; i < part.size(); ++i) masses[i / kSumBlock] += part[i].mass;
    return masses;
  }

  /// What lies inside the first block of each rank of the group.
  PieceRows masses_before(const SplitGroups::Gathered& blocks) const {
    PieceRows rows;
    call_.prepare([&] {
      double inside = 0;
      for (std::size_t i = 0; i + 1 < blocks.offset.size(); ++i) {
        rows.push_back({inside});
        for (std::size_t b = blocks.offset[i]; b < blocks.offset[i + 1]; ++b)
          inside += blocks.values[b];
      }
    });
    return rows;
  }

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  const Source& from_;
  double gravity_;
  PieceRows middle_;
  std::vector<Distant> members_;
};

}  // namespace

Catalogue split_rows(Call& call, const GroupColumns& columns, const SplitGroups& split,
                     const CatalogueOptions& options) {
  const PropertyColumns scaled = columns.scaled(options.box);
  CatalogueOptions own;
  std::optional<Source> made;
  call.quick([&] {
    own = scaled.scaled(options);
    made = source_of(scaled.points(), own, static_cast<std::size_t>(columns.types()));
  });
  const Source& from = *made;
  Catalogue rows = SplitRows(call, columns, split, from, own).run();
  if (own.gravity > 0) {
    const std::vector<double>& middle = own.peak.empty() ? rows.center : own.peak;
    const double largest = SplitCurves(call, columns, split, from, own.gravity).largest(middle);
    call.quick([&] {
      if (split.is_owner()) rows.max_circular_velocity.push_back(largest);
    });
  }
  scaled.restore(options, rows);
  call.note_traffic("split groups");
  return rows;
}

}  // namespace kith::mpi
