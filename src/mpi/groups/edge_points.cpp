#include "mpi/groups/edge_points.hpp"

#include <algorithm>

#include "neighbors/parts.hpp"
#include "walk/against_boxes.hpp"

namespace kith::mpi {

namespace {

/// `reach2`: one number, or ReachOfNodes.
template <class T, class Reach>
Subset<T> in_reach_of_others(const Part<T>& part, const Reach& reach2, int rank,
                             const Workers& workers) {
  const PlanesView<T> view = part.view();
  Array<std::uint8_t> mask(view.points, workers.pool());
  std::fill(mask.begin(), mask.end(), std::uint8_t{0});
  const std::vector<std::uint32_t> others =
      boxes_of_others(part.boxes.owner, static_cast<std::uint32_t>(rank));
  if (view.points > 0)
    with_dimension(view.dimension, [&]<int D>() {
      each_block_near(view, part.template metric<D>(), part.boxes, others, reach2,
                      [&](std::size_t block, const std::vector<std::uint32_t>&) {
                        std::fill_n(mask.data() + block * kLanes, view.points_of_block(block),
                                    std::uint8_t{1});
                      });
    });
  return Parts<T>::subset(part.planes, mask, workers);
}

}  // namespace

template <class T>
FarQueries<T> points_near_others(const Part<T>& part, T limit2, int rank, const Workers& workers) {
  FarQueries<T> result{in_reach_of_others(part, limit2, rank, workers), {}};
  result.reach2 = Array<T>(result.queries.position.size(), workers.pool());
  std::fill(result.reach2.begin(), result.reach2.end(), limit2);
  return result;
}

template <class T>
FarQueries<T> points_near_others(const Part<T>& part, const Array<T>& reach2, int rank,
                                 const Workers& workers) {
  const ReachOfNodes<T> of_nodes(part.view(), reach2.data());
  FarQueries<T> result{in_reach_of_others(part, of_nodes, rank, workers), {}};
  const Array<std::uint32_t>& position = result.queries.position;
  result.reach2 = Array<T>(position.size(), workers.pool());
  for (std::size_t i = 0; i < position.size(); ++i) result.reach2[i] = reach2[position[i]];
  return result;
}

#define KITH_INSTANTIATE(T)                                                          \
  template FarQueries<T> points_near_others(const Part<T>&, T, int, const Workers&); \
  template FarQueries<T> points_near_others(const Part<T>&, const Array<T>&, int, const Workers&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
