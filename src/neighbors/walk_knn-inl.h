// k nearest neighbors by interaction lists: the paper's method, without a guess.
//
// The judge of the walk counts points by the upper bounds of the nodes that hold them: within the
// first bound that enough points come before, every point of the receiver certainly has enough
// neighbors. At a leaf the points nearest to it give each query a bound, the distance of
// the last one needed among them; the points within it are collected from the list and selected as
// in knn-inl.h.
#if defined(KITH_NEIGHBORS_WALK_KNN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_WALK_KNN_INL_H_
#undef KITH_NEIGHBORS_WALK_KNN_INL_H_
#else
#define KITH_NEIGHBORS_WALK_KNN_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>
#include <vector>

#include "neighbors/knn_rows-inl.h"
#include "walk/node_bound.hpp"
#include "walk/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
class WalkKnn final : public SearchWorker {
 public:
  explicit WalkKnn(const WalkJob<T>& job)
      : job_(job),
        group_(job, counts_),
        rows_(job, group_),
        walk_(job.receivers, job.sources, job.side, *this) {}

  void run(std::size_t begin, std::size_t end) override {
    for (std::size_t node = begin; node < end; ++node) walk_.run(job_.task_plane, node);
    hwy::FlushStream();
  }

  // ---- as the judge of the walk

  Candidate<T> limit() const { return {job_.limit2, kNoIndex}; }

  /// Every point of the box has enough neighbors that do not come after this. The list is gone
  /// through from where the last one had its nearest nodes: siblings have theirs close by, and once
  /// those are known few others are visited.
  template <bool Wrap>
  Candidate<T> bound(const Bounds<D, T>& box, int plane, const InteractionList<T>& list,
                     const Candidate<T>& limit) {
    enough_.reset(rows_.need(), limit);
    const std::size_t start = std::min(nearest_at_, list.size) / kLanes * kLanes;
    count_nodes<Wrap>(box, plane, list, {start, list.size});
    count_nodes<Wrap>(box, plane, list, {0, start});
    return enough_.last();
  }
  template <bool Wrap>
  void count_nodes(const Bounds<D, T>& box, int plane, const InteractionList<T>& list,
                   const IndexRange& part) {
    const Tag<T> tag;
    const Axes<D> axes = sources_.axes();
    const BoxProbe<D, T> q(box, axes);
    const PlaneView<T>& at = job_.sources.plane(plane);
    for (std::size_t i = part.begin; i < part.end; i += hn::Lanes(tag)) {
      const auto upper = upper2<Wrap>(
          q, ListColumns<D, T>{list.boxes.data() + i, list.stride, axes}, sources_.side(), axes);
      unsigned bits = bits_of(tag, hn::Le(upper, hn::Set(tag, enough_.last().key)));
      if (HWY_LIKELY(bits == 0)) continue;
      alignas(64) T ends[kLanes];
      hn::Store(upper, tag, ends);
      for (; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
        if (i + lane >= list.size) break;
        const std::uint32_t node = list.source[i + lane];
        const Candidate<T> end{ends[lane], at.largest[node]};
        if (!enough_.wants(end)) continue;
        enough_.add(end, job_.sources.points_of(plane, node).size());
        nearest_at_ = i;
      }
    }
  }

  bool wraps(const Bounds<D, T>& box, const Candidate<T>& bound) const {
    return group_.list.leaves_box(box, bound.key);
  }

  template <bool Wrap>
  void leaf(std::size_t leaf, const InteractionList<T>& list, const Candidate<T>& bound) {
    const IndexRange queries = job_.receivers.points_of(0, leaf);
    for (std::size_t begin = queries.begin; begin < queries.end;) {
      const std::size_t end = std::min(queries.end, begin / kLanes * kLanes + kLanes);
      if (job_.checkpoint) (*job_.checkpoint)();
      group_.queries.set({begin, end});
      rows_.set_limits();
      search<Wrap>(list, bound.key);
      rows_.sort();
      rows_.deliver();
      begin = end;
    }
  }

 private:
  /// Beyond this many nodes a query goes best first: dimensions are many or points are identical.
  static constexpr std::size_t kMaxNodes = 4096;
  /// A query's own bound comes from the nodes that end within kSample times the squared bound of
  /// the leaf; within 1 times they hold just enough points.
  static constexpr T kSample = T(1.5);

  template <bool Wrap>
  void search(const InteractionList<T>& list, T bound2) {
    if (list.size > kMaxNodes) return search_each_best_first();
    auto box = Bounds<D, T>::empty();
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      T x[kAxisRoom<D>];
      load_lane(queries_.point(j), 0, sources_.axes(), x);
      box.add(x, sources_.axes());
    }
    const BoxProbe<D, T> probe(box, sources_.axes());
    T radius2[kLanes] = {};
    bound_each<Wrap>(probe, list, bound2, radius2);
    const T most2 = *std::max_element(radius2, radius2 + queries_.size());
    // Distances that overflow: lists are padded with boxes infinitely far away.
    if (!(most2 <= std::numeric_limits<T>::max())) return search_each_best_first();
    InteractionList<T>& near = group_.list.near;
    sources_.template filter<Wrap>(list, probe, most2, near);
    picked_.resize(near.size + 2 * kLanes);
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      const std::size_t nodes =
          sources_.template pick<Wrap>(near, queries_.point(j), radius2[j], picked_.data());
      collect<Wrap>(j, blocks_of(picked_.data(), nodes), radius2[j]);
    }
  }

  void search_each_best_first() {
    for (std::size_t j = 0; j < queries_.size(); ++j) rows_.search_best_first(j);
  }

  template <bool Wrap>
  void collect(std::size_t j, const std::vector<std::uint32_t>& blocks, T r2) {
    candidates_.reserve(blocks.size() * kLanes);
    candidates_.template collect<Wrap>(j, blocks.data(), blocks.size(), r2);
  }

  /// The radius within which each query has all that it needs, known from the points near the box.
  template <bool Wrap>
  void bound_each(const BoxProbe<D, T>& probe, const InteractionList<T>& list, T bound2,
                  T* radius2) {
    const std::vector<std::uint32_t>& blocks = near_blocks<Wrap>(probe, list, bound2 * kSample);
    for (std::size_t j = 0; j < queries_.size(); ++j) {
      radius2[j] = std::min(rows_.limit2(j), bound2);
      collect<Wrap>(j, blocks, radius2[j]);
    }
    const std::size_t need = rows_.need();
    candidates_.sort(need);
    for (std::size_t j = 0; j < queries_.size(); ++j)
      if (candidates_.count(j) >= need && need > 0) radius2[j] = candidates_.slots(j).d2[need - 1];
  }

  /// Blocks of the nodes that end within r2 of the box.
  template <bool Wrap>
  const std::vector<std::uint32_t>& near_blocks(const BoxProbe<D, T>& probe,
                                                const InteractionList<T>& list, T r2) {
    const Tag<T> tag;
    const hn::Rebind<std::uint32_t, Tag<T>> index;
    const Axes<D> axes = sources_.axes();
    const auto reach = hn::Set(tag, std::min(r2, std::numeric_limits<T>::max()));
    picked_.resize(list.size + 2 * kLanes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < list.size; i += hn::Lanes(tag)) {
      const auto upper =
          upper2<Wrap>(probe, ListColumns<D, T>{list.boxes.data() + i, list.stride, axes},
                       sources_.side(), axes);
      const unsigned bits = bits_of(tag, hn::Le(upper, reach));
      append(index, hn::LoadU(index, list.source.data() + i), bits, picked_.data() + count);
      count += count_bits(bits);
    }
    return blocks_of(picked_.data(), count);
  }

  /// The blocks of some leaves, which ascend. Leaves of a cells tree may share a block: it comes
  /// once, and its points of other leaves do no harm.
  const std::vector<std::uint32_t>& blocks_of(const std::uint32_t* leaves, std::size_t count) {
    blocks_.clear();
    if (job_.sources.is_implicit()) {
      blocks_.assign(leaves, leaves + count);
      return blocks_;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const IndexRange points = job_.sources.points_of(0, leaves[i]);
      auto block = static_cast<std::uint32_t>(points.begin / kLanes);
      if (!blocks_.empty() && blocks_.back() == block) ++block;
      for (; block * kLanes < points.end; ++block) blocks_.push_back(block);
    }
    return blocks_;
  }

  const WalkJob<T>& job_;
  GroupSearch<D, T> group_;
  Sources<D, T>& sources_ = group_.sources;
  const QueryBlock<D, T, true>& queries_ = group_.queries;
  Candidates<D, T>& candidates_ = group_.candidates;
  KnnRows<D, T> rows_;
  Walk<D, T, WalkKnn> walk_;
  NodeBound<T> enough_;
  std::size_t nearest_at_ = 0;  ///< where in its list the last receiver found its nearest node
  std::vector<std::uint32_t> picked_, blocks_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
