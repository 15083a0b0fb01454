// Friends of friends among points whose distances span many orders of magnitude, fractals, curves
// and surfaces.
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <vector>

#include <kith/kith.hpp>

#include "groups/brute.hpp"
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

}  // namespace
}  // namespace kith
