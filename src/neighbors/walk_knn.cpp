// The paper's method (jz-tree, III). A receiving node carries the list of source nodes that may
// hold neighbours of its points. Going down a plane, the list is refined: the counts of nodes by
// upper distance give a bound within which every point of the receiver certainly has enough
// neighbours; nodes whose lower distance exceeds it are dropped, the others are kept nearest first.
// At the leaves each query goes through its list until the next node comes after what it has.
// Distances are compared together with indices, (upper, largest) and (lower, smallest), so
// identical points are no special case. No guess, no vectors: what a GPU or another rank would run
// on the planes.
#include "neighbors/walk_knn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/distance.hpp"

namespace kith {
namespace {

template <class T>
struct Key {
  T d2;
  std::uint32_t index;
  bool operator<(const Key& other) const {
    return d2 < other.d2 || (d2 == other.d2 && index < other.index);
  }
};

/// A source node as seen from a receiver.
template <class T>
struct Interaction {
  std::uint32_t source;
  Key<T> lower, upper;
  std::size_t points;
};

template <class T>
using InteractionList = std::vector<Interaction<T>>;

template <int D, class T>
class Walk {
 public:
  Walk(const KnnJob<T>& job, const PlanesView<T>& source, const PlanesView<T>& receivers)
      : job_(job),
        source_(source),
        receivers_(receivers),
        metric_{Axes<D>(source.dimension)},
        need_(std::min(job.k + (job.exclude_self ? 1 : 0), source.points)) {
    std::copy_n(job.side, source.dimension, metric_.side);
  }

  /// All queries below a receiving node.
  void walk(int plane, std::size_t node) {
    const int top = source_.top();
    InteractionList<T> all(1);
    all[0].source = 0;
    descend(plane, node, top, all);
  }

 private:
  using Box = Bounds<D, T>;

  Box box_of(const PlanesView<T>& planes, int plane, std::size_t node) const {
    return planes.box(plane, node, metric_.axes);
  }

  void descend(int plane, std::size_t node, int source_plane, InteractionList<T>& list) {
    refine(box_of(receivers_, plane, node), source_plane, list);
    if (source_plane > plane || (plane == 0 && source_plane > 0)) {
      InteractionList<T> below = opened(source_plane, list);
      return descend(plane, node, source_plane - 1, below);
    }
    if (plane == 0) return search_leaf(node, list);
    const InteractionList<T> below = source_plane > 0 ? opened(source_plane, list) : list;
    const IndexRange children = receivers_.children(plane, node);
    for (std::size_t child = children.begin; child < children.end; ++child) {
      InteractionList<T> inherited = below;
      descend(plane - 1, child, std::max(0, source_plane - 1), inherited);
    }
  }

  /// The children of all nodes of a list.
  InteractionList<T> opened(int plane, const InteractionList<T>& list) const {
    InteractionList<T> below;
    for (const Interaction<T>& node : list) {
      const IndexRange children = source_.children(plane, node.source);
      for (std::size_t child = children.begin; child < children.end; ++child) {
        below.emplace_back();
        below.back().source = static_cast<std::uint32_t>(child);
      }
    }
    return below;
  }

  /// Drops what is too far for every query in the box; sorts the rest by lower distance.
  void refine(const Box& box, int plane, InteractionList<T>& list) {
    const PlaneView<T>& at = source_.plane(plane);
    for (Interaction<T>& node : list) {
      const Box other = box_of(source_, plane, node.source);
      node.lower = {metric_.lower2(box, other), at.smallest[node.source]};
      node.upper = {metric_.upper2(box, other), at.largest[node.source]};
      node.points = source_.points_of(plane, node.source).size();
    }
    const Key<T> bound = bound_of(list);
    std::erase_if(list, [&](const Interaction<T>& node) { return bound < node.lower; });
    std::sort(list.begin(), list.end(),
              [](const Interaction<T>& a, const Interaction<T>& b) { return a.lower < b.lower; });
  }

  /// The first upper distance up to which the nodes hold enough points, or the limit of the search.
  Key<T> bound_of(InteractionList<T>& list) const {
    std::sort(list.begin(), list.end(),
              [](const Interaction<T>& a, const Interaction<T>& b) { return a.upper < b.upper; });
    Key<T> bound{job_.limit2, kNoIndex};
    std::size_t points = 0;
    for (const Interaction<T>& node : list) {
      points += node.points;
      if (points >= need_) return std::min(bound, node.upper);
    }
    return bound;
  }

  void search_leaf(std::size_t leaf, const InteractionList<T>& list) {
    (*job_.checkpoint)();
    const IndexRange queries = receivers_.points_of(0, leaf);
    for (std::size_t query = queries.begin; query < queries.end; ++query) {
      T x[kAxisRoom<D>];
      receivers_.load(query, metric_.axes, x);
      search(x, list);
      deliver(query);
    }
  }

  /// best_ is a heap whose front comes last; once it is full only what comes before that counts.
  bool is_wanted(const Key<T>& key) const {
    return key.d2 <= job_.limit2 && (best_.size() < need_ || key < best_.front());
  }

  void search(const T* x, const InteractionList<T>& list) {
    best_.clear();
    for (const Interaction<T>& node : list) {
      if (!is_wanted(node.lower)) break;  // the nodes that follow come later still
      const IndexRange points = source_.points_of(0, node.source);
      for (std::size_t point = points.begin; point < points.end; ++point) add(x, point);
    }
    std::sort_heap(best_.begin(), best_.end());
  }

  void add(const T* x, std::size_t point) {
    T p[kAxisRoom<D>];
    source_.load(point, metric_.axes, p);
    const Key<T> key{metric_.distance2(x, p), source_.index(point)};
    if (!is_wanted(key)) return;
    if (best_.size() == need_) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    best_.push_back(key);
    std::push_heap(best_.begin(), best_.end());
  }

  void deliver(std::size_t query) {
    const std::uint32_t self = receivers_.index(query);
    if (job_.exclude_self)
      std::erase_if(best_, [&](const Key<T>& key) { return key.index == self; });
    const std::size_t begin = (job_.in_tree_order ? query : self) * job_.k;
    for (std::size_t i = 0; i < job_.k; ++i) {
      const bool is_found = i < best_.size();
      if (job_.distance)
        job_.distance[begin + i] =
            is_found ? std::sqrt(best_[i].d2) * job_.unscale : std::numeric_limits<T>::infinity();
      if (job_.index32)
        job_.index32[begin + i] = is_found ? static_cast<std::int32_t>(best_[i].index) : -1;
      if (job_.index64) job_.index64[begin + i] = is_found ? std::int64_t{best_[i].index} : -1;
    }
  }

  const KnnJob<T>& job_;
  const PlanesView<T>& source_;
  const PlanesView<T>& receivers_;
  Metric<D, T> metric_;
  const std::size_t need_;
  std::vector<Key<T>> best_;
};

/// The plane whose nodes are the tasks: some hundred points each.
template <class T>
int task_plane(const PlanesView<T>& receivers) {
  constexpr std::size_t kPointsPerTask = 512;
  int plane = 0;
  while (plane < receivers.top() &&
         receivers.points / receivers.plane(plane).nodes < kPointsPerTask / 8)
    ++plane;
  return plane;
}

}  // namespace

template <class T>
void walk_knn(KnnJob<T> job, const PlanesView<T>& source, const PlanesView<T>& receivers,
              Workers& workers) {
  const Stage stage(workers, "walk", receivers.points);
  const auto check = [&] { workers.check_cancelled(); };
  const FunctionRef<void()> checkpoint(check);
  job.checkpoint = &checkpoint;
  const int plane = task_plane(receivers);
  with_dimension(source.dimension, [&]<int D>() {
    workers.for_each(receivers.plane(plane).nodes, [&](std::size_t node) {
      Walk<D, T>(job, source, receivers).walk(plane, node);
      workers.advance(receivers.points_of(plane, node).size());
    });
  });
}

template void walk_knn(KnnJob<float>, const PlanesView<float>&, const PlanesView<float>&, Workers&);
template void walk_knn(KnnJob<double>, const PlanesView<double>&, const PlanesView<double>&,
                       Workers&);

}  // namespace kith
