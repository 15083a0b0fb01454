#include "mpi/neighbors/near_boxes.hpp"

#include <algorithm>
#include <limits>

#include "walk/against_boxes.hpp"

namespace kith::mpi {
namespace {

/// Lists belong to nodes of 512 queries, distances to nodes of 64.
constexpr int kPlane = 2;

/// Hands the boxes that may be the nearest for some query of a node down to one plane.
template <int D, class T>
class NearestJudge {
 public:
  using List = std::vector<std::uint32_t>;
  using Lists = std::vector<typename NearBoxes<T>::List>;

  NearestJudge(const Part<T>& part, const PlanesView<T>& queries, int last, Lists& lists)
      : boxes_(part.boxes),
        queries_(queries),
        metric_(part.template metric<D>()),
        last_(last),
        lists_(lists) {}

  void keep(int plane, std::size_t node, const List& from, List& kept) const {
    const Bounds<D, T> receiver = queries_.box(plane, node, metric_.axes);
    std::vector<T> lower(from.size());
    T least_upper = std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Bounds<D, T> box = boxes_.box(from[i], metric_.axes);
      lower[i] = metric_.lower2(receiver, box);
      least_upper = std::min(least_upper, metric_.upper2(receiver, box));
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (lower[i] > least_upper) continue;
      if (plane == last_)
        lists_[node].push_back({lower[i], from[i]});
      else
        kept.push_back(from[i]);
    }
    if (plane == last_) std::sort(lists_[node].begin(), lists_[node].end());
  }
  void leaf(std::size_t, const List&) const {}  // the last plane keeps nothing

 private:
  const RankBoxes<T>& boxes_;
  const PlanesView<T>& queries_;
  Metric<D, T> metric_;
  int last_;
  Lists& lists_;
};

/// The box of a list that is nearest to a part of its node.
template <int D, class T>
NearestBox<T> nearest_of(const Bounds<D, T>& receiver, const typename NearBoxes<T>::List& list,
                         const RankBoxes<T>& boxes, const Metric<D, T>& metric) {
  NearestBox<T> nearest{std::numeric_limits<T>::infinity(), list.front().box};
  for (const auto& near : list) {
    if (near.least2 >= nearest.lower2) break;
    const T lower2 = metric.lower2(receiver, boxes.box(near.box, metric.axes));
    if (lower2 < nearest.lower2) nearest = {lower2, near.box};
  }
  return nearest;
}

}  // namespace

template <class T>
NearBoxes<T>::NearBoxes(const Part<T>& part, const PlanesView<T>& queries, int except,
                        const Workers& workers)
    : part_(&part), queries_(queries) {
  if (queries.plane_count == 0) return;
  const std::vector<std::uint32_t> all =
      boxes_of_others(part.boxes.owner, static_cast<std::uint32_t>(except));
  if (all.empty()) return;
  const int last = std::min(kPlane, queries.top());
  const int near = std::max(0, last - 1);
  for (int plane = 0; plane <= last; ++plane) span_ *= kLanes;
  for (int plane = 0; plane <= near; ++plane) near_span_ *= kLanes;
  least2_.resize(queries.plane(near).nodes);
  lists_.resize(queries.plane(last).nodes);
  int first = queries.top();
  while (first > last && queries.plane(first).nodes < 64) --first;
  with_dimension(queries.dimension, [&]<int D>() {
    NearestJudge<D, T> judge(part, queries_, last, lists_);
    workers.for_each(queries.plane(first).nodes, [&](std::size_t node) {
      AgainstList<T, NearestJudge<D, T>>(queries_, judge).open(first, node, all);
    });
    const Metric<D, T> metric = part.template metric<D>();
    workers.for_ranges(least2_.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        least2_[i] = nearest_of(queries_.box(near, i, metric.axes), lists_[i * near_span_ / span_],
                                part.boxes, metric)
                         .lower2;
    });
  });
}

template <class T>
bool NearBoxes<T>::reaches_listed_box(std::size_t position, T reach2) const {
  return with_dimension(queries_.dimension, [&]<int D>() {
    const Metric<D, T> metric = part_->template metric<D>();
    const Bounds<D, T> point = box_of_point(queries_, position, metric.axes);
    for (const NearBox& near : lists_[position / span_]) {
      if (near.least2 > reach2) break;
      if (metric.lower2(point, part_->boxes.box(near.box, metric.axes)) <= reach2) return true;
    }
    return false;
  });
}

template <class T>
Array<NearestBox<T>> nearest_boxes(const Part<T>& part, const PlanesView<T>& queries, int except,
                                   const Workers& workers) {
  Array<NearestBox<T>> nearest(queries.block_count(), workers.pool());
  std::fill(nearest.begin(), nearest.end(), NearestBox<T>{std::numeric_limits<T>::infinity(), 0});
  const NearBoxes<T> near(part, queries, except, workers);
  if (near.empty()) return nearest;
  with_dimension(queries.dimension, [&]<int D>() {
    const Metric<D, T> metric = part.template metric<D>();
    workers.for_ranges(nearest.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t block = begin; block < end; ++block)
        nearest[block] =
            nearest_of(queries.box(0, block, metric.axes), near.list(block), part.boxes, metric);
    });
  });
  return nearest;
}

#define KITH_INSTANTIATE(T)                                                              \
  template class NearBoxes<T>;                                                           \
  template Array<NearestBox<T>> nearest_boxes(const Part<T>&, const PlanesView<T>&, int, \
                                              const Workers&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
