// Random sets of every kind against the definition, with exact equality: dimension x scalar x box x
// linking length x builder x threads x SIMD target.
#include "support/property.hpp"

#include <cmath>
#include <sstream>

#include "groups/support.hpp"

namespace kith {
namespace {

using test::Draw;

/// A set of points with the box and the linking length that make it interesting.
template <class T>
struct Case {
  Draw& draw;
  std::mt19937_64& random;
  int dimension;
  T side;    ///< of the periodic axes, and the scale of everything
  T length;  ///< linking length
  std::vector<T> rows;

  Case(Draw& from, int d) : draw(from), random(from.random), dimension(d) {
    const double sides[] = {1, 128, 100, 0.37, 1e4, 1e-18, 1e17};
    side = static_cast<T>(sides[random() % std::size(sides)]);
    length = static_cast<T>(side * std::pow(10, -2.5 + 2.2 * unit()));
    const std::size_t n = 1 + random() % (random() % 8 == 0 ? 900 : 150);
    switch (random() % 9) {
      case 0: fill(n, [&](int) { return unit() * side; }); break;
      case 1: clumps(n); break;
      case 2: lattice(n); break;
      case 3: edge(n); break;
      case 4: wide(1 + n % 60); break;
      case 5: close_pairs(n); break;
      case 6: sheets(n); break;
      case 7: ties(n); break;
      default: outliers(n); break;
    }
  }

  test::PointSet<T> points() const { return draw.thinned<T>({"points", dimension, rows}); }

  Box box() {
    std::vector<double> sides;
    const auto mask = random();
    for (int axis = 0; axis < dimension; ++axis)
      sides.push_back(mask >> axis & 1 ? static_cast<double>(side) : 0.0);
    return Box::periodic(sides);
  }

 private:
  double unit() { return draw.uniform(); }
  double normal() { return draw.normal(); }

  template <class F>
  void fill(std::size_t n, F coordinate) {
    for (; n > 0; --n) add(coordinate);
  }
  template <class F>
  void add(F coordinate) {
    for (int axis = 0; axis < dimension; ++axis) rows.push_back(static_cast<T>(coordinate(axis)));
  }
  std::vector<double> anywhere() {
    std::vector<double> x;
    for (int axis = 0; axis < dimension; ++axis) x.push_back(random() % 3 ? unit() * side : 0);
    return x;
  }

  void clumps(std::size_t n) {
    const std::size_t count = 1 + random() % 8;
    for (std::size_t i = 0; i < count; ++i) {
      const auto center = anywhere();
      const double width = side * std::pow(10, -4 + 3 * unit());
      fill(n / count + 1,
           [&](int axis) { return center[static_cast<std::size_t>(axis)] + width * normal(); });
    }
    if (random() % 2) length = static_cast<T>(side * std::pow(10, -4 + 3 * unit()));
  }
  /// Spacing exactly the linking length, or one unit in the last place beside it.
  void lattice(std::size_t n) {
    const auto cells = 2 + random() % 9;
    length = side / static_cast<T>(cells);
    const T step = random() % 3 ? length : std::nextafter(length, random() % 2 ? side : T(0));
    fill(n, [&](int) { return static_cast<double>(random() % cells) * static_cast<double>(step); });
  }
  void edge(std::size_t n) {
    fill(n, [&](int) -> double {
      switch (random() % 6) {
        case 0: return 0;
        case 1: return std::nextafter(side, T(0));
        case 2: return side;
        case 3: return -0.0;
        case 4: return unit() * length * 2;
        default: return unit() * side;
      }
    });
  }
  /// Linking lengths of the order of the box and beyond.
  void wide(std::size_t n) {
    length = random() % 3 ? static_cast<T>(side * (0.1 + 1.2 * unit()))
                          : side / static_cast<T>(1 + random() % 6);
    fill(n, [&](int) { return unit() * side; });
  }
  void close_pairs(std::size_t n) {
    length = static_cast<T>(side * std::pow(10, -7.3 + 3 * unit()));
    for (n /= 2; n > 0; --n) {
      const auto center = anywhere();
      for (auto k = random() % 4; k < 4; ++k)
        add([&](int axis) {
          return center[static_cast<std::size_t>(axis)] +
                 static_cast<double>(length) * normal() * 0.6;
        });
    }
  }
  /// Dense sheets about a linking length apart.
  void sheets(std::size_t n) {
    length = static_cast<T>(side * (0.02 + 0.2 * unit()));
    const double gap = static_cast<double>(length) * (1 + (unit() - 0.5) * 0.02),
                 extent = unit() * 3;
    for (; n > 0; --n) {
      const double level = random() % 2 ? 0 : gap;
      add([&](int axis) { return 0.9 * side + (axis == 0 ? level : unit() * length * extent); });
    }
  }
  void ties(std::size_t n) {
    const auto cells = 1 + random() % 60;
    fill(n, [&](int) {
      return static_cast<double>(random() % cells) * side / static_cast<double>(cells);
    });
    length = static_cast<T>(side / static_cast<double>(cells) *
                            std::sqrt(1 + static_cast<double>(random() % 6)));
  }
  void outliers(std::size_t n) {
    fill(n, [&](int) { return side * (0.5 + 1e-5 * unit()); });
    fill(3, [&](int) { return unit() * side; });
    length = static_cast<T>(side * std::pow(10, -7 + 6 * unit()));
  }
};

TreeOptions cells_tree(std::mt19937_64& random, const Box& box) {
  TreeOptions options{.box = box, .builder = Builder::cells};
  options.max_leaf_size = static_cast<int>(1 + random() % 40);
  options.coarsening = static_cast<int>(2 + random() % 7);
  options.max_volume_ratio = random() % 2 ? 50 : 0;
  return options;
}

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.one_of({3, 2, 3, 1, 3, 2, 4, 7});
  Case<T> set(draw, dimension);
  const test::PointSet<T> kept = set.points();
  const PointsView points = kept.view();
  std::mt19937_64& random = draw.random;
  FofOptions options{
      .box = set.box(), .linking_length = static_cast<double>(set.length), .keep_roots = true};
  options.strict = random() % 4 == 0;
  options.min_size = std::size_t{1} << random() % 7;  // few groups and many are numbered apart
  const BruteGroups brute = brute_fof(points, options);
  const Execution execution{.threads = static_cast<int>(1 + random() % 3)};
  constexpr Curve kCurves[] = {Curve::automatic, Curve::hilbert, Curve::z, Curve::kd};
  const Curve curve = kCurves[random() % 4];
  const AnyTree packed(points, {.box = options.box, .curve = curve}, execution);
  const AnyTree cells(points, cells_tree(random, options.box), execution);
  FofOptions for_tree = options;
  for_tree.box = {};
  FofOptions without_roots = for_tree;
  without_roots.keep_roots = false;
  for (const std::string& target : available_targets()) {
    std::ostringstream name;
    name << "dimension " << dimension << ", " << 8 * sizeof(T) << " bits, " << target << ", "
         << points.size << " points, side " << set.side << ", length " << set.length << ", threads "
         << execution.threads;
    SCOPED_TRACE(name.str());
    force_target(target);
    test::expect_equal(fof(packed, for_tree, execution), brute);
    test::ExactCases::count();
    EXPECT_EQ(test::to_vector(fof(packed, without_roots, execution).label()), brute.label);
    test::expect_equal(fof(cells, for_tree, execution), brute);
  }
}

TEST(FofProperty, FloatsEqualTheDefinition) { test::for_cases(5000, check_case<float>); }
TEST(FofProperty, DoublesEqualTheDefinition) { test::for_cases(5000, check_case<double>); }

}  // namespace
}  // namespace kith
