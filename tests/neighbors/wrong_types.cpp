// Calls that must not compile: a tree of one scalar type asked for the other. refused.py compiles
// this file once for each number, and once without any, which must succeed.
#include <array>
#include <vector>

#include <kith/kith.hpp>

void call(const std::vector<std::array<double, 3>>& points,
          const std::vector<std::array<float, 3>>& floats, const kith::AnyTree& any) {
  const kith::Tree tree(points);
  kith::knn(tree, {.k = 1});
#if WRONG == 1
  kith::knn<float>(tree, {.k = 1});
#elif WRONG == 2
  kith::knn(tree, floats, {.k = 1});
#elif WRONG == 3
  kith::knn_into(tree, {.k = 1}, kith::NeighborRows<float, int>());
#elif WRONG == 4
  kith::KnnSearcher<float>(tree, {.k = 1});
#elif WRONG == 5
  kith::radius<float>(tree, {.radius = 1});
#elif WRONG == 6
  kith::for_each_pair(tree, {.radius = 1}, [](const kith::Neighborhood<float>&) {});
#elif WRONG == 7
  kith::Tree<float> other(tree);
#elif WRONG == 8
  kith::Tree<float> other(points);
#elif WRONG == 9
  kith::knn(any, {.k = 1});  // whose type is not known here
#elif WRONG == 10
  kith::Tree unknown(kith::PointsView{});
#endif
  kith::knn<double>(any, points, {.k = 1});
  kith::Tree<float>(any).visit([](const auto& typed) { kith::knn(typed, {.k = 1}); });
  kith::Tree other(floats);
}
