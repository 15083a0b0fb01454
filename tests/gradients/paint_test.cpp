// Clouds in cells and their derivatives.
#include <numeric>

#include "gradients/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::dot;
using test::Numbers;
using test::random_numbers;

TEST(Paint, KeepsTheWeightAndPutsNodesWhereTheyAre) {
  const Numbers x{0.5, 2.25, 3.75}, w{1, 2, 4};
  const Numbers mesh = paint(view(x.data(), 3, 1), values(w), {Box::periodic(4), {4}});
  EXPECT_EQ(mesh, (Numbers{0.5 + 3, 0.5, 1.5, 0.5 + 1}));
  const Numbers corner{1, 2, -3};  // a node of a mesh of cells of side 1
  const Numbers cube = paint(view(corner.data(), 1, 3), {}, {Box::periodic(5), {5, 5, 5}});
  EXPECT_EQ(cube[1 * 25 + 2 * 5 + 2], 1);
  EXPECT_EQ(std::accumulate(cube.begin(), cube.end(), 0.0), 1);
}

TEST(Paint, AgainstFiniteDifferencesInEveryDimension) {
  for (int d = 1; d <= 4; ++d) {
    const std::size_t n = 30, width = static_cast<std::size_t>(d);
    MeshOptions mesh{Box::periodic(2.0).with_origin(-1.0), {}};
    std::size_t cells = 1;
    for (std::size_t axis = 0; axis < width; ++axis) {
      mesh.cells.push_back(3 + axis);
      cells *= 3 + axis;
    }
    const Numbers x = random_numbers(n * width, 1, -3, 3), w = random_numbers(n, 2);
    const Numbers c = random_numbers(cells, 3);
    const auto value = [&](const Numbers& at, const Numbers& weight) {
      return dot(paint(view(at.data(), n, d), values(weight), mesh), c);
    };
    Numbers by_place(x.size()), by_weight(n);
    paint_vjp(view(x.data(), n, d), values(w), mesh, c, by_place.data(), by_weight.data());
    test::expect_gradient([&](const Numbers& at) { return value(at, w); }, x, by_place, 1e-6);
    test::expect_gradient([&](const Numbers& weight) { return value(x, weight); }, w, by_weight);
    const Numbers dx = random_numbers(x.size(), 4), dw = random_numbers(n, 5);
    const Numbers moved = paint_jvp(view(x.data(), n, d), values(w), mesh, dx.data(), dw.data());
    EXPECT_NEAR(dot(moved, c), dot(dx, by_place) + dot(dw, by_weight), 1e-11);
  }
}

TEST(Paint, SameBitsForAnyNumberOfThreads) {
  const Numbers x = random_numbers(300000, 1, 0, 1), w = random_numbers(100000, 2);
  const MeshOptions mesh{Box::periodic(1), {32, 32, 32}};
  const Numbers one = paint(view(x.data(), 100000, 3), values(w), mesh, {.threads = 1});
  for (const int threads : {2, 5})
    EXPECT_EQ(paint(view(x.data(), 100000, 3), values(w), mesh, {.threads = threads}), one);
}

TEST(Paint, Errors) {
  const Numbers x(6, 0.5);
  test::expect_error(ErrorCode::invalid_argument, "a mesh is periodic", [&] {
    paint(view(x.data(), 3, 2), {}, {Box::open(), {4, 4}});
  });
  test::expect_error(ErrorCode::invalid_argument, "1 numbers of cells for 2 axes", [&] {
    paint(view(x.data(), 3, 2), {}, {Box::periodic(1), {4}});
  });
}

}  // namespace
}  // namespace kith
