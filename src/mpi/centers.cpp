// Centers of groups over ranks.
#include <algorithm>
#include <numeric>
#include <optional>

#include "geometry/frame.hpp"
#include "groups/sphere_search.hpp"
#include "groups/sums.hpp"
#include "mpi/group_call.hpp"

namespace kith::mpi {
namespace {

/// All of these points.
kith::Members one_group(const GivenColumns& of) {
  kith::Members members;
  members.order.resize(of.points.size);
  std::iota(members.order.begin(), members.order.end(), 0u);
  members.offset = {0, of.points.size};
  return members;
}

/// Centers of mass and shrinking spheres of groups that lie on several ranks: owners ask, and the
/// parts answer, all groups in step.
class SplitSpheres {
 public:
  SplitSpheres(Call& call, const SplitGroups& split, Source from, CenterOptions options)
      : call_(call),
        split_(split),
        from_(std::move(from)),
        options_(std::move(options)),
        is_chosen_(256),
        search_(options_.kind, from_.d) {
    for (std::size_t type = 0; type < is_chosen_.size(); ++type)
      is_chosen_[type] =
          options_.types.empty() ||
          std::count(options_.types.begin(), options_.types.end(), static_cast<int>(type)) > 0;
  }

  /// Of the group that this rank owns, or nothing.
  std::vector<double> run() {
    std::vector<double> origin, question;
    call_.prepare([&] {
      if (split_.is_owner()) origin = from_.at(split_.own().begin);
    });
    origin_ = split_.to_all_parts(origin);
    call_.work([&](Workers& workers) { put_rows(workers); });
    for (bool is_anyone = true; is_anyone;) {
      call_.prepare([&] {
        question.clear();
        if (split_.is_owner() && !search_.is_done()) question = packed(search_.question());
      });
      const PieceRows questions = split_.to_all_parts(question, &is_anyone);
      if (!is_anyone) break;
      const SplitGroups::Gathered found = split_.to_owner(answers(questions));
      call_.prepare([&] {
        if (split_.is_owner() && !search_.is_done()) search_.take(summed(found.values));
      });
    }
    std::vector<double> center;
    call_.quick([&] {
      if (split_.is_owner()) center = placed(origin, search_.middle());
    });
    return center;
  }

 private:
  static std::vector<double> packed(const SphereQuestion& question) {
    std::vector<double> row{question.counts_all ? 1.0 : 0.0, question.is_unweighted ? 1.0 : 0.0,
                            question.radius2};
    row.insert(row.end(), question.middle.begin(), question.middle.end());
    return row;
  }
  static SphereQuestion unpacked(const std::vector<double>& row) {
    return {row[0] > 0, row[1] > 0, row[2], {row.begin() + 3, row.end()}};
  }

  void put_rows(const Workers& workers) {
    rows_.resize(split_.pieces().size());
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      const GroupPiece& piece = split_.pieces()[p];
      rows_[p].resize(piece.size() * from_.d);
      workers.for_ranges(piece.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> members(end - begin);
        std::iota(members.begin(), members.end(), static_cast<std::uint32_t>(piece.begin + begin));
        const MemberBlock block(from_, members, origin_[p]);
        std::copy(block.x.begin(), block.x.end(), rows_[p].data() + begin * from_.d);
      });
    }
  }

  /// Sums of blocks, as rows of numbers.
  PieceRows answers(const PieceRows& questions) {
    PieceRows answers;
    call_.work([&](Workers& workers) {
      answers.resize(rows_.size());
      for (std::size_t p = 0; p < rows_.size(); ++p)
        if (!questions[p].empty()) answer(p, unpacked(questions[p]), workers, answers[p]);
    });
    return answers;
  }

  std::size_t width() const { return 3 + from_.d; }

  void answer(std::size_t p, const SphereQuestion& question, const Workers& workers,
              std::vector<double>& out) const {
    const GroupPiece& piece = split_.pieces()[p];
    out.resize(range_count(piece.size(), kSumBlock) * width());
    workers.for_ranges(piece.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
      SphereSums sums(from_.d);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t member = piece.begin + i;
        if (question.counts_all || options_.types.empty() || is_chosen_[from_.type[member]])
          sums.add(question, &rows_[p][i * from_.d], from_.mass(member));
      }
      double* to = out.data() + begin / kSumBlock * width();
      *to++ = static_cast<double>(sums.count);
      *to++ = sums.farthest2;
      *to++ = sums.weight;
      std::copy(sums.position.begin(), sums.position.end(), to);
    });
  }

  SphereSums summed(const std::vector<double>& rows) const {
    SphereSums sums(from_.d), block(from_.d);
    for (std::size_t at = 0; at < rows.size(); at += width()) {
      block.count = static_cast<std::size_t>(rows[at]);
      block.farthest2 = rows[at + 1];
      block.weight = rows[at + 2];
      std::copy_n(&rows[at + 3], from_.d, block.position.begin());
      sums += block;
    }
    return sums;
  }

  std::vector<double> placed(const std::vector<double>& origin,
                             const std::vector<double>& middle) const {
    std::vector<double> center(from_.d);
    for (std::size_t axis = 0; axis < from_.d; ++axis) {
      const int a = static_cast<int>(axis);
      const double side = options_.box.side(a), edge = options_.box.origin(a);
      const double x = origin[axis] + middle[axis];
      center[axis] = side > 0 ? edge + wrapped(x, edge, side) : x;
    }
    return center;
  }

  Call& call_;
  const SplitGroups& split_;
  Source from_;
  CenterOptions options_;
  std::vector<bool> is_chosen_;  ///< by type
  SphereSearch search_;
  PieceRows origin_, rows_;  ///< of each part
};

std::vector<double> centers_of(const Domains::Impl& domains, const PointsView& points,
                               const Groups::Impl& groups, const CenterOptions& options,
                               const Execution& execution) {
  return group_call("centers", domains, options, execution, [&](Call& call) {
    call.require_same(options.softening);
    call.require_same(static_cast<std::uint64_t>(options.kind));
    const GroupColumns columns(call, domains, groups,
                               {.points = points, .mass = options.mass, .type = options.type});
    const SplitGroups split(call, groups.cuts, columns.offset(), columns.count());
    const auto found = [&](const GivenColumns& of, const kith::Members& members,
                           const Workers& workers) {
      CenterOptions own = options;
      own.box = domains.options.tree.box;
      own.mass = of.mass;
      own.type = of.type;
      if (of.points.size == 0) own.types.clear();
      return kith::centers(of.points, members, own, inside(call, workers));
    };
    std::vector<double> centers, last;
    call.phase([&](Workers& workers) {
      centers = found(columns.whole(split), columns.members(split), workers);
    });
    if (!split.any()) return centers;
    if (options.kind == CenterKind::potential) {
      const OwnColumns own(call, columns, split);
      call.phase([&](Workers& workers) {
        if (split.is_owner()) last = found(own.columns(), one_group(own.columns()), workers);
      });
    } else {
      std::optional<SplitSpheres> spheres;
      call.quick([&] {
        CenterOptions own = options;
        own.box = domains.options.tree.box;
        const GivenColumns all = columns.all();
        const CatalogueOptions with{.box = own.box, .mass = all.mass, .type = all.type};
        spheres.emplace(call, split, source_of(all.points, with, 0), std::move(own));
      });
      last = spheres->run();
    }
    call.quick([&] { centers.insert(centers.end(), last.begin(), last.end()); });
    return centers;
  });
}

}  // namespace

std::vector<double> centers(const Domains& domains, PointsView points, const Groups& groups,
                            const CenterOptions& options, const Execution& execution) {
  return centers_of(*domains.impl(), points, groups.impl(), options, execution);
}
std::vector<double> centers(PointsView points, const Groups& groups, const CenterOptions& options,
                            const Execution& execution) {
  return centers_of(domains_of("centers", groups), points, groups.impl(), options, execution);
}

}  // namespace kith::mpi
