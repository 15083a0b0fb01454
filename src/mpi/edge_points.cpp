#include "mpi/edge_points.hpp"

#include <algorithm>

#include "neighbors/parts.hpp"
#include "walk/against_list.hpp"

namespace kith::mpi {
namespace {

/// Keeps the boxes within reach of a node, and marks the points of blocks that reach any.
template <int D, class T>
class EdgeJudge {
 public:
  EdgeJudge(const Part<T>& part, const PlanesView<T>& view, T limit2,
            const Array<std::uint8_t>& mask)
      : boxes_(part.boxes),
        metric_(part.template metric<D>()),
        view_(view),
        limit2_(limit2),
        mask_(mask) {}

  using List = std::vector<std::uint32_t>;

  void keep(int plane, std::size_t node, const List& from, List& kept) const {
    const Bounds<D, T> receiver = view_.box(plane, node, metric_.axes);
    for (const std::uint32_t i : from)
      if (metric_.lower2(receiver, boxes_.box(i, metric_.axes)) <= limit2_) kept.push_back(i);
  }
  void leaf(std::size_t block, const List&) const {
    std::fill_n(mask_.data() + block * kLanes, view_.points_of_block(block), std::uint8_t{1});
  }

 private:
  const RankBoxes<T>& boxes_;
  Metric<D, T> metric_;
  const PlanesView<T>& view_;
  T limit2_;
  const Array<std::uint8_t>& mask_;
};

}  // namespace

template <class T>
Reaching<T> points_near_others(const Part<T>& part, T limit2, int rank, const Workers& workers) {
  const PlanesView<T> view = part.view();
  Array<std::uint8_t> mask(view.points, workers.pool());
  std::fill(mask.begin(), mask.end(), std::uint8_t{0});
  std::vector<std::uint32_t> others;
  for (std::size_t i = 0; i < part.boxes.size(); ++i)
    if (part.boxes.owner[i] != static_cast<std::uint32_t>(rank))
      others.push_back(static_cast<std::uint32_t>(i));
  if (view.points > 0)
    with_dimension(view.dimension, [&]<int D>() {
      EdgeJudge<D, T> judge(part, view, limit2, mask);
      AgainstList<T, EdgeJudge<D, T>>(view, judge).open(view.top(), 0, others);
    });
  Reaching<T> result{Parts<T>::subset(part.planes, mask, workers), {}};
  result.reach2 = Array<T>(result.queries.position.size(), workers.pool());
  std::fill(result.reach2.begin(), result.reach2.end(), limit2);
  return result;
}

template Reaching<float> points_near_others(const Part<float>&, float, int, const Workers&);
template Reaching<double> points_near_others(const Part<double>&, double, int, const Workers&);

}  // namespace kith::mpi
