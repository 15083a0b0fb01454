// What searches by other norms have in common: bounds and keys for 8 boxes or points at once, in
// plain loops over lanes that the compiler makes vectors of, and the rows of the result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "geometry/candidate.hpp"
#include "geometry/norms.hpp"
#include "neighbors/search_job.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Do the kernels of neighbors serve this norm?
inline bool is_difference_norm(double p) { return p == 1 || std::isinf(p); }

/// f<D>(norm) for a p other than 1, 2 and infinity. Powers cost far more than loops over axes: they
/// have no code for each dimension, which would be half of the time that these files take to
/// compile.
template <class T, class F>
decltype(auto) with_power_norm(double p, F&& f) {
  if (p <= WholeNorm<T>::kMost && p == std::floor(p))
    return f.template operator()<kAnyDimension>(WholeNorm<T>{static_cast<int>(p)});
  return f.template operator()<kAnyDimension>(PowerNorm<T>{p});
}

/// The same for any p other than 2.
template <class T, class F>
decltype(auto) with_other_norm(double p, int dimension, F&& f) {
  if (std::isinf(p))
    return with_dimension(dimension,
                          [&]<int D>() { return f.template operator()<D>(LargestNorm<T>()); });
  if (p == 1)
    return with_dimension(dimension,
                          [&]<int D>() { return f.template operator()<D>(SumNorm<T>()); });
  return with_power_norm<T>(p, f);
}

/// 8 values, one per lane.
template <class Value>
using Lanes = std::array<Value, kLanes>;

/// The boxes and points of a tree, measured from somewhere.
template <int D, class T, class Norm>
class MeasuredTree {
 public:
  using Key = typename Norm::Key;
  using Box = Bounds<D, T>;

  MeasuredTree(const PlanesView<T>& source, const T* side, const Norm& norm)
      : source_(source), metric_{norm, Axes<D>(source.dimension)} {
    std::copy_n(side, source.dimension, metric_.side);
  }

  const PlanesView<T>& source() const { return source_; }
  const Norm& norm() const { return metric_.norm; }
  int axes() const { return metric_.axes.count(); }
  /// Where walks begin; all its nodes are children of the root.
  int top() const { return source_.entry(); }

  /// Nodes of a plane that are children of one node above.
  std::size_t children(int plane, std::size_t parent) const {
    return std::min(kLanes, source_.plane(plane).nodes - parent * kLanes);
  }
  std::uint32_t smallest(int plane, std::size_t node) const {
    return source_.plane(plane).smallest[node];
  }
  std::size_t points_of(int plane, std::size_t node) const {
    return source_.points_of(plane, node).size();
  }

  Box box_of_node(int plane, std::size_t node) const {
    return source_.box(plane, node, metric_.axes);
  }

  /// Bounds of the keys between a box and 8 nodes.
  void lower(const Box& box, int plane, std::size_t chunk_index, Lanes<Key>& out) const {
    bounds<false>(box, plane, chunk_index, out);
    for (Key& key : out) key = metric_.norm.lower(key);
  }
  void upper(const Box& box, int plane, std::size_t chunk_index, Lanes<Key>& out) const {
    bounds<true>(box, plane, chunk_index, out);
    for (Key& key : out) key = metric_.norm.upper(key);
  }

  /// Bounds of the keys between 8 queries, [axis * 8 + lane], and a box.
  void lower(const T* queries, const Box& box, Lanes<Key>& out) const {
    out.fill(0);
    for (int axis = 0; axis < axes(); ++axis) {
      const T* q = queries + column_at(axis);
      for (std::size_t i = 0; i < kLanes; ++i)
        out[i] = metric_.norm.add(out[i],
                                  metric_.gaps(q[i], q[i], box.lo[axis], box.hi[axis], axis).least);
    }
    for (Key& key : out) key = metric_.norm.lower(key);
  }

  /// Keys between one point and the 8 of a block. Unused lanes get any value.
  void keys(const T* point, std::size_t block, Lanes<Key>& out) const {
    out.fill(0);
    const T* at = source_.block(block, metric_.axes);
    for (int axis = 0; axis < axes(); ++axis) {
      const T x = point[axis], side = metric_.side[axis];
      const T* p = at + column_at(axis);
      if (side > 0)
        for (std::size_t i = 0; i < kLanes; ++i)
          out[i] = metric_.norm.add(out[i], axis_distance(x, p[i], side));
      else
        for (std::size_t i = 0; i < kLanes; ++i)
          out[i] = metric_.norm.add(out[i], axis_distance(x, p[i], T(0)));
    }
  }
  void load(std::size_t block, std::size_t lane, T* out) const {
    load_lane(source_.block(block, metric_.axes), lane, metric_.axes, out);
  }
  const std::uint32_t* indices(std::size_t block) const {
    return indices_of(source_.block(block, metric_.axes), metric_.axes);
  }

 private:
  template <bool IsUpper>
  void bounds(const Box& box, int plane, std::size_t chunk_index, Lanes<Key>& out) const {
    out.fill(0);
    const T* at = source_.chunk(plane, chunk_index, metric_.axes);
    for (int axis = 0; axis < axes(); ++axis) {
      const T *lo = at + column_at(axis), *hi = at + column_at(axes() + axis);
      for (std::size_t i = 0; i < kLanes; ++i) {
        const auto gaps = metric_.gaps(box.lo[axis], box.hi[axis], lo[i], hi[i], axis);
        out[i] = metric_.norm.add(out[i], IsUpper ? gaps.most : gaps.least);
      }
    }
  }

  const PlanesView<T>& source_;
  NormMetric<D, T, Norm> metric_;
};

/// A block of queries: up to 8, searched together.
template <int D, class T>
class QueryBlock {
 public:
  QueryBlock(const SearchJob<T>& job, std::size_t block) : job_(job), block_(block) {
    const Axes<D> axes(job.queries.dimension);
    x_ = job.queries.block(block, axes);
    indices_ = indices_of(x_, axes);
    size_ = job.queries.points_of_block(block);
  }
  std::size_t size() const { return size_; }
  const T* coordinates() const { return x_; }
  std::uint32_t index(std::size_t lane) const { return indices_[lane]; }
  std::size_t row(std::size_t lane) const {
    if (job_.in_tree_order) return block_ * kLanes + lane;
    return job_.rows ? job_.rows[indices_[lane]] : indices_[lane];
  }
  void load(std::size_t lane, T* out) const {
    load_lane(x_, lane, Axes<D>(job_.queries.dimension), out);
  }
  /// The box of some of the queries.
  Bounds<D, T> box(std::size_t begin, std::size_t end) const {
    auto box = Bounds<D, T>::empty();
    T point[kAxisRoom<D>];
    for (std::size_t lane = begin; lane < end; ++lane) {
      load(lane, point);
      box.add(point, Axes<D>(job_.queries.dimension));
    }
    return box;
  }

 private:
  const SearchJob<T>& job_;
  std::size_t block_, size_;
  const T* x_;
  const std::uint32_t* indices_;
};

/// Turns candidates into a visit or into values of the caller's arrays, from `at` on.
template <class T>
class NormRows {
 public:
  template <class Norm, class Key>
  void deliver(const SearchJob<T>& job, const Norm& norm, std::size_t row,
               const std::vector<Candidate<Key>>& found, std::size_t at) {
    indices_.resize(found.size());
    distances_.resize(found.size());
    constexpr std::size_t kRootsPerLook = std::size_t{1} << 16;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i % kRootsPerLook == kRootsPerLook - 1 && job.checkpoint) (*job.checkpoint)();
      indices_[i] = found[i].index;
      distances_[i] = norm.length_of(found[i].key) * job.unscale;
    }
    if (job.visit) return (*job.visit)({row, found.size(), indices_.data(), distances_.data()});
    if (job.distance) std::copy(distances_.begin(), distances_.end(), job.distance + at);
    if (job.index32) std::copy(indices_.begin(), indices_.end(), job.index32 + at);
    if (job.index64) std::copy(indices_.begin(), indices_.end(), job.index64 + at);
  }

 private:
  std::vector<std::uint32_t> indices_;
  std::vector<T> distances_;
};

/// Calls search(queries, begin, end) for the queries of some groups: a block at once where its
/// queries are near each other, else one by one.
template <int D, class T, class F>
void for_each_query(const SearchJob<T>& job, std::size_t group_begin, std::size_t group_end,
                    F search) {
  const std::size_t last = std::min(job.queries.block_count(), group_end * kGroupBlocks);
  const std::size_t step = job.is_grouped ? kLanes : 1;
  for (std::size_t block = group_begin * kGroupBlocks; block < last; ++block) {
    if (job.checkpoint) (*job.checkpoint)();
    const QueryBlock<D, T> queries(job, block);
    for (std::size_t lane = 0; lane < queries.size(); lane += step)
      search(queries, lane, std::min(queries.size(), lane + step));
  }
}

}  // namespace kith
