// How far each node of a tree must still be searched for edges of a spanning tree.
//
// Every block has a certificate: a weight below which all edges of its points are known, or known
// not to be in the tree. A block is uncertain as long as a component of one of its points may have
// an edge at least that heavy as its lightest.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/array.hpp"
#include "clusters/span.hpp"
#include "geometry/distance.hpp"
#include "parallel/workers.hpp"

namespace kith {

template <class T>
class SpanNeeds {
 public:
  using Index = std::uint32_t;

  /// `core2` as in minimum_spanning_tree; it must outlive this object.
  SpanNeeds(const PlanesView<T>& tree, const Array<T>& core2, Workers& workers)
      : tree_(tree), workers_(workers), need_(1), node_component_(1) {
    for (int height = 1; height <= top(); ++height) {
      const std::size_t lanes = lanes_up(nodes(height));
      need_.emplace_back(lanes, workers_.pool());
      node_component_.emplace_back(lanes, workers_.pool());
      std::fill(need_.back().begin() + nodes(height), need_.back().end(), T(-1));
      std::fill(node_component_.back().begin() + nodes(height), node_component_.back().end(),
                kNoComponent);
    }
    certain_ = Array<T>(nodes(1), workers_.pool());
    if (!core2.empty()) set_core(core2);
  }

  // ---- for SpanJob, per height

  std::vector<const T*> need() const { return pointers(need_); }
  std::vector<const Index*> node_component() const { return pointers(node_component_); }
  std::vector<const T*> core2() const { return core2_; }

  T certain(std::size_t block) const { return certain_[block]; }

  /// How far each block is searched at first: any number gives the same tree. Not at all where
  /// points are joined already: their edges are many and few of them matter.
  void set_first(const Index* components) {
    const T share = tree_.dimension <= 2 ? T(0.125) : T(0.25);
    each(nodes(1), [&](std::size_t block) {
      const T own = diagonal2(1, block);
      const T around = top() > 1 ? diagonal2(2, block / kLanes) * share : own;
      T reach =
          static_cast<T>(kFirstShare) *
          std::max(std::min(own, around), std::min(static_cast<T>(kBlockShare) * own, around));
      if (!core2_.empty())
        reach = std::max(reach, largest_core2(block) * static_cast<T>(kCoreShare));
      if (!(reach < std::numeric_limits<T>::max())) reach = 0;
      bool is_any_joined = false;
      for (std::size_t i = 0; i < tree_.points_of_block(block); ++i)
        is_any_joined |= components[block * kLanes + i] != block * kLanes + i;
      certain_[block] = is_any_joined ? T(0) : reach;
      need_[1][block] = is_any_joined ? T(-1) : reach;
    });
    climb(false);
  }

  /// Notes which blocks may have lighter edges than those known; false if none.
  /// `components` are those of all positions, `best` the lightest known edge of every component.
  bool mark_uncertain(const Index* components, const T* best) {
    std::atomic<bool> has_uncertain = false;
    workers_.for_ranges(nodes(1), kGrain, [&](std::size_t begin, std::size_t end) {
      bool has_uncertain_here = false;
      for (std::size_t block = begin; block < end; ++block) {
        const Index* const component = components + block * kLanes;
        const std::size_t points = tree_.points_of_block(block);
        bool is_joined = true;
        T most = best[component[0]];
        for (std::size_t i = 1; i < points; ++i)
          if (component[i] != component[0]) {
            is_joined = false;
            most = std::max(most, best[component[i]]);
          }
        node_component_[1][block] = is_joined ? component[0] : kNoComponent;
        const bool is_uncertain = certain_[block] <= most;
        need_[1][block] = is_uncertain ? most : T(-1);
        has_uncertain_here |= is_uncertain;
      }
      if (has_uncertain_here) has_uncertain.store(true, std::memory_order_relaxed);
    });
    if (!has_uncertain.load(std::memory_order_relaxed)) return false;
    climb(true);
    return true;
  }

  /// After a search of the uncertain blocks, which found `best`: they are certain that far.
  void note_search(const Index* components, const T* best) {
    each(nodes(1), [&](std::size_t block) {
      if (need_[1][block] < 0) return;
      T least = std::numeric_limits<T>::infinity();
      for (std::size_t i = 0; i < tree_.points_of_block(block); ++i)
        least = std::min(least, best[components[block * kLanes + i]]);
      certain_[block] =
          std::max(certain_[block], std::nextafter(least, std::numeric_limits<T>::infinity()));
    });
  }

 private:
  static constexpr std::size_t kGrain = std::size_t{1} << 14;
  static constexpr Index kNoComponent = 0xffffffff;  // kMixed of the kernels

  /// The radius of the first join, squared, as a share of the squared diagonal of a block or of the
  /// 8 blocks around it. A larger one lists more pairs, a smaller one searches more often.
  static constexpr double kFirstShare = 0.1;
  static constexpr double kBlockShare = 1.5;
  /// With core distances, at least this times the largest of the block: no edge is lighter than
  /// its core distances. 1.05 to 1.5 were tried: equal on uniform points, 1.5 is slower on clumps.
  static constexpr double kCoreShare = 1.1;

  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }
  template <class U>
  static std::vector<const U*> pointers(const std::vector<Array<U>>& arrays) {
    std::vector<const U*> result;
    result.reserve(arrays.size());
    for (const Array<U>& array : arrays) result.push_back(array.data());
    return result;
  }

  int top() const { return tree_.plane_count; }
  std::size_t nodes(int height) const { return tree_.plane(height - 1).nodes; }
  T diagonal2(int height, std::size_t node) const {
    return kith::diagonal2(tree_.box(height - 1, node, tree_.any_axes()), tree_.any_axes());
  }
  T largest_core2(std::size_t block) const {
    const T* const core2 = core2_[0] + block * kLanes;
    return *std::max_element(core2, core2 + tree_.points_of_block(block));
  }

  /// The least core distance of every node.
  void set_core(const Array<T>& core2) {
    core2_.push_back(core2.data());
    for (int height = 1; height <= top(); ++height) {
      Array<T> least(lanes_up(nodes(height)), workers_.pool());
      const T* const below = core2_.back();
      const std::size_t most = height == 1 ? core2.size() : least_core2_.back().size();
      each(least.size(), [&](std::size_t node) {
        T value = std::numeric_limits<T>::infinity();
        for (std::size_t i = node * kLanes; i < std::min(most, (node + 1) * kLanes); ++i)
          value = std::min(value, below[i]);
        least[node] = value;
      });
      least_core2_.push_back(std::move(least));
      core2_.push_back(least_core2_.back().data());
    }
  }

  /// Needs and components of the nodes above the blocks.
  void climb(bool has_components) {
    for (int height = 2; height <= top(); ++height) {
      const auto at = static_cast<std::size_t>(height);
      const T* const need = need_[at - 1].data();
      const Index* const component = node_component_[at - 1].data();
      each(nodes(height), [&](std::size_t node) {
        const std::size_t begin = node * kLanes, end = std::min(nodes(height - 1), begin + kLanes);
        need_[at][node] = *std::max_element(need + begin, need + end);
        if (!has_components) return;
        const bool is_joined = std::all_of(component + begin, component + end,
                                           [&](Index each) { return each == component[begin]; });
        node_component_[at][node] = is_joined ? component[begin] : kNoComponent;
      });
    }
  }

  const PlanesView<T>& tree_;
  Workers& workers_;
  std::vector<Array<T>> need_;                // per height from 1 on
  std::vector<Array<Index>> node_component_;  // per height from 1 on
  std::vector<const T*> core2_;               // of points, then the least of nodes by height
  std::vector<Array<T>> least_core2_;
  Array<T> certain_;  // per block
};

}  // namespace kith
