// Gradients over ranks: the bits of one process.
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/group_checks.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class Number>
std::vector<Number> drawn(Draw& draw, std::size_t n) {
  std::vector<Number> numbers(n);
  for (Number& x : numbers) x = static_cast<Number>(draw.normal());
  return numbers;
}

/// A part of an array of one process, a few values a row, and what a rank has.
template <class Number>
void expect_part(const std::vector<Number>& own, const std::vector<Number>& all, std::size_t begin,
                 std::size_t width, const char* what) {
  ASSERT_LE(begin * width + own.size(), all.size()) << what;
  for (std::size_t i = 0; i < own.size(); ++i)
    ASSERT_EQ(std::memcmp(&own[i], &all[begin * width + i], sizeof(Number)), 0)
        << what << " " << i / width << ": " << own[i] << " for " << all[begin * width + i];
}

/// A case with points, perhaps queries, and lists of all ranks.
template <class T>
struct ListCase {
  Draw draw;
  int rank, ranks, dimension;
  Box box;
  std::unique_ptr<Scene<T>> points, queries;
  std::size_t k;
  std::vector<std::int64_t> index;

  /// `is_full`: with the most points.
  ListCase(MPI_Comm comm, std::uint64_t seed, std::size_t most, std::size_t neighbors, bool own,
           bool is_full = false)
      : draw(seed),
        rank(rank_of(comm)),
        ranks(size_of(comm)),
        dimension(1 + static_cast<int>(draw.below(3))),
        k(neighbors) {
    box = scene_box(static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count))),
                    dimension);
    points = scene(most, is_full);
    if (!own) queries = scene(most / 2, is_full);
    const Tree<T> tree(view(points->all), {.box = box}, {.threads = 2});
    const KnnOptions options{.k = k, .exclude_self = own && draw.below(2) == 0};
    const auto found = own ? knn<std::int64_t>(tree, options)
                           : knn<std::int64_t>(tree, view(queries->all), options);
    for (std::size_t row = 0; row < rows().all.size(); ++row)
      index.insert(index.end(), found.index(row).begin(), found.index(row).end());
  }

  static View<T> view(const PointSet<T>& set) {
    return kith::view(set.x.empty() ? nullptr : set.x.data(), set.size(), set.dimension);
  }
  std::unique_ptr<Scene<T>> scene(std::size_t most, bool is_full) {
    const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
    const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
    const std::size_t count = is_full ? most : draw.below(most);
    const PointSet<T> set = scene_points<T>(shape, dimension, count, draw.random());
    return std::make_unique<Scene<T>>(set, dealt(set, deal, ranks, draw.random()), ranks);
  }
  const Scene<T>& rows() const { return queries ? *queries : *points; }
  std::size_t first_row() const { return rows().begin(rank); }
  std::size_t first_point() const { return points->begin(rank); }
  std::size_t point_count() const { return points->part(rank).size; }
  std::size_t row_count() const { return rows().part(rank).size; }

  PairsOf all() const {
    PairsOf pairs{.points = points->all.view(), .box = box};
    if (queries) pairs.queries = not_null(queries->all.view());
    pairs.lists = lists_view(index.data(), rows().all.size(), k);
    return pairs;
  }
  PairsOf part() const {
    PairsOf pairs{.points = points->part(rank), .box = box};
    if (queries) pairs.queries = not_null(queries->part(rank));
    pairs.lists = lists_view(index.data() + first_row() * k, row_count(), k);
    return pairs;
  }
  /// Queries without rows are queries nevertheless.
  static PointsView not_null(PointsView view) {
    static const T none = 0;
    if (!view.data) view.data = &none;
    return view;
  }
};

template <class T>
void check_distances(MPI_Comm comm, ListCase<T>& c, int threads) {
  const auto d = static_cast<std::size_t>(c.dimension);
  const Execution execution{.threads = threads};
  const PairsOf all = c.all(), part = c.part();
  const auto cotangent = drawn<T>(c.draw, c.index.size());
  const bool has_queries = c.queries != nullptr;
  std::vector<T> points(c.points->all.size() * d),
      queries(has_queries ? c.rows().all.size() * d : 0);
  std::vector<T> own_points(c.point_count() * d), own_queries(has_queries ? c.row_count() * d : 0);
  distances_vjp<T>(all, cotangent.data(), {points.data(), queries.data()});
  mpi::distances_vjp<T>(comm, part, cotangent.data() + c.first_row() * c.k,
                        {own_points.data(), own_queries.data()}, execution);
  expect_part(own_points, points, c.first_point(), d, "points");
  if (has_queries) expect_part(own_queries, queries, c.first_row(), d, "queries");

  const auto moves = drawn<T>(c.draw, points.size()), shifts = drawn<T>(c.draw, queries.size());
  std::vector<T> change(c.index.size()), own_change(c.row_count() * c.k);
  for (const bool moves_points : {true, false}) {
    const T* own_moves = moves.data() + c.first_point() * d;
    distances_jvp<T>(all, {moves_points ? moves.data() : nullptr, shifts.data()}, change.data());
    mpi::distances_jvp<T>(comm, part,
                          {moves_points ? own_moves : nullptr,
                           has_queries ? shifts.data() + c.first_row() * d : nullptr},
                          own_change.data(), execution);
    expect_part(own_change, change, c.first_row(), c.k, "change");
  }
}

template <class T>
void check_density(MPI_Comm comm, ListCase<T>& c, int threads) {
  const auto d = static_cast<std::size_t>(c.dimension);
  const Execution execution{.threads = threads};
  const PairsOf all = c.all(), part = c.part();
  const std::size_t n = c.points->all.size(), first = c.first_point(), here = c.point_count();
  const bool has_mass = c.draw.below(2) == 0;
  std::vector<float> mass(n);
  for (float& m : mass) m = static_cast<float>(c.draw.uniform());
  ListDensityOptions options{.kernel = c.draw.below(2) == 0 ? SphKernel::cubic_spline
                                                            : SphKernel::wendland_c2};
  ListDensityOptions own_options = options;
  if (has_mass) options.mass = values(std::span<const float>(mass));
  if (has_mass) own_options.mass = values(std::span<const float>(mass).subspan(first, here));
  const auto cotangent = drawn<double>(c.draw, n);
  std::vector<T> points(n * d), own_points(here * d);
  std::vector<double> by_mass(n), own_by_mass(here);
  list_density_vjp<T>(all, options, cotangent.data(), {points.data(), by_mass.data()});
  mpi::list_density_vjp<T>(comm, part, own_options, cotangent.data() + first,
                           {own_points.data(), own_by_mass.data()}, execution);
  expect_part(own_points, points, first, d, "points");
  expect_part(own_by_mass, by_mass, first, 1, "masses");
  const auto moves = drawn<T>(c.draw, n * d);
  const auto heavier = drawn<double>(c.draw, n);
  expect_part(mpi::list_density_jvp<T>(comm, part, own_options, moves.data() + first * d,
                                       heavier.data() + first, execution),
              list_density_jvp<T>(all, options, moves.data(), heavier.data()), first, 1, "change");
  expect_part(mpi::list_density_jvp<T>(comm, part, own_options, moves.data() + first * d, nullptr,
                                       execution),
              list_density_jvp<T>(all, options, moves.data(), nullptr), first, 1,
              "change by place");
}

TEST(MpiGradients, OfDistancesHaveTheBitsOfOneProcess) {
  check_cases(12, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    Draw draw(seed + 7);
    ListCase<T> c(comm, seed, draw.below(4) == 0 ? 20 : 600, 1 + draw.below(12),
                  draw.below(2) == 0);
    check_distances(comm, c, threads);
  });
}

TEST(MpiGradients, OfDensitiesHaveTheBitsOfOneProcess) {
  check_cases(12, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    Draw draw(seed + 8);
    ListCase<T> c(comm, seed, draw.below(4) == 0 ? 20 : 600, 1 + draw.below(12), true);
    check_density(comm, c, threads);
  });
}

/// More pairs than a batch holds: batches begin and end on several ranks.
TEST(MpiGradients, OfManyPairsHaveTheBitsOfOneProcess) {
  for (const int ranks : at_most_all({1, 2, 3, 7, 16}))
    on_ranks(ranks, [](MPI_Comm comm) {
      for (const bool own : {true, false}) {
        // Sums of floats are exact in any order.
        ListCase<double> c(comm, 3, 45000, 14, own, true);
        ASSERT_GT(c.index.size(), own ? std::size_t{1} << 19 : std::size_t{1} << 18);
        check_distances(comm, c, 2);
        if (own) check_density(comm, c, 1);
      }
    });
}

// ---- halos

struct HaloArrays {
  std::vector<double> position, velocity, mass;
};

template <class T>
void check_halos(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), ranks = size_of(comm);
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const int dimension = 2 + static_cast<int>(draw.below(3));
  const auto d = static_cast<std::size_t>(dimension);
  const std::size_t n = draw.below(6) == 0 ? 10000 : draw.below(2000);
  const PointSet<T> set = scene_points<T>(shape, dimension, n, draw.random());
  const Scene<T> scene(set, dealt(set, deal, ranks, draw.random()), ranks);
  const Belongings<T> has(draw, dimension, n);
  const double separation = std::pow(static_cast<double>(n + 1), -1.0 / dimension);
  const FofOptions linking{.box = scene_box(space, dimension),
                           .linking_length = separation * draw.one_of({0.3, 0.6, 0.9}),
                           .min_size = draw.one_of<std::size_t>({1, 5})};
  const Execution execution{.threads = threads};
  const Groups reference = fof(scene.all.view(), linking, {.threads = 1});
  const kith::Members members = kith::members(reference);
  const std::size_t groups = members.count(), first = scene.begin(rank);
  const auto options_of = [&](std::size_t begin, std::size_t size) {
    const CatalogueOptions part = has.part(begin, size);
    return HaloOptions{.mass = part.mass, .velocity = part.velocity, .alpha = 0.7};
  };
  HaloOptions whole = options_of(0, n);
  whole.box = linking.box;
  const bool has_velocity = !has.velocity.x.empty();
  GroupValues cotangent;
  const auto give = [&](std::vector<double>& field, std::size_t width) {
    if (draw.below(2) == 0) field = drawn<double>(draw, groups * width);
  };
  give(cotangent.mass, 1);
  give(cotangent.center, d);
  if (has_velocity) give(cotangent.velocity, d);
  give(cotangent.inertia_radius, 1);
  if (has_velocity) give(cotangent.velocity_dispersion, 1);
  if (draw.below(2) == 0) give(cotangent.shape_tensor, d * d);
  if (draw.below(2) == 0) give(cotangent.shape, d);
  give(cotangent.decorated_mass, 1);
  const bool by_mass = draw.below(2) == 0;

  HaloArrays expected{std::vector<double>(n * d), std::vector<double>(n * d),
                      std::vector<double>(n)};
  halos_vjp(scene.all.view(), members, whole, cotangent,
            {expected.position.data(), has_velocity ? expected.velocity.data() : nullptr,
             by_mass ? expected.mass.data() : nullptr});

  const PointsView part = scene.part(rank);
  const mpi::DomainOptions tree{{.box = linking.box}};
  const auto domains = draw.below(3) == 0 ? mpi::Domains::keep(comm, part, tree, execution)
                                          : mpi::Domains::curve(comm, part, tree, execution);
  const auto found = mpi::fof(domains, linking, RowOrder::input, execution);
  const std::size_t row = static_cast<std::size_t>(found.first()), rows = found.sizes().size();
  const HaloOptions own_options = options_of(first, part.size);
  GroupValues own_cotangent;
  const auto cut = [&](const std::vector<double>& from, std::vector<double>& to,
                       std::size_t width) {
    if (!from.empty())
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(row * width),
                from.begin() + static_cast<std::ptrdiff_t>((row + rows) * width));
  };
  cut(cotangent.mass, own_cotangent.mass, 1);
  cut(cotangent.center, own_cotangent.center, d);
  cut(cotangent.velocity, own_cotangent.velocity, d);
  cut(cotangent.inertia_radius, own_cotangent.inertia_radius, 1);
  cut(cotangent.velocity_dispersion, own_cotangent.velocity_dispersion, 1);
  cut(cotangent.shape_tensor, own_cotangent.shape_tensor, d * d);
  cut(cotangent.shape, own_cotangent.shape, d);
  cut(cotangent.decorated_mass, own_cotangent.decorated_mass, 1);
  HaloArrays own{std::vector<double>(part.size * d), std::vector<double>(part.size * d),
                 std::vector<double>(part.size)};
  mpi::halos_vjp(domains, part, found, own_options, own_cotangent,
                 {own.position.data(), has_velocity ? own.velocity.data() : nullptr,
                  by_mass ? own.mass.data() : nullptr},
                 execution);
  expect_part(own.position, expected.position, first, d, "position");
  if (has_velocity) expect_part(own.velocity, expected.velocity, first, d, "velocity");
  if (by_mass) expect_part(own.mass, expected.mass, first, 1, "mass");

  const auto dx = drawn<double>(draw, n * d), dv = drawn<double>(draw, n * d),
             dm = drawn<double>(draw, n);
  const GroupValues change =
      halos_jvp(scene.all.view(), members, whole,
                {dx.data(), has_velocity ? dv.data() : nullptr, by_mass ? dm.data() : nullptr});
  const GroupValues own_change =
      mpi::halos_jvp(domains, part, found, own_options,
                     {dx.data() + first * d, has_velocity ? dv.data() + first * d : nullptr,
                      by_mass ? dm.data() + first : nullptr},
                     execution);
  ASSERT_EQ(own_change.mass.size(), rows);
  expect_part(own_change.mass, change.mass, row, 1, "mass");
  expect_part(own_change.center, change.center, row, d, "center");
  if (has_velocity && rows > 0) {
    expect_part(own_change.velocity, change.velocity, row, d, "mean velocity");
    expect_part(own_change.velocity_dispersion, change.velocity_dispersion, row, 1, "dispersion");
  }
  expect_part(own_change.inertia_radius, change.inertia_radius, row, 1, "radius");
  expect_part(own_change.shape_tensor, change.shape_tensor, row, d * d, "tensor");
  expect_part(own_change.shape, change.shape, row, d, "shape");
  expect_part(own_change.decorated_mass, change.decorated_mass, row, 1, "decorated mass");
}

TEST(MpiGradients, OfHalosHaveTheBitsOfOneProcess) {
  check_cases(14, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_halos<T>(comm, seed, threads);
  });
}

// ---- errors

template <class F>
void expect_refused(const char* words, F f) {
  try {
    f();
    ADD_FAILURE() << "no error: " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(MpiGradients, OfOneRankThatPassesNonsenseAreErrorsOnAll) {
  for (const int ranks : at_most_all({2, 5}))
    on_ranks(ranks, [](MPI_Comm comm) {
      const bool is_bad = rank_of(comm) == size_of(comm) - 1;
      const std::vector<double> x{0.1, 0.2, 0.3, 0.4};
      const PointsView points = view(x.data(), 4, 1);
      const std::int64_t far = is_bad ? 4 * size_of(comm) : 0;
      const std::vector<std::int64_t> good{0, 1, 2, 3}, bad{0, 1, 2, far};
      const std::vector<std::int64_t> offset{0, 1, 2, 3, 4};
      std::vector<double> c(4, 1.0), out(4);
      const auto lists = [&](const std::vector<std::int64_t>& index) {
        return PairsOf{.points = points, .lists = lists_view(index.data(), 4, 1)};
      };
      expect_refused("in a list, but all ranks have", [&] {
        mpi::distances_vjp<double>(comm, lists(bad), c.data(), {.points = out.data()});
      });
      expect_refused("3 lists for 4 queries", [&] {
        PairsOf pairs = lists(good);
        if (is_bad) pairs.lists.rows = 3;
        mpi::distances_jvp<double>(comm, pairs, {}, out.data());
      });
      expect_refused("lists of different lengths", [&] {
        PairsOf pairs = lists(good);
        pairs.lists = lists_view(good.data(), offset);
        mpi::distances_vjp<double>(comm, pairs, c.data(), {.points = out.data()});
      });
      const std::vector<double> mass{1, 2, 3, is_bad ? std::nan("") : 4};
      expect_refused("it must be finite", [&] {
        mpi::list_density_vjp<double>(comm, lists(good), {.mass = values(mass)}, c.data(),
                                      {.points = out.data()});
      });
      expect_refused("tangents on other ranks, but not here", [&] {
        mpi::distances_jvp<double>(comm, lists(good), {.points = is_bad ? nullptr : c.data()},
                                   out.data());
      });
      const auto domains = mpi::Domains::curve(comm, points);
      const auto groups = mpi::fof(domains, {.linking_length = 1});
      GroupValues cotangent;
      cotangent.mass.assign(groups.sizes().size() + (is_bad ? 1 : 0), 1.0);
      expect_refused("numbers of a field", [&] {
        mpi::halos_vjp(domains, points, groups, {}, cotangent, {.position = out.data()});
      });
      // The next call works.
      mpi::distances_vjp<double>(comm, lists(good), c.data(), {.points = out.data()});
    });
}

}  // namespace
}  // namespace kith::test
