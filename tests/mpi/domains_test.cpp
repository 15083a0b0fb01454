// Domains: balance, boxes, threads, payload, one frame, dropped points, ids.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <sched.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/domains/domain.hpp"
#include "mpi/scenes.hpp"
#include "mpi/transport/call.hpp"
#include "mpi/transport/communicator.hpp"
#include "tree/tree_impl.hpp"

namespace kith::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Domains, AreBalanced) {
  for (const int ranks : rank_counts())
    on_ranks(ranks, [&](MPI_Comm comm) {
      for (int shape = 0; shape < static_cast<int>(Shape::count); ++shape)
        for (const Builder builder : {Builder::packed, Builder::cells})
          for (const std::size_t n : {std::size_t{3}, std::size_t{5000}}) {
            if (ranks > 2 && (n == 3) == (shape % 2 == 0)) continue;  // half of them, for time
            const auto set = scene_points<float>(static_cast<Shape>(shape), 3, n, 4);
            const Scene<float> scene(set, dealt(set, Deal::one_has_all, ranks, 1), ranks);
            TreeOptions options{.builder = builder, .max_leaf_size = 16};
            const auto domains =
                mpi::Domains::curve(comm, scene.part(rank_of(comm)), {options}, {.threads = 1});
            const double mean = static_cast<double>(n) / ranks;
            const double leaf = builder == Builder::packed ? 8 : 16;
            EXPECT_LE(std::abs(static_cast<double>(domains.size()) - mean),
                      std::max(0.05 * mean, leaf) + 1)
                << "shape " << shape << " n " << n << " ranks " << ranks;
          }
    });
}

enum class Weights { smooth, zero, few, tiny, count };

/// Of n points.
std::vector<double> weights_of(Weights kind, const PointSet<float>& set) {
  std::vector<double> weight;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const double x = set.row(i)[0];
    weight.push_back(kind == Weights::smooth ? 1 + 9 * x * x
                     : kind == Weights::few  ? (i % 500 == 3 ? 1e300 : 0)
                     : kind == Weights::tiny ? (i % 2 == 0 ? 5e-324 : 1.5e-323)
                                             : 0);
  }
  return weight;
}

TEST(Domains, AreBalancedByWeight) {
  for (const int ranks : at_most_all({1, 2, 3, 7, 16}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      for (int kind = 0; kind < static_cast<int>(Weights::count); ++kind)
        for (const Shape shape : {Shape::uniform, Shape::clustered, Shape::all_equal})
          for (const Builder builder : {Builder::packed, Builder::cells}) {
            const auto set = scene_points<float>(shape, 3, 6000, 4);
            const Scene<float> scene(set, dealt(set, Deal::some_empty, ranks, 1), ranks);
            const auto all = weights_of(static_cast<Weights>(kind), scene.all);
            const int rank = rank_of(comm);
            const PointsView part = scene.part(rank);
            const std::span<const double> mine(all.data() + scene.begin(rank), part.size);
            const auto domains = mpi::Domains::curve(
                comm, part, {.tree = {.builder = builder, .max_leaf_size = 16}, .weight = mine},
                {.threads = 1});
            // Without any weight: by number. Scaled, so that sums are finite.
            const bool is_zero = kind == static_cast<int>(Weights::zero);
            const auto scaled = [&](double w) { return is_zero ? 1 : w / all[3]; };
            double total = 0, most = 0, own = 0;
            for (const double w : all) total += scaled(w), most = std::max(most, scaled(w));
            for (const double w : domains.to_tree_order(mine)) own += scaled(w);
            // A leaf on either end.
            const double leaf = builder == Builder::packed ? 8 : 16;
            const double mean = total / ranks;
            EXPECT_LE(std::abs(own - mean), 0.1 * mean + leaf * most)
                << "weights " << kind << " shape " << static_cast<int>(shape) << " ranks " << ranks;
          }
    });
}

/// Great weights in one corner: the ranks there have few points.
TEST(Domains, FollowWeights) {
  on_ranks(std::min(4, world_size()), [&](MPI_Comm comm) {
    const int ranks = size_of(comm), rank = rank_of(comm);
    if (ranks == 1) return;
    const auto set = scene_points<float>(Shape::uniform, 2, 4000, 4);
    const Scene<float> scene(set, dealt(set, Deal::random, ranks, 1), ranks);
    std::vector<double> weight;
    for (std::size_t i = 0; i < scene.part(rank).size; ++i) {
      const float* x = scene.all.row(scene.begin(rank) + i);
      weight.push_back(x[0] < 0.25f && x[1] < 0.25f ? 1000.0 : 1.0);
    }
    const auto domains = mpi::Domains::curve(comm, scene.part(rank), {.weight = weight});
    std::int64_t least = static_cast<std::int64_t>(domains.size());
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, comm);
    EXPECT_LT(least, 4000 / ranks / 2);
  });
}

/// Rows, labels and catalogues with weights are those without.
TEST(Domains, WeightsChangeNoResult) {
  for (const int ranks : at_most_all({1, 2, 3, 7, 16}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const int rank = rank_of(comm);
      for (int number = 0; number < (ranks > 3 ? 6 : 12); ++number) {
        const auto shape = static_cast<Shape>(number % static_cast<int>(Shape::count));
        const auto seed = static_cast<std::uint64_t>(number);
        const auto set = scene_points<float>(shape, 3, 700, seed);
        const auto deal = static_cast<Deal>(number % static_cast<int>(Deal::count));
        const Scene<float> scene(set, dealt(set, deal, ranks, seed), ranks);
        const PointsView part = scene.part(rank);
        const auto all = weights_of(static_cast<Weights>(number % 4), scene.all);
        const mpi::DomainOptions plain{
            .tree = {.builder = number % 2 == 0 ? Builder::packed : Builder::cells}};
        mpi::DomainOptions weighted = plain;
        weighted.weight = {all.data() + scene.begin(rank), part.size};
        const auto one = mpi::Domains::curve(comm, part, plain, {.threads = 1});
        const auto other = mpi::Domains::curve(comm, part, weighted, {.threads = 2});
        const auto rows = mpi::knn(one, {.k = 4}), others = mpi::knn(other, {.k = 4});
        ASSERT_EQ(rows.size(), others.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t n = 0; n < 4; ++n) {
            ASSERT_EQ(rows.index(i)[n], others.index(i)[n]);
            ASSERT_EQ(rows.distance(i)[n], others.distance(i)[n]);
          }
        const FofOptions options{.linking_length = 0.05, .min_size = 2};
        const auto groups = mpi::fof(one, options), other_groups = mpi::fof(other, options);
        ASSERT_TRUE(std::ranges::equal(groups.label(), other_groups.label()));
        ASSERT_TRUE(std::ranges::equal(groups.sizes(), other_groups.sizes()));
        const auto halos = mpi::catalogue(one, part, groups);
        const auto other_halos = mpi::catalogue(other, part, other_groups);
        ASSERT_EQ(halos.center, other_halos.center);
        ASSERT_EQ(halos.mass, other_halos.mass);
      }
    });
}

/// All that a rank knows of another: 64 boxes at most, around all its points, each with their
/// number.
TEST(Domains, AreKnownBy64Boxes) {
  on_ranks(std::min(5, world_size()), [](MPI_Comm comm) {
    const int ranks = size_of(comm), rank = rank_of(comm);
    for (const Shape shape : {Shape::clustered, Shape::uniform, Shape::all_equal}) {
      const auto set = scene_points<float>(shape, 3, 20000, 4);
      const Scene<float> scene(set, dealt(set, Deal::random, ranks, 1), ranks);
      const auto domains = mpi::Domains::curve(comm, scene.part(rank), {}, {.threads = 1});
      const auto& part = impl_of(domains).as<float>();
      std::vector<std::size_t> boxes(static_cast<std::size_t>(ranks));
      std::uint64_t points = 0, mine = 0;
      for (std::size_t i = 0; i < part.boxes.size(); ++i) {
        ++boxes[part.boxes.owner[i]];
        points += part.boxes.points[i];
        if (part.boxes.owner[i] == static_cast<std::uint32_t>(rank)) mine += part.boxes.points[i];
      }
      EXPECT_LE(*std::max_element(boxes.begin(), boxes.end()), 64u);
      EXPECT_EQ(points, domains.total());
      EXPECT_EQ(mine, domains.size());
      const Axes<3> axes(3);
      std::size_t outside = 0;
      for (std::size_t i = 0; i < domains.size(); ++i) {
        float x[3];
        part.view().load(i, axes, x);
        bool is_inside = false;
        for (std::size_t j = 0; j < part.boxes.size() && !is_inside; ++j) {
          const auto box = part.boxes.box(j, axes);
          is_inside = part.boxes.owner[j] == static_cast<std::uint32_t>(rank);
          for (int axis = 0; axis < 3; ++axis)
            is_inside = is_inside && box.lo[axis] <= x[axis] && x[axis] <= box.hi[axis];
        }
        outside += is_inside ? 0 : 1;
      }
      EXPECT_EQ(outside, 0u);
    }
  });
}

/// With threads = 0: the CPUs that the ranks of a machine may use, divided by the ranks.
TEST(Domains, ShareTheCpus) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int cpus = CPU_COUNT(&allowed);
  const auto threads = [](MPI_Comm comm) {
    mpi::Communicator communicator(comm);
    const Execution execution;
    return mpi::Call("test", communicator, execution).inner().threads;
  };
  for (const int ranks : at_most_all({1, 2, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      EXPECT_EQ(threads(comm), std::max(1, cpus / size_of(comm)));
      // A launcher that gives each rank one CPU.
      int cpu = -1;
      for (int i = -1; i < rank_of(comm) % cpus;) i += CPU_ISSET(++cpu, &allowed) ? 1 : 0;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      EXPECT_EQ(threads(comm), 1);
      sched_setaffinity(0, sizeof allowed, &allowed);
    });
}

template <class Make>
void expect_carried(MPI_Comm comm, bool has_ids, Make make) {
  const int size = size_of(comm), rank = rank_of(comm);
  const auto set = scene_points<double>(Shape::clustered, 3, 500, 4);
  const Scene<double> scene(set, dealt(set, Deal::some_empty, size, 1), size);
  const PointsView part = scene.part(rank);
  struct Payload {
    std::int64_t index;
    float mass, velocity[3];
  };
  std::vector<Payload> values(part.size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {static_cast<std::int64_t>(scene.begin(rank) + i), 1.5f, {float(i), 0, 1}};
  std::vector<std::int64_t> ids;  // in the opposite order
  for (const Payload& value : values)
    if (has_ids) ids.push_back(1000 - value.index);
  const mpi::Domains domains = make(comm, part, mpi::DomainOptions{.ids = ids});
  const auto there = domains.to_tree_order(std::span<const Payload>(values));
  const auto global = domains.global_index();
  const auto x = domains.coordinates();
  ASSERT_EQ(there.size(), domains.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    const std::int64_t index = there[i].index;
    ASSERT_EQ(has_ids ? 1000 - index : index, global[i]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      ASSERT_EQ(x[3 * i + axis], scene.all.row(static_cast<std::size_t>(index))[axis]);
  }
  const auto back = domains.to_input_order(std::span<const Payload>(there));
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back[i].index, values[i].index);
    ASSERT_EQ(back[i].velocity[0], values[i].velocity[0]);
  }
}

TEST(Domains, CarryValuesThereAndBack) {
  using mpi::Domains;
  for (const int ranks : at_most_all({1, 3, 8}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      for (const bool has_ids : {false, true}) {
        const auto with = [](auto how) {
          return [=](MPI_Comm on, const PointsView& points, const mpi::DomainOptions& options) {
            return how(on, points, options, Execution{.threads = 1});
          };
        };
        expect_carried(comm, has_ids, with(Domains::curve));
        expect_carried(comm, has_ids, with(Domains::kd));
        expect_carried(comm, has_ids, with(Domains::keep));
      }
    });
}

/// Tiny numbers on one rank, huge ones on another: all live in the frame that one process takes.
TEST(Domains, HaveOneFrame) {
  on_ranks(std::min(3, world_size()), [&](MPI_Comm comm) {
    const int size = size_of(comm), rank = rank_of(comm);
    std::vector<int> deal;
    auto set = make_set<float>("scales", 3, 90, [&](std::size_t i, int axis) {
      return std::ldexp(
          1.0 + 0.01 * static_cast<double>((i * 7 + static_cast<std::size_t>(axis) * 3) % 11),
          static_cast<int>(i % 3) * 60 - 60);
    });
    for (std::size_t i = 0; i < 90; ++i) deal.push_back(static_cast<int>(i % 3) % size);
    const Scene<float> scene(set, deal, size);
    const AnyTree tree(scene.all.view());
    const auto reference = knn<float, std::int64_t>(tree, {.k = 5});
    const auto rows = mpi::knn(comm, scene.part(rank), {.k = 5});
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t n = 0; n < 5; ++n) {
        ASSERT_EQ(rows.index(i)[n], reference.index(scene.begin(rank) + i)[n]);
        ASSERT_EQ(rows.distance(i)[n], reference.distance(scene.begin(rank) + i)[n]);
      }
  });
}

TEST(Domains, DropPoints) {
  on_ranks(std::min(4, world_size()), [&](MPI_Comm comm) {
    const int size = size_of(comm), rank = rank_of(comm);
    auto set = scene_points<double>(Shape::uniform, 2, 200, 4);
    for (std::size_t i = 0; i < 200; i += 9) set.x[2 * i] = kNan;
    const Scene<double> scene(set, dealt(set, Deal::random, size, 1), size);
    const TreeOptions options{.non_finite = NonFinite::drop};
    const auto reference = knn<double, std::int64_t>(AnyTree(scene.all.view(), options), {.k = 4});
    for (const bool is_kept : {false, true}) {
      const auto domains = is_kept ? mpi::Domains::keep(comm, scene.part(rank), {options})
                                   : mpi::Domains::curve(comm, scene.part(rank), {options});
      EXPECT_EQ(domains.total(), 200u - 23u);
      const auto rows = mpi::knn<double>(domains, {.k = 4});
      ASSERT_EQ(rows.size(), scene.part(rank).size);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t n = 0; n < 4; ++n)
          ASSERT_EQ(rows.index(i)[n], reference.index(scene.begin(rank) + i)[n]);
    }
  });
}

/// Ids in no order decide ties: the point of the lowest id comes first.
TEST(Domains, IdsDecideTies) {
  on_ranks(std::min(5, world_size()), [&](MPI_Comm comm) {
    const int rank = rank_of(comm), size = size_of(comm);
    const std::size_t n = 20;
    const std::vector<float> x(3 * n, 0.5f);
    std::vector<std::int64_t> ids;
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < n; ++i)
      ids.push_back(huge - static_cast<std::int64_t>(i) * size - rank);
    const auto domains = mpi::Domains::curve(comm, view(x.data(), n, 3), {.ids = ids});
    const auto rows = mpi::knn(domains, {.k = 6});
    const auto first = huge - static_cast<std::int64_t>(n) * size + 1;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 6; ++k)
        ASSERT_EQ(rows.index(i)[k], first + static_cast<std::int64_t>(k));
  });
}

/// The leaves of a tree of cells: the index of the first point, and how many there are.
template <class T, class Name>
std::map<std::int64_t, std::size_t> leaves_of(const Planes<T>& planes, Name name) {
  std::map<std::int64_t, std::size_t> leaves;
  for (std::size_t i = 0; !planes.planes.empty() && i < planes.planes[0].nodes; ++i) {
    const std::size_t begin = planes.planes[0].first[i], end = planes.planes[0].first[i + 1];
    leaves[name(planes.index(begin))] = end - begin;
  }
  return leaves;
}

/// Ranks agree on the cells that are too large, and cut no leaf in two.
TEST(Domains, HaveTheCellsOfOneProcess) {
  for (const int ranks : at_most_all({2, 3, 8}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const int size = size_of(comm), rank = rank_of(comm);
      for (const Shape shape : {Shape::uniform, Shape::clustered, Shape::two_far_clusters})
        for (const double ratio : {0.0, 2.0, 50.0}) {
          const auto set = scene_points<float>(shape, 3, 3000, 4);
          const Scene<float> scene(set, dealt(set, Deal::random, size, 1), size);
          const TreeOptions options{
              .builder = Builder::cells, .max_leaf_size = 16, .max_volume_ratio = ratio};
          const AnyTree tree(scene.all.view(), options, {.threads = 1});
          const auto all = leaves_of(impl_of(tree).as<float>().planes,
                                     [](std::uint32_t i) { return std::int64_t{i}; });
          const auto weight = weights_of(Weights::few, scene.all);
          mpi::DomainOptions how{options};
          if (ratio == 2) how.weight = {weight.data() + scene.begin(rank), scene.part(rank).size};
          const auto domains = mpi::Domains::curve(comm, scene.part(rank), how, {.threads = 1});
          const auto& part = impl_of(domains).as<float>();
          const auto mine = leaves_of(part.planes, [&](std::uint32_t i) {
            return static_cast<std::int64_t>(part.global[i]);
          });
          std::size_t wrong = 0;
          for (const auto& [first, points] : mine) {
            const auto at = all.find(first);
            if (at == all.end() || at->second != points) ++wrong;
          }
          EXPECT_EQ(wrong, 0u) << "shape " << static_cast<int>(shape) << " ratio " << ratio;
          std::int64_t sum = static_cast<std::int64_t>(mine.size());
          MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
          EXPECT_EQ(sum, static_cast<std::int64_t>(all.size()));
        }
    });
}

/// Messages beyond the largest are split.
TEST(Domains, SplitMessages) {
  const std::size_t largest = mpi::Communicator::largest_message;
  mpi::Communicator::largest_message = 100;
  on_ranks(std::min(4, world_size()), [&](MPI_Comm comm) {
    const int size = size_of(comm), rank = rank_of(comm);
    const auto set = scene_points<float>(Shape::uniform, 3, 400, 4);
    const Scene<float> scene(set, dealt(set, Deal::random, size, 1), size);
    const auto reference = knn<float, std::int64_t>(AnyTree(scene.all.view()), {.k = 8});
    const auto rows = mpi::knn(comm, scene.part(rank), {.k = 8});
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t n = 0; n < 8; ++n)
        ASSERT_EQ(rows.index(i)[n], reference.index(scene.begin(rank) + i)[n]);
  });
  mpi::Communicator::largest_message = largest;
}

}  // namespace
}  // namespace kith::test
