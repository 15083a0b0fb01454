// Domains of a kd-tree: the cells that one process finds by sorting, for any points and any number
// of ranks.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

/// The cells of all ranks by their definition.
template <class T>
class Cells {
 public:
  /// Rows in the frame of the input, and their global indices.
  Cells(std::vector<double> rows, std::vector<std::int64_t> ids, int dimension, SplitAxis rule)
      : rows_(std::move(rows)), ids_(std::move(ids)), d_(dimension), rule_(rule) {}

  void run(int ranks) {
    ranks_ = ranks;
    of_rank.resize(static_cast<std::size_t>(ranks));
    std::vector<std::size_t> all(ids_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    divide(all, 0, ranks, 0);
  }

  std::vector<std::vector<std::int64_t>> of_rank;  ///< ids, ascending
  std::vector<mpi::DomainSplit> splits;

 private:
  std::size_t before(int rank) const {
    return ids_.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks_);
  }

  void divide(std::vector<std::size_t> points, int begin, int end, int depth) {
    if (end - begin == 1) {
      auto& ids = of_rank[static_cast<std::size_t>(begin)];
      for (const std::size_t i : points) ids.push_back(ids_[i]);
      std::ranges::sort(ids);
      return;
    }
    const int middle = begin + (end - begin + 1) / 2, axis = axis_of(points, depth);
    const auto key = [&](std::size_t i) { return std::pair(at(i, axis), ids_[i]); };
    std::ranges::sort(points, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    const auto cut = static_cast<std::ptrdiff_t>(before(middle) - before(begin));
    const bool is_there = points.begin() + cut != points.end();
    splits.push_back({begin, middle, end, is_there ? axis : -1,
                      is_there ? at(points[static_cast<std::size_t>(cut)], axis) : 0,
                      static_cast<std::uint64_t>(cut),
                      points.size() - static_cast<std::size_t>(cut)});
    divide({points.begin(), points.begin() + cut}, begin, middle, depth + 1);
    divide({points.begin() + cut, points.end()}, middle, end, depth + 1);
  }

  double at(std::size_t i, int axis) const {
    return rows_[i * static_cast<std::size_t>(d_) + static_cast<std::size_t>(axis)];
  }

  int axis_of(const std::vector<std::size_t>& points, int depth) const {
    if (rule_ == SplitAxis::cyclic || points.empty()) return points.empty() ? 0 : depth % d_;
    int best = 0;
    T widest = -1;
    for (int axis = 0; axis < d_; ++axis) {
      const auto [least, most] =
          std::ranges::minmax(points, {}, [&](std::size_t i) { return at(i, axis); });
      const T extent = static_cast<T>(at(most, axis)) - static_cast<T>(at(least, axis));
      if (extent > widest) best = axis;
      widest = std::max(widest, extent);
    }
    return best;
  }

  std::vector<double> rows_;
  std::vector<std::int64_t> ids_;
  int d_, ranks_ = 1;
  SplitAxis rule_;
};

template <class T>
void check_cells(MPI_Comm comm, Draw& draw) {
  const int rank = rank_of(comm), ranks = size_of(comm);
  const int dimension = draw.one_of({1, 2, 2, 3, 5});
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const std::size_t n = draw.below(4) == 0 ? draw.below(20) : draw.below(900);
  const PointSet<T> set = scene_points<T>(shape, dimension, n, draw.below(1000));
  const Scene<T> scene(set, dealt(set, deal, ranks, draw.below(1000)), ranks);
  const bool has_ids = draw.below(2) == 0;
  const auto id = [&](std::size_t i) {
    return static_cast<std::int64_t>(has_ids ? (n - i) * 1000003 + (std::size_t{1} << 40) : i);
  };
  TreeOptions options{.box = scene_box(static_cast<Space>(draw.below(3)), dimension),
                      .split_axis = draw.below(3) == 0 ? SplitAxis::cyclic : SplitAxis::widest};
  std::vector<std::int64_t> ids, mine;
  for (std::size_t i = 0; i < n; ++i) ids.push_back(id(i));
  for (std::size_t i = 0; has_ids && i < scene.part(rank).size; ++i)
    mine.push_back(id(scene.begin(rank) + i));
  const auto domains = mpi::Domains::kd(comm, scene.part(rank), {options, mine}, {.threads = 1});

  const AnyTree tree(scene.all.view(), options, {.threads = 1});
  const std::vector<std::int64_t> order = tree.order();
  const std::vector<double> sorted = tree.coordinates();
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<double> rows(n * d);
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(sorted.data() + i * d, d, rows.data() + static_cast<std::size_t>(order[i]) * d);
  Cells<T> cells(rows, ids, dimension, options.split_axis);
  cells.run(ranks);

  std::vector<std::int64_t> found = domains.global_index();
  std::ranges::sort(found);
  ASSERT_EQ(found, cells.of_rank[static_cast<std::size_t>(rank)]);
  ASSERT_EQ(domains.splits().size(), cells.splits.size());
  for (const mpi::DomainSplit& expected : cells.splits) {
    const auto split = std::ranges::find_if(domains.splits(), [&](const mpi::DomainSplit& s) {
      return s.begin == expected.begin && s.end == expected.end;
    });
    ASSERT_NE(split, domains.splits().end());
    ASSERT_EQ(split->middle, expected.middle);
    ASSERT_EQ(split->lesser, expected.lesser);
    ASSERT_EQ(split->greater, expected.greater);
    ASSERT_EQ(split->axis, expected.axis);
    ASSERT_EQ(split->value, expected.value);
  }
}

TEST(KdDomains, AreTheCellsOfOneProcess) {
  check_cases(12, []<class T>(MPI_Comm comm, std::uint64_t seed, int) {
    Draw draw(seed);
    check_cells<T>(comm, draw);
  });
}

/// More points than a counting range has, none of them different, or all on one rank.
TEST(KdDomains, AreBalancedToOnePoint) {
  on_ranks(std::min(7, world_size()), [&](MPI_Comm comm) {
    const int ranks = size_of(comm), rank = rank_of(comm);
    for (const Shape shape : {Shape::uniform, Shape::all_equal, Shape::outlier})
      for (const SplitAxis rule : {SplitAxis::widest, SplitAxis::cyclic, SplitAxis::variance}) {
        const auto set = scene_points<float>(shape, 3, 40001, 4);
        const Scene<float> scene(set, dealt(set, Deal::one_has_all, ranks, 1), ranks);
        const auto domains =
            mpi::Domains::kd(comm, scene.part(rank), {{.split_axis = rule}}, {.threads = 2});
        const std::size_t mean = 40001 / static_cast<std::size_t>(ranks);
        EXPECT_GE(domains.size(), mean);
        EXPECT_LE(domains.size(), mean + 1);
        ASSERT_EQ(domains.splits().size(), static_cast<std::size_t>(ranks - 1));
        const std::vector<double> x = domains.coordinates();
        for (const mpi::DomainSplit& split : domains.splits())
          for (std::size_t i = 0; i < domains.size(); ++i) {
            const double at = x[3 * i + static_cast<std::size_t>(split.axis)];
            const bool is_lesser = rank >= split.begin && rank < split.middle;
            const bool is_greater = rank >= split.middle && rank < split.end;
            ASSERT_TRUE(!is_lesser || at <= split.value);
            ASSERT_TRUE(!is_greater || at >= split.value);
          }
      }
  });
}

}  // namespace
}  // namespace kith::test
