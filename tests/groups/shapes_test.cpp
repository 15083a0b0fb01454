// Friends of friends among points whose distances span many orders of magnitude, fractals, curves
// and surfaces.
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include <kith/kith.hpp>

#include "groups/brute.hpp"
#include "groups/support.hpp"
#include "support/exact_cases.hpp"

namespace kith {
namespace {

template <class T>
void check(const std::string& name) {
  const auto made = test::Shapes(900).make(name);
  const std::vector<T> x(made.begin(), made.end());
  const auto points = view(x.data(), x.size() / 3, 3);
  for (const double length : {1e-25, 1e-12, 1e-5, 0.004, 0.05}) {
    SCOPED_TRACE(name + ", linking length " + std::to_string(length));
    const FofOptions options{.linking_length = length};
    const Groups groups = fof(points, options);
    const auto expected = brute_fof(points, options);
    test::ExactCases::count();
    for (std::size_t i = 0; i < expected.label.size(); ++i)
      ASSERT_EQ(groups.label()[i], expected.label[i]) << "point " << i;
  }
}

TEST(Shapes, GroupsEqualTheirDefinition) {
  for (const std::string& name : test::Shapes::names()) {
    check<float>(name);
    check<double>(name);
    if (HasFatalFailure()) return;
  }
}

/// Two tilted planes, or lines in two dimensions, `gap` apart: each point of one is opposite to one
/// of the other. All points of a plane are linked. Two opposite points are only `least` apart.
template <class T>
std::vector<T> opposite_planes(int dimension, double gap, double least) {
  std::mt19937_64 bits(3);
  auto unit = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<T> x;
  for (int i = 0; i < 500; ++i) {
    const double u = unit() / 2, v = unit() / 2;
    for (const double w : {0.0, i == 250 ? least : gap}) {
      // Along (2, 2, 1) and (-2, 1, 2), away from them along (1, -2, 2) / 3; in two dimensions
      // along (3, 4), away from it along (4, -3) / 5.
      const std::vector<double> point =
          dimension == 2
              ? std::vector{3 * u + 0.8 * w, 4 * u - 0.6 * w}
              : std::vector{2 * u - 2 * v + w / 3, 2 * u + v - 2 * w / 3, u + 2 * v + 2 * w / 3};
      for (const double value : point) x.push_back(static_cast<T>(value));
    }
  }
  return x;
}

template <class T>
void check_planes(int dimension) {
  constexpr double kUnit = sizeof(T) == sizeof(float) ? 6e-8 : 1.1e-16;
  for (const double scale : {1.0, 1e-11}) {
    for (const double gap : {0.0, 10.0, 40.0, 1e3, 1e5}) {
      for (const double least : {-10.0, -2.0, 0.0, 2.0}) {
        auto x = opposite_planes<T>(dimension, 1 + gap * kUnit, 1 + least * kUnit);
        for (T& value : x) value *= static_cast<T>(scale);
        const auto points =
            view(x.data(), x.size() / static_cast<std::size_t>(dimension), dimension);
        SCOPED_TRACE(std::to_string(gap) + " rounding units apart, two points " +
                     std::to_string(least) + ", scale " + std::to_string(scale));
        const FofOptions options{.linking_length = scale};
        test::ExactCases::count();
        ASSERT_EQ(test::to_vector(fof(points, options).label()), brute_fof(points, options).label);
      }
    }
  }
}

/// Nodes on two sides of a gap are separated by planes; a gap within the rounding must not be one.
TEST(Shapes, SurfacesThatAlmostTouch) {
  for (const int dimension : {2, 3}) {
    check_planes<float>(dimension);
    check_planes<double>(dimension);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace kith
