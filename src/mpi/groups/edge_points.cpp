#include "mpi/groups/edge_points.hpp"

#include <algorithm>

#include "neighbors/parts.hpp"
#include "walk/against_boxes.hpp"

namespace kith::mpi {

template <class T>
FarQueries<T> points_near_others(const Part<T>& part, T limit2, int rank, const Workers& workers) {
  const PlanesView<T> view = part.view();
  Array<std::uint8_t> mask(view.points, workers.pool());
  std::fill(mask.begin(), mask.end(), std::uint8_t{0});
  const std::vector<std::uint32_t> others =
      boxes_of_others(part.boxes.owner, static_cast<std::uint32_t>(rank));
  if (view.points > 0)
    with_dimension(view.dimension, [&]<int D>() {
      each_block_near(view, part.template metric<D>(), part.boxes, others, limit2,
                      [&](std::size_t block, const std::vector<std::uint32_t>&) {
                        std::fill_n(mask.data() + block * kLanes, view.points_of_block(block),
                                    std::uint8_t{1});
                      });
    });
  FarQueries<T> result{Parts<T>::subset(part.planes, mask, workers), {}};
  result.reach2 = Array<T>(result.queries.position.size(), workers.pool());
  std::fill(result.reach2.begin(), result.reach2.end(), limit2);
  return result;
}

template FarQueries<float> points_near_others(const Part<float>&, float, int, const Workers&);
template FarQueries<double> points_near_others(const Part<double>&, double, int, const Workers&);

}  // namespace kith::mpi
