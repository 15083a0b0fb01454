// Friends of friends over ranks with a linking length for each point, and in redshift space: the
// labels of one process.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <vector>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/refusals.hpp"
#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

/// Alike, of all magnitudes, mostly 0, or equal, for points at this mean separation.
std::vector<double> drawn_lengths(Draw& draw, std::size_t n, double separation) {
  const double scale = separation * draw.one_of({0.05, 0.4, 0.8});
  const std::size_t kind = draw.below(4);
  std::vector<double> lengths;
  for (std::size_t i = 0; i < n; ++i) {
    double factor = 1;
    if (kind == 1) factor = 0.9 + 0.2 * draw.uniform();
    if (kind == 2) factor = std::pow(10, -3 + 3.5 * draw.uniform());
    if (kind == 3) factor = draw.below(10) == 0 ? 3 : 0;
    lengths.push_back(scale * factor);
  }
  return lengths;
}

/// Points and lengths of all ranks, and the part of this one.
template <class T>
struct LengthCase {
  LengthCase(MPI_Comm comm, std::uint64_t seed) : draw(seed) {
    const int ranks = size_of(comm);
    const auto shape = static_cast<Shape>(seed % static_cast<std::uint64_t>(Shape::count));
    const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
    dimension = 2 + static_cast<int>(draw.below(2));
    const std::size_t n = draw.below(4) == 0 ? draw.below(24) : 200 + draw.below(1000);
    const PointSet<T> set = scene_points<T>(shape, dimension, n, seed);
    scene.emplace(set, dealt(set, deal, ranks, seed), ranks);
    begin = scene->begin(rank_of(comm));
    part = scene->part(rank_of(comm));
    length = drawn_lengths(draw, n, std::pow(static_cast<double>(n + 1), -1.0 / dimension));
    rule = draw.one_of({LengthRule::mean, LengthRule::least, LengthRule::largest});
    options = {.min_size = draw.one_of({std::size_t{1}, std::size_t{3}}),
               .strict = draw.below(4) == 0,
               .keep_roots = draw.below(3) == 0};
  }
  std::span<const double> own() const { return std::span(length).subspan(begin, part.size); }

  Draw draw;
  int dimension = 0;
  std::optional<Scene<T>> scene;
  std::size_t begin = 0;
  PointsView part{};
  std::vector<double> length;
  LengthRule rule = LengthRule::mean;
  FofOptions options;
};

/// The labels of this rank's points, which begin at one of those of one process, and its rows.
void expect_groups_of(const Groups& reference, const mpi::Groups& groups, std::size_t begin,
                      std::size_t n) {
  ASSERT_EQ(groups.count(), reference.count());
  EXPECT_EQ(groups.linking_length(), reference.linking_length());
  ASSERT_EQ(groups.label().size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(groups.label()[i], reference.label()[begin + i]) << "point " << begin + i;
    if (groups.root().empty()) continue;
    ASSERT_EQ(groups.root()[i], reference.root()[begin + i]);
  }
  for (std::size_t i = 0; i < groups.sizes().size(); ++i) {
    ASSERT_EQ(groups.sizes()[i], static_cast<std::int64_t>(reference.size(groups.first() + i)));
    ASSERT_EQ(groups.lowest()[i], static_cast<std::int64_t>(reference.lowest(groups.first() + i)));
  }
}

TEST(MpiLinkingLengths, HaveTheLabelsOfOneProcess) {
  check_cases(10, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    LengthCase<T> c(comm, seed);
    const Execution execution{.threads = threads};
    const TreeOptions tree{.box = scene_box(static_cast<Space>(seed / 7 % 3), c.dimension)};
    const bool is_kept = c.draw.below(3) == 0;
    const Groups reference = fof(AnyTree(c.scene->all.view(), tree, {.threads = 1}),
                                 {c.length, c.rule}, c.options, {.threads = 1});
    const mpi::Domains domains = is_kept
                                     ? mpi::Domains::keep(comm, c.part, {.tree = tree}, execution)
                                     : mpi::Domains::curve(comm, c.part, {.tree = tree}, execution);
    const LinkingLengths own{c.own(), c.rule};
    expect_groups_of(reference, mpi::fof(domains, own, c.options, RowOrder::input, execution),
                     c.begin, c.part.size);
    const mpi::Groups in_tree = mpi::fof(domains, own, c.options, RowOrder::tree, execution);
    const std::vector<std::int64_t> place = domains.global_index();
    for (std::size_t i = 0; i < place.size(); ++i)
      ASSERT_EQ(in_tree.label()[i], reference.label()[static_cast<std::size_t>(place[i])]);
  });
}

TEST(MpiLinkingLengths, RedshiftSpaceHasTheLabelsOfOneProcess) {
  check_cases(8, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    LengthCase<T> c(comm, seed);
    const Execution execution{.threads = threads};
    RedshiftSpace space{c.draw.one_of({LineOfSight::x, LineOfSight::y, LineOfSight::midpoint}),
                        c.draw.one_of({0.5, 1.0, 3.0})};
    c.options.keep_roots = false;
    if (space.line_of_sight != LineOfSight::midpoint)
      c.options.box = scene_box(static_cast<Space>(seed / 7 % 3), c.dimension);
    else if (c.draw.below(2) == 0)
      space.observer.assign(static_cast<std::size_t>(c.dimension), -0.5);
    const PointsView all = c.scene->all.view();
    expect_groups_of(
        redshift_fof(all, {c.length, c.rule}, c.options, space, {.threads = 1}),
        mpi::redshift_fof(comm, c.part, {c.own(), c.rule}, c.options, space, execution), c.begin,
        c.part.size);
    c.options.linking_length = 0.02;
    expect_groups_of(redshift_fof(all, c.options, space, {.threads = 1}),
                     mpi::redshift_fof(comm, c.part, c.options, space, execution), c.begin,
                     c.part.size);
  });
}

TEST(MpiLinkingLengths, LeaveOutDroppedPoints) {
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      PointSet<float> set = scene_points<float>(Shape::uniform, 2, 90, 4);
      for (std::size_t i = 0; i < set.size(); i += 7)
        set.x[2 * i] = std::numeric_limits<float>::quiet_NaN();
      std::vector<double> length(set.size(), 0.1);
      length[0] = 50;  // of a point that is dropped
      const Scene<float> scene(set, dealt(set, Deal::even, ranks, 1), ranks);
      const PointsView part = scene.part(rank_of(comm));
      const std::size_t begin = scene.begin(rank_of(comm));
      const LinkingLengths own{std::span(length).subspan(begin, part.size)};
      const FofOptions options{.non_finite = NonFinite::drop};
      const RedshiftSpace space{LineOfSight::midpoint, 2};
      expect_groups_of(fof(set.view(), LinkingLengths{length}, options),
                       mpi::fof(comm, part, own, options), begin, part.size);
      expect_groups_of(redshift_fof(set.view(), LinkingLengths{length}, options, space),
                       mpi::redshift_fof(comm, part, own, options, space), begin, part.size);
    });
}

TEST(MpiLinkingLengths, WrongArguments) {
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const auto set = scene_points<float>(Shape::uniform, 3, 60, 5);
      const AnyTree tree(set.view());
      const mpi::Domains domains = mpi::Domains::curve(comm, set.view());
      const std::vector<double> right(60, 0.1);
      const auto lengths = [&](const char* name, std::vector<double> wrong) {
        const std::span<const double> given(wrong);
        expect_refused(comm, {name, [&] { fof(tree, LinkingLengths{given}, {}); },
                              [&](bool is_wrong) {
                                mpi::fof(domains,
                                         LinkingLengths{is_wrong ? given : std::span(right)}, {});
                              }});
        expect_refused(comm, {std::string("in redshift space: ") + name,
                              [&] { redshift_fof(set.view(), LinkingLengths{given}, {}, {}); },
                              [&](bool is_wrong) {
                                mpi::redshift_fof(
                                    comm, set.view(),
                                    LinkingLengths{is_wrong ? given : std::span(right)}, {}, {});
                              }});
      };
      lengths("too few", {0.1});
      std::vector<double> wrong = right;
      wrong[7] = -1;
      lengths("negative", wrong);
      wrong[7] = std::numeric_limits<double>::infinity();
      lengths("infinite", wrong);
      const auto with_options = [&](const char* name, const FofOptions& options) {
        expect_refused(comm, {name, [&] { fof(tree, LinkingLengths{right}, options); },
                              [&](bool is_wrong) {
                                mpi::fof(domains, LinkingLengths{right},
                                         is_wrong ? options : FofOptions{});
                              },
                              true});
      };
      with_options("a length for all", {.linking_length = 1});
      with_options("b", {.b = 0.2});
      with_options("min_size", {.min_size = 0});
      const auto sight = [&](const char* name, const RedshiftSpace& space) {
        expect_refused(comm,
                       {name, [&] { redshift_fof(set.view(), {.linking_length = 0.1}, space); },
                        [&](bool is_wrong) {
                          mpi::redshift_fof(comm, set.view(), {.linking_length = 0.1},
                                            is_wrong ? space : RedshiftSpace{});
                        },
                        true});
      };
      sight("stretch", {LineOfSight::z, 0});
      sight("observer", {LineOfSight::midpoint, 1, {0, 0}});
      if (ranks == 1) return;
      const LengthRule rule = rank_of(comm) == 0 ? LengthRule::least : LengthRule::mean;
      EXPECT_NE(error_of([&] {
                  mpi::fof(domains, {right, rule}, {});
                }).find("rule"),
                std::string::npos);
    });
}

}  // namespace
}  // namespace kith::test
