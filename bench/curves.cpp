// Which curve for which dimension? For uniform points: the mean number of leaves that the ball of
// the 16 nearest neighbors of a point touches (the work of a query), and the time of the build.
//
//   build/release/bench/bench_curves
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include <kith/kith.hpp>

namespace {

constexpr std::size_t kPoints = 100000;
constexpr int kQueries = 200, kNeighbors = 16;

double squared(double x) { return x * x; }

/// The squared distance of the k-th nearest point.
double reach2(const std::vector<float>& x, std::size_t d, const float* query) {
  std::vector<double> d2(kPoints, 0);
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t axis = 0; axis < d; ++axis) d2[i] += squared(x[i * d + axis] - query[axis]);
  std::nth_element(d2.begin(), d2.begin() + kNeighbors - 1, d2.end());
  return d2[kNeighbors - 1];
}

double leaves_in_reach(const kith::AnyTree& tree, const std::vector<float>& x) {
  const std::size_t d = static_cast<std::size_t>(tree.dimension());
  std::vector<kith::Node> leaves;
  for (std::size_t i = 0; i < tree.nodes(0); ++i) leaves.push_back(tree.node(0, i));
  double count = 0;
  for (int query = 0; query < kQueries; ++query) {
    const float* q = x.data() + static_cast<std::size_t>(query) * (kPoints / kQueries) * d;
    const double r2 = reach2(x, d, q);
    for (const kith::Node& leaf : leaves) {
      double gap2 = 0;
      for (std::size_t axis = 0; axis < d; ++axis)
        gap2 += squared(std::max({leaf.lower[axis] - q[axis], q[axis] - leaf.upper[axis], 0.0}));
      count += gap2 <= r2 ? 1 : 0;
    }
  }
  return count / kQueries;
}

void measure(int dimension, kith::Curve curve, const std::vector<float>& x) {
  double best = 1e9;
  const kith::PointsView points = kith::view(x.data(), kPoints, dimension);
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const kith::AnyTree tree(points, {.curve = curve}, {.threads = 1});
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const kith::AnyTree tree(points, {.curve = curve});
  std::printf("%9d  %-8s %17.1f %10.1f ms\n", dimension, curve == kith::Curve::z ? "z" : "hilbert",
              leaves_in_reach(tree, x), best * 1e3);
}

}  // namespace

int main() {
  std::printf("dimension  curve    leaves per query      build\n");
  for (const int dimension : {2, 3, 4, 6, 8, 12}) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> x(kPoints * static_cast<std::size_t>(dimension));
    for (float& value : x) value = uniform(random);
    for (const kith::Curve curve : {kith::Curve::hilbert, kith::Curve::z})
      measure(dimension, curve, x);
  }
}
