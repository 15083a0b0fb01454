// Friends of friends over ranks, in phase space, for all split halos at once: one more axis keeps
// them apart. On it, members of one halo differ by 0, which changes no bit of their distances.
#include "mpi/split_subhalos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "groups/phase_space.hpp"
#include "mpi/fof.hpp"
#include "mpi/mail.hpp"

namespace kith::mpi {
namespace {

class PhaseSearch {
 public:
  PhaseSearch(Call& call, const GroupColumns& columns, const SplitGroups& split,
              const SubhaloOptions& options)
      : call_(call),
        columns_(columns),
        split_(split),
        scaled_(columns.scaled(options.box)),
        options_(in_scale(options, scaled_)),
        space_(scaled_.points(), options_),
        halos_(split.labels().size()) {}

  SplitSubhalos run(const Execution& execution) {
    make_rows();
    number_members();
    const Execution inner{.threads = execution.threads, .cancel = execution.cancel};
    const auto width = static_cast<int>(space_.width() + 1);
    const Domains domains =
        Domains::curve(call_.communicator().comm(), view(rows_.data(), mine_, width), {}, inner);
    const Groups groups = fof_in_classes(
        domains, {.linking_length = options_.linking_length, .min_size = options_.min_size},
        RowOrder::input, first_, inner);
    SplitSubhalos result;
    deal(groups.impl(), result);
    std::vector<std::int64_t> label;
    call_.prepare([&] {
      rows_ = {};
      label.assign(columns_.count(), -1);
      std::size_t from = 0;
      for (const GroupPiece& piece : split_.pieces())
        for (std::size_t i = piece.begin; i < piece.end; ++i) label[i] = groups.label()[from++];
    });
    call_.quick([] {});
    result.columns.emplace(call_, columns_, Labeled{label, columns_.index(), result.cuts});
    return result;
  }

 private:
  static SubhaloOptions in_scale(SubhaloOptions options, const PropertyColumns& columns) {
    options.box = columns.box();
    options.velocity = columns.velocity();
    options.position_scale = std::ldexp(options.position_scale, columns.length());
    options.velocity_scale = std::ldexp(options.velocity_scale, columns.speed());
    return options;
  }

  std::span<double> rows_of_piece(std::size_t p) {
    return std::span(raw_).subspan(first_row_[p] * space_.width(),
                                   split_.pieces()[p].size() * space_.width());
  }

  /// Rows of phase space for the parts here, scaled as one process scales them.
  void make_rows() {
    std::vector<double> origin;
    call_.prepare([&] {
      if (!split_.is_owner()) return;
      const RowReader position(scaled_.points());
      for (std::size_t axis = 0; 2 * axis < space_.width(); ++axis)
        origin.push_back(position(split_.own().begin, static_cast<int>(axis)));
    });
    const PieceRows origins = split_.to_all_parts(origin);
    call_.work([&](Workers& workers) { put_rows(origins, workers); });
    const auto sizes = split_.to_owner(piece_sizes());
    std::size_t count = 0;
    for (const double size : sizes.values) count += static_cast<std::size_t>(size);
    std::vector<double> mean =
        summed([&](std::size_t, std::span<const double> block) { return space_.sums(block); },
               space_.width());
    for (double& x : mean) x /= static_cast<double>(count);
    const PieceRows means = split_.to_all_parts(mean);
    const std::vector<double> squares =
        summed([&](std::size_t p,
                   std::span<const double> block) { return space_.squares(block, means[p]); },
               2);
    std::vector<double> scales;
    call_.prepare([&] {
      if (!split_.is_owner()) return;
      const PhaseUnits units = space_.units(mean, squares, count);
      scales = {units.position, units.velocity};
    });
    const PieceRows all_scales = split_.to_all_parts(scales);
    call_.phase([&](Workers& workers) { finish_rows(means, all_scales, workers); });
  }

  PieceRows piece_sizes() const {
    PieceRows sizes;
    call_.prepare([&] {
      for (const GroupPiece& piece : split_.pieces())
        sizes.push_back({static_cast<double>(piece.size())});
    });
    return sizes;
  }

  void put_rows(const PieceRows& origins, const Workers& workers) {
    for (const GroupPiece& piece : split_.pieces()) {
      first_row_.push_back(mine_);
      mine_ += piece.size();
    }
    raw_.resize(mine_ * space_.width());
    for (std::size_t p = 0; p < split_.pieces().size(); ++p) {
      const GroupPiece& piece = split_.pieces()[p];
      double* rows = rows_of_piece(p).data();
      workers.for_ranges(piece.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          space_.put(piece.begin + i, origins[p], rows + i * space_.width());
      });
    }
  }

  /// f(part, block) of the rows of the halo that this rank owns, added up in order.
  template <class F>
  std::vector<double> summed(F f, std::size_t width) {
    PieceRows blocks;
    call_.work([&](Workers& workers) {
      blocks.resize(split_.pieces().size());
      const std::size_t step = kSumBlock * space_.width();
      for (std::size_t p = 0; p < blocks.size(); ++p) {
        const std::span<const double> rows = rows_of_piece(p);
        blocks[p].resize(range_count(rows.size(), step) * width);
        workers.for_ranges(rows.size(), step, [&](std::size_t begin, std::size_t end) {
          const std::vector<double> sum = f(p, rows.subspan(begin, end - begin));
          std::copy(sum.begin(), sum.end(), blocks[p].data() + begin / step * width);
        });
      }
    });
    const SplitGroups::Gathered found = split_.to_owner(blocks);
    std::vector<double> sum;
    call_.prepare([&] {
      if (!split_.is_owner()) return;
      sum.resize(width);
      for (std::size_t i = 0; i < found.values.size(); ++i) sum[i % width] += found.values[i];
    });
    return sum;
  }

  /// With the axis that keeps halos apart.
  void finish_rows(const PieceRows& means, const PieceRows& scales, const Workers& workers) {
    const std::size_t width = space_.width();
    rows_.resize(mine_ * (width + 1));
    for (std::size_t p = 0; p < split_.pieces().size(); ++p) {
      const std::span<double> rows = rows_of_piece(p);
      if (rows.empty()) continue;
      const PhaseUnits units{means[p], scales[p][0], scales[p][1]};
      const double apart =
          4 * options_.linking_length * static_cast<double>(split_.set_of(split_.pieces()[p]));
      workers.for_ranges(rows.size() / width, kSumBlock, [&](std::size_t begin, std::size_t end) {
        space_.scale(rows.subspan(begin * width, (end - begin) * width), units);
        for (std::size_t i = begin; i < end; ++i) {
          double* to = rows_.data() + (first_row_[p] + i) * (width + 1);
          std::copy_n(rows.data() + i * width, width, to);
          to[width] = apart;
        }
      });
    }
    raw_ = {};
  }

  /// Members of split halos are numbered rank by rank, so that each halo has a run of numbers.
  void number_members() {
    std::vector<std::uint64_t> counts;
    call_.quick([&] {
      counts.resize(2 * static_cast<std::size_t>(call_.ranks()));
      first_.resize(halos_);
    });
    // Of all, and those of another rank's halo among them.
    const std::uint64_t mine[2] = {mine_, split_.is_owner() ? mine_ - split_.own().size() : mine_};
    call_.communicator().gather_all(mine, sizeof mine, counts.data());
    std::uint64_t before = 0;
    std::size_t halo = 0;
    for (std::size_t r = 0; 2 * r < counts.size(); ++r) {
      if (counts[2 * r] > counts[2 * r + 1]) first_[halo++] = before + counts[2 * r + 1];
      before += counts[2 * r];
    }
    total_ = before;
  }
  std::uint64_t halo_size(std::size_t halo) const {
    return (halo + 1 < halos_ ? first_[halo + 1] : total_) - first_[halo];
  }
  /// Of a subhalo, by its lowest member.
  std::size_t halo_of(std::int64_t lowest) const {
    return static_cast<std::size_t>(class_of(first_, static_cast<std::uint64_t>(lowest))) - 1;
  }

  /// Subhalos go to the ranks of their halo, in proportion to its parts there.
  void deal(const Groups::Impl& groups, SplitSubhalos& out) {
    std::vector<std::uint64_t> sizes, wanted;
    std::vector<std::int64_t> members;  // of subhalos, in each halo
    std::vector<GroupKey> rows;
    call_.quick([&] {
      members.resize(halos_);
      for (std::size_t i = 0; i < groups.size.size(); ++i) {
        rows.push_back({static_cast<std::uint64_t>(groups.size[i]),
                        static_cast<std::uint64_t>(groups.lowest[i])});
        sizes.push_back(rows.back().size);
        members[halo_of(groups.lowest[i])] += groups.size[i];
      }
    });
    call_.communicator().sum(members.data(), members.size());
    call_.quick([&] { wanted = shares(members); });
    out.cuts = cut_groups(call_, sizes, wanted);
    rows = dealt_rows(call_, rows, groups.first, out.cuts);
    call_.quick([&] {
      for (const GroupKey& row : rows) {
        const std::size_t halo = halo_of(static_cast<std::int64_t>(row.lowest));
        out.parent.push_back(static_cast<std::int64_t>(split_.labels()[halo]));
        if (!split_.is_owner() || split_.labels()[halo] != split_.own().label) ++out.behind;
      }
    });
  }

  /// Members of subhalos on the ranks before each one.
  std::vector<std::uint64_t> shares(const std::vector<std::int64_t>& members) const {
    std::vector<std::uint64_t> shares;
    std::uint64_t before = 0;
    for (std::size_t halo = 0, next = 0; halo <= halos_; ++halo) {
      const int owner = halo < halos_ ? owner_of(halo) : call_.ranks() - 1;
      while (static_cast<int>(shares.size()) <= owner) shares.push_back(before);
      if (halo == halos_) break;
      const auto here = static_cast<std::uint64_t>(members[halo]);
      for (; next < split_.wanted().size() && split_.wanted()[next].set == halo; ++next) {
        const double part =
            static_cast<double>(split_.wanted()[next].below) / static_cast<double>(halo_size(halo));
        shares.push_back(
            before + std::min(here, static_cast<std::uint64_t>(part * static_cast<double>(here))));
      }
      before += here;
    }
    return shares;
  }

  int owner_of(std::size_t halo) const { return split_.owners()[halo]; }

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  PropertyColumns scaled_;
  SubhaloOptions options_;  ///< in the scale of the columns
  PhaseSpace space_;
  std::size_t halos_;  ///< that are split
  std::size_t mine_ = 0;
  std::vector<std::size_t> first_row_;  ///< of each part here
  std::vector<double> raw_, rows_;
  std::vector<std::uint64_t> first_;  ///< number of each halo's first member
  std::uint64_t total_ = 0;
};

}  // namespace

SplitSubhalos split_subhalos(Call& call, const GroupColumns& columns, const SplitGroups& split,
                             const SubhaloOptions& options, const Execution& execution) {
  std::optional<PhaseSearch> search;
  call.quick([&] { search.emplace(call, columns, split, options); });
  return search->run(execution);
}

}  // namespace kith::mpi
