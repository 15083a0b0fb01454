// The catalogue of stored points: members are sorted on disk into batches of whole groups, and each
// batch is a call in memory. The bits of a row depend on the members of its group alone.
#include <algorithm>
#include <numeric>

#include <kith/detail/catalogue_columns.hpp>

#include "base/dispatch.hpp"
#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "slabs/budget.hpp"
#include "slabs/groups_impl.hpp"
#include "slabs/member_fields.hpp"
#include "slabs/passes.hpp"
#include "slabs/pieces.hpp"
#include "slabs/whole_progress.hpp"

namespace kith {
namespace {

using namespace slabs;

/// Whole groups whose members are together in memory.
struct Batch {
  std::size_t first = 0, end = 0;  ///< groups
  std::size_t members = 0, filled = 0;
  std::uint64_t place = 0;
};

template <class T>
class Measurer {
 public:
  Measurer(const StoredPoints& points, const StoredGroups& groups, const CatalogueOptions& options,
           const CenterOptions& centers, std::span<const int> type_numbers, const Budget& budget,
           const Execution& execution, Workers& workers, StoredCatalogue::Impl& out)
      : points_(points),
        groups_(impl_of(groups)),
        options_(options),
        centers_(centers),
        type_numbers_(type_numbers),
        budget_(budget),
        inner_(inside_stage(execution)),
        workers_(workers),
        out_(out),
        counts_(points.counts()),
        members_(points) {
    for (const std::uint64_t count : counts_)
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + count);
    filled_.resize(counts_.size());
  }

  void run() {
    out_.scratch = groups_.scratch;
    cut_batches();
    out_.counts = counts_;
    out_.grouped = groups_.grouped;
    out_.has_id = members_.has_id;
    for (const std::uint64_t count : counts_)
      out_.order.push_back(out_.scratch->reserve(count * sizeof(std::uint64_t)));
    if (out_.has_id) out_.id = out_.scratch->reserve(groups_.grouped * sizeof(std::uint64_t));
    run_pass(
        *out_.scratch, "members",
        [&](auto& archive) {
          archive(batches_);
          archive(out_.order);
          archive(out_.id);
        },
        [&] { sort_members(); });
    measure_batches();
    add_ungrouped();
  }

 private:
  // ---- members by batch

  void cut_batches() {
    // A batch is in memory twice: as it is read, and as columns of the catalogue.
    const std::size_t bytes = 2 * members_.bytes() + 16 + (has_centers() ? 100 : 0);
    const std::size_t room = budget_.bytes / 2 / bytes;
    const std::size_t most = std::min(room, most_slab_points);
    const std::uint64_t table = groups_.size.size() * (16 + 40 * sizeof(double));
    check_tables("catalogue", table, budget_);
    batches_ = {{}};
    for (std::size_t group = 0; group < groups_.size.size(); ++group) {
      const auto size = static_cast<std::size_t>(groups_.size[group]);
      if (size > room)
        fail(ErrorCode::out_of_memory,
             "catalogue: a group has {} members, which need {} bytes of memory; allow at least {}",
             size, size * bytes, kProgramBytes + 2 * size * bytes);
      if (batches_.back().members > 0 && batches_.back().members + size > most)
        batches_.push_back({group, group});
      batches_.back().end = group + 1;
      batches_.back().members += size;
    }
    for (Batch& batch : batches_)
      batch.place = groups_.scratch->reserve(batch.members * members_.bytes());
  }

  std::size_t batch_of(std::int32_t label) const {
    const auto after =
        std::upper_bound(batches_.begin(), batches_.end(), static_cast<std::size_t>(label),
                         [](std::size_t group, const Batch& batch) { return group < batch.first; });
    return static_cast<std::size_t>(after - batches_.begin()) - 1;
  }

  void sort_members() {
    const Stage stage(workers_, "members", points_.size());
    MemberFields<T> piece(points_), sorted(points_);
    std::vector<std::size_t> place;
    for_pieces(points_.size(), piece_rows(), workers_, [&](std::uint64_t begin, std::size_t n) {
      piece.resize(n);
      groups_.read_labels(begin, piece.label);
      piece.read(points_, begin);
      place.assign(batches_.size() + 1, 0);
      std::size_t count = 0;
      for (const std::int32_t label : piece.label)
        if (label >= 0) ++place[batch_of(label) + 1], ++count;
      std::partial_sum(place.begin(), place.end(), place.begin());
      const std::vector<std::size_t> start = place;
      sorted.resize(count);
      for (std::size_t i = 0; i < n; ++i)
        if (piece.label[i] >= 0) sorted.set(place[batch_of(piece.label[i])]++, piece, i);
      for (std::size_t b = 0; b < batches_.size(); ++b) append(sorted, start[b], start[b + 1], b);
    });
  }

  /// A piece is there twice.
  std::size_t piece_rows() const {
    const std::size_t most = budget_.bytes / 4 / (2 * members_.bytes());
    return std::clamp<std::size_t>(most, 1, budget_.piece_points);
  }

  /// Columns of a batch lie one after the other.
  void append(MemberFields<T>& from, std::size_t begin, std::size_t end, std::size_t number) {
    Batch& batch = batches_[number];
    if (begin == end) return;
    std::uint64_t place = batch.place;
    from.each([&]<class Value>(std::vector<Value>& column, std::size_t width) {
      out_.scratch->write(
          place + batch.filled * width * sizeof(Value),
          std::span<const Value>(column).subspan(begin * width, (end - begin) * width));
      place += batch.members * width * sizeof(Value);
    });
    batch.filled += end - begin;
  }

  // ---- batches

  /// As the catalogue in memory finds it among all points.
  int types() const {
    int found = 0;
    for (std::size_t part = 0; part < type_numbers_.size(); ++part)
      if (counts_[part] > 0) found = std::max(found, 1 + type_numbers_[part]);
    return found == 0 || options_.types == 0 ? found : options_.types;
  }

  void measure_batches() {
    const Stage stage(workers_, "catalogue", groups_.grouped);
    out_.rows = measured({}, 0);
    out_.rows.types = types();
    std::uint64_t before = 0;
    for (const Batch& batch : batches_) {
      workers_.check_cancelled();
      if (batch.members == 0) continue;
      const Catalogue rows = measured(batch, before);
      for_each_column(
          out_.rows, [&]<class Value>(const CatalogueColumn& column, std::vector<Value>& all) {
            const auto& more = rows.*std::get<std::vector<Value> Catalogue::*>(column.values);
            all.insert(all.end(), more.begin(), more.end());
          });
      before += batch.members;
      workers_.advance(batch.members);
    }
  }

  /// The rows of the groups of a batch, behind `before` members of others. A batch without groups
  /// has what columns know without rows.
  Catalogue measured(const Batch& batch, std::uint64_t before) {
    MemberFields<T> fields(points_);
    fields.resize(batch.members);
    std::uint64_t place = batch.place;
    if (batch.members > 0)
      fields.each([&]<class Value>(std::vector<Value>& column, std::size_t) {
        out_.scratch->read(place, std::span(column));
        place += column.size() * sizeof(Value);
      });
    const Members members = in_order(fields, batch);
    std::vector<std::uint8_t> type;
    for (std::size_t i = 0; i < fields.index.size() && !type_numbers_.empty(); ++i)
      type.push_back(static_cast<std::uint8_t>(type_numbers_[part_of(fields.index[i])]));
    CatalogueOptions own = options_;
    own.type = type;
    own.types = types();
    if (fields.has_velocity) own.velocity = rows_of(fields.velocity, fields.d);
    if (fields.has_mass) own.mass = values(fields.mass);
    if (type.empty()) own.contaminating_types.clear();  // no rows, no types
    if (has_centers()) {
      own.peak = peaks_of(rows_of(fields.position, fields.d), members, own);
      out_.peak.insert(out_.peak.end(), own.peak.begin(), own.peak.end());
    } else {
      own.peak = given_peaks(batch);
    }
    Catalogue rows = kith::catalogue(rows_of(fields.position, fields.d), members, own, inner_);
    for (std::int64_t& lowest : rows.lowest)
      lowest = static_cast<std::int64_t>(fields.index[static_cast<std::size_t>(lowest)]);
    write_order(fields, members, before);
    return rows;
  }

  bool has_centers() const { return centers_.kind != CenterKind::mass; }

  std::vector<double> peaks_of(const PointsView& rows, const Members& members,
                               const CatalogueOptions& own) const {
    CenterOptions options = centers_;
    options.box = own.box;
    options.mass = own.mass;
    options.type = own.type;
    if (own.type.empty()) options.types.clear();
    return kith::centers(rows, members, options, inner_);
  }

  std::vector<double> given_peaks(const Batch& batch) const {
    const std::size_t d = options_.peak.empty() ? 0 : members_.d;
    const double* const peaks = options_.peak.data();
    return {peaks + batch.first * d, peaks + batch.end * d};
  }

  static PointsView rows_of(const std::vector<T>& values, std::size_t d) {
    const int dimension = static_cast<int>(d);
    return {values.data(), values.size() / d, dimension, dimension, scalar_of<T>};
  }

  /// Members come in the order of their indices.
  Members in_order(const MemberFields<T>& fields, const Batch& batch) const {
    Members members;
    members.offset.assign(batch.end - batch.first + 1, 0);
    for (const std::int32_t label : fields.label)
      ++members.offset[static_cast<std::size_t>(label) - batch.first + 1];
    std::partial_sum(members.offset.begin(), members.offset.end(), members.offset.begin());
    std::vector<std::size_t> next(members.offset.begin(), members.offset.end() - 1);
    members.order.resize(fields.label.size());
    for (std::size_t i = 0; i < fields.label.size(); ++i)
      members.order[next[static_cast<std::size_t>(fields.label[i]) - batch.first]++] =
          static_cast<std::uint32_t>(i);
    return members;
  }

  // ---- the order of the points

  std::size_t part_of(std::uint64_t index) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) -
                                    ends_.begin());
  }

  void write_order(const MemberFields<T>& fields, const Members& members, std::uint64_t before) {
    std::vector<std::vector<std::uint64_t>> order(counts_.size());
    std::vector<std::uint64_t> id;
    for (const std::uint32_t i : members.order) {
      add_to_order(fields.index[i], order);
      if (fields.has_id) id.push_back(fields.id[i]);
    }
    append_order(order);
    if (fields.has_id)
      out_.scratch->write(out_.id + before * sizeof(std::uint64_t),
                          std::span<const std::uint64_t>(id));
  }

  void add_to_order(std::uint64_t index, std::vector<std::vector<std::uint64_t>>& order) const {
    const std::size_t part = part_of(index);
    order[part].push_back(index - (ends_[part] - counts_[part]));
  }

  void append_order(std::vector<std::vector<std::uint64_t>>& order) {
    for (std::size_t part = 0; part < order.size(); ++part) {
      out_.scratch->write(out_.order[part] + filled_[part] * sizeof(std::uint64_t),
                          std::span<const std::uint64_t>(order[part]));
      filled_[part] += order[part].size();
      order[part].clear();
    }
  }

  void add_ungrouped() {
    const Stage stage(workers_, "order", points_.size());
    std::vector<std::int32_t> label;
    std::vector<std::vector<std::uint64_t>> order(counts_.size());
    for_pieces(points_.size(), piece_rows(), workers_, [&](std::uint64_t begin, std::size_t n) {
      label.resize(n);
      groups_.read_labels(begin, label);
      for (std::size_t i = 0; i < n; ++i)
        if (label[i] < 0) add_to_order(begin + i, order);
      append_order(order);
    });
  }

  const StoredPoints& points_;
  const StoredGroups::Impl& groups_;
  const CatalogueOptions& options_;
  const CenterOptions& centers_;
  std::span<const int> type_numbers_;
  const Budget& budget_;
  Execution inner_;
  Workers& workers_;
  StoredCatalogue::Impl& out_;
  std::vector<std::uint64_t> counts_, ends_, filled_;  ///< of each type; filled_: of its order
  MemberFields<T> members_;                            ///< without any
  std::vector<Batch> batches_;
};

void check(const StoredPoints& points, const StoredGroups& groups, const CatalogueOptions& options,
           const CenterOptions& centers, std::span<const int> type_numbers) {
  if (points.size() != groups.size())
    refuse("catalogue: groups of {} points for {} points", groups.size(), points.size());
  if (!type_numbers.empty() && type_numbers.size() != points.counts().size())
    refuse("catalogue: {} types for points of {}", type_numbers.size(), points.counts().size());
  const std::size_t peaks = groups.count() * static_cast<std::size_t>(points.dimension());
  if (!options.peak.empty() && centers.kind != CenterKind::mass)
    refuse("catalogue: peaks of groups, and a kind of centers; give one of them");
  if (!options.peak.empty() && options.peak.size() != peaks)
    refuse("catalogue: {} numbers for peaks; give a row for each of the {} groups",
           options.peak.size(), groups.count());
}

}  // namespace

StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                          const CatalogueOptions& options, const CenterOptions& centers,
                          std::span<const int> type_numbers, const DiskOptions& disk,
                          const Execution& given) {
  return slabs::watched_call("catalogue", given, {{"members", 3}, {"catalogue", 3}, {"order", 1}},
                             points.size(), [&](const Execution& execution, Workers& workers) {
                               check(points, groups, options, centers, type_numbers);
                               const Budget budget = budget_of(points, disk);
                               auto result = std::make_shared<StoredCatalogue::Impl>();
                               with_scalar(points.scalar(), [&]<class T>() {
                                 Measurer<T>(points, groups, options, centers, type_numbers, budget,
                                             execution, workers, *result)
                                     .run();
                               });
                               return wrap_impl<StoredCatalogue>(std::move(result));
                             });
}

StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                          const CatalogueOptions& options, std::span<const int> type_numbers,
                          const DiskOptions& disk, const Execution& execution) {
  return catalogue(points, groups, options, {.kind = CenterKind::mass}, type_numbers, disk,
                   execution);
}

std::vector<double> centers(const StoredPoints& points, const StoredGroups& groups,
                            const CenterOptions& options, std::span<const int> type_numbers,
                            const DiskOptions& disk, const Execution& execution) {
  const CatalogueOptions measure{.box = options.box, .mass = {.same = options.mass.same}};
  const StoredCatalogue found =
      catalogue(points, groups, measure, options, type_numbers, disk, execution);
  if (options.kind == CenterKind::mass) return found.rows().center;
  return {found.peak().begin(), found.peak().end()};
}

std::span<const double> StoredCatalogue::peak() const { return impl_->peak; }
const Catalogue& StoredCatalogue::rows() const { return impl_->rows; }

void StoredCatalogue::read_order(std::size_t part, std::uint64_t begin,
                                 std::span<std::uint64_t> out) const {
  public_call("order", [&] {
    if (part >= impl_->counts.size() || begin > impl_->counts[part] ||
        out.size() > impl_->counts[part] - begin)
      refuse("order: {} rows from {} of type number {}; there are fewer", out.size(), begin, part);
    impl_->scratch->read(impl_->order[part] + begin * sizeof(std::uint64_t), out);
  });
}

void StoredCatalogue::read_member_ids(std::uint64_t begin, std::span<std::uint64_t> out) const {
  public_call("ids", [&] {
    const std::uint64_t ids = impl_->has_id ? impl_->grouped : 0;
    if (begin > ids || out.size() > ids - begin)
      refuse("ids: {} rows from {}, of {} members with an id", out.size(), begin, ids);
    impl_->scratch->read(impl_->id + begin * sizeof(std::uint64_t), out);
  });
}

}  // namespace kith
