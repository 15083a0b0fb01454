// Centers of groups over ranks.
#include <algorithm>
#include <optional>

#include "groups/sphere_search.hpp"
#include "groups/sums.hpp"
#include "mpi/group_call.hpp"
#include "mpi/split_deepest.hpp"

namespace kith::mpi {
namespace {

/// Centers of mass and shrinking spheres of groups that lie on several ranks: owners ask, and the
/// parts answer, all groups in step.
class SplitSpheres {
 public:
  SplitSpheres(Call& call, const SplitMembers& members)
      : call_(call), members_(members), search_(members.options().kind, members.d()) {}

  /// About the first member of the group that this rank owns, or nothing.
  std::vector<double> run() {
    const SplitGroups& split = members_.split();
    std::vector<double> question;
    for (bool is_anyone = true; is_anyone;) {
      call_.prepare([&] {
        question.clear();
        if (split.is_owner() && !search_.is_done()) question = packed(search_.question());
      });
      const PieceRows questions = split.to_all_parts(question, &is_anyone);
      if (!is_anyone) break;
      const SplitGroups::Gathered found = split.to_owner(answers(questions));
      call_.prepare([&] {
        if (split.is_owner() && !search_.is_done()) search_.take(summed(found.values));
      });
    }
    std::vector<double> middle;
    call_.quick([&] {
      if (split.is_owner()) middle = search_.middle();
    });
    return middle;
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

  /// Sums of blocks, as rows of numbers.
  PieceRows answers(const PieceRows& questions) {
    PieceRows answers;
    call_.work([&](Workers& workers) {
      answers.resize(members_.pieces().size());
      for (std::size_t p = 0; p < answers.size(); ++p)
        if (!questions[p].empty()) answer(p, unpacked(questions[p]), workers, answers[p]);
    });
    return answers;
  }

  std::size_t width() const { return 3 + members_.d(); }

  void answer(std::size_t p, const SphereQuestion& question, const Workers& workers,
              std::vector<double>& out) const {
    const std::size_t size = members_.pieces()[p].size();
    out.resize(range_count(size, kSumBlock) * width());
    workers.for_ranges(size, kSumBlock, [&](std::size_t begin, std::size_t end) {
      SphereSums sums(members_.d());
      for (std::size_t i = begin; i < end; ++i)
        if (question.counts_all || members_.is_chosen(p, i))
          sums.add(question, members_.row(p, i), members_.mass(p, i));
      double* to = out.data() + begin / kSumBlock * width();
      *to++ = static_cast<double>(sums.count);
      *to++ = sums.farthest2;
      *to++ = sums.weight;
      std::copy(sums.position.begin(), sums.position.end(), to);
    });
  }

  SphereSums summed(const std::vector<double>& rows) const {
    const std::size_t d = members_.d();
    SphereSums sums(d), block(d);
    for (std::size_t at = 0; at < rows.size(); at += width()) {
      block.count = static_cast<std::size_t>(rows[at]);
      block.farthest2 = rows[at + 1];
      block.weight = rows[at + 2];
      std::copy_n(&rows[at + 3], d, block.position.begin());
      sums += block;
    }
    return sums;
  }

  Call& call_;
  const SplitMembers& members_;
  SphereSearch search_;
};

/// Of the group that this rank owns among those on several ranks. Collective.
std::vector<double> split_center(Call& call, const GroupColumns& columns, const SplitGroups& split,
                                 const CenterOptions& options) {
  SplitMembers members(call, columns, split, options);
  members.read();
  std::vector<double> middle;
  if (options.kind == CenterKind::potential) {
    middle = split_deepest(call, members);
  } else {
    std::optional<SplitSpheres> spheres;
    call.quick([&] { spheres.emplace(call, members); });
    middle = spheres->run();
  }
  call.quick([&] {
    if (split.is_owner()) middle = members.placed(middle);
  });
  return middle;
}

std::vector<double> centers_of(const Domains::Impl& domains, const PointsView& points,
                               const Groups::Impl& groups, const CenterOptions& options,
                               const Execution& execution) {
  const auto check = [&](SameOptions& same, const Workers& workers) {
    same.add("softening", options.softening);
    same.add_unshown("kind", static_cast<std::uint64_t>(options.kind));
    same.add("number of types", std::uint64_t{options.types.size()});
    for (const int type : options.types) same.add("type", static_cast<std::uint64_t>(type));
    check_centers(points, options, workers);
  };
  return group_call("centers", domains, options, execution, check, [&](Call& call) {
    const GroupColumns columns(call, domains, groups,
                               {.points = points, .mass = options.mass, .type = options.type});
    const SplitGroups split(call, groups.cuts, columns.offset(), columns.count());
    CenterOptions own;
    std::vector<double> centers;
    call.phase([&](Workers& workers) {
      own = options;
      own.box = domains.options.tree.box;
      CenterOptions whole = own;
      const GivenColumns here = columns.whole(split);
      whole.mass = here.mass;
      whole.type = here.type;
      if (here.points.size == 0) whole.types.clear();
      centers = kith::centers(here.points, columns.members(split), whole, inside(call, workers));
    });
    if (!split.any()) return centers;
    const std::vector<double> last = split_center(call, columns, split, own);
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
