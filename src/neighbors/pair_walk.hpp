// Two trees against each other, for numbers of pairs by distance. A pair of nodes whose bounds fall
// between the same two radii is settled as a whole; otherwise the larger node is opened, down to
// blocks of 8 points.
#pragma once

#include <vector>

#include "base/function_ref.hpp"
#include "neighbors/measured_tree.hpp"

namespace kith {

/// What a node or point counts: 1 for each point.
struct OneEach {
  using Sum = std::int64_t;
  static constexpr bool kIsWeighted = false;
  /// Of a node with so many points.
  static Sum of_node(int, std::size_t, std::size_t points) { return static_cast<Sum>(points); }
};

/// What a node or point counts: its weight. Sums of nodes are made once, children in their order.
struct Weighted {
  using Sum = double;
  static constexpr bool kIsWeighted = true;
  std::vector<std::vector<double>> levels;  ///< of each node
  std::vector<double> points;               ///< in tree order

  Sum of_node(int level, std::size_t node, std::size_t) const {
    return levels[static_cast<std::size_t>(level)][node];
  }
};

/// Adds the pairs of one receiving node and all sources to bins: bin i is for keys over limit i - 1
/// up to limit i, the last one for what is beyond all.
template <int D, class T, class Norm, class Weights>
class PairWalk {
 public:
  using Measured = MeasuredTree<D, T, Norm>;
  using Key = typename Measured::Key;
  using Sum = typename Weights::Sum;

  struct Side {
    const Measured& tree;
    const Weights& weights;
    Sum sum(int level, std::size_t node) const {
      return weights.of_node(level, node, tree.points_of(level, node));
    }
  };

  /// `limits` ascend; `checkpoint` is called every few milliseconds.
  PairWalk(const Side& receivers, const Side& sources, const std::vector<Key>& limits,
           FunctionRef<void()> checkpoint)
      : receivers_(receivers),
        sources_(sources),
        limits_(limits),
        checkpoint_(checkpoint),
        bins_(limits.size() + 1) {}

  void walk(int level, std::size_t node) {
    open({receivers_, level, node}, {sources_, sources_.tree.top() + 1, 0}, {0, limits_.size()});
  }
  const std::vector<Sum>& bins() const { return bins_; }

 private:
  using Box = typename Measured::Box;
  /// Limits that may lie among the keys of a pair: all before `begin` are below, `end` and what
  /// follows are not.
  struct Range {
    std::size_t begin, end;
  };
  /// Beyond so many limits a search by halves is faster than comparing with each.
  static constexpr std::size_t kFewLimits = 6;
  static constexpr std::size_t kBlocksPerCheck = 1 << 13;

  /// The first of the limits from `begin` to `end` that is not below a key.
  std::size_t first_limit(Key key, std::size_t begin, std::size_t end) const {
    if (end - begin > kFewLimits)
      return static_cast<std::size_t>(
          std::lower_bound(limits_.data() + begin, limits_.data() + end, key) - limits_.data());
    while (begin < end && limits_[begin] < key) ++begin;
    return begin;
  }
  Range narrowed(Range range, Key lower, Key upper) const {
    range.begin = first_limit(lower, range.begin, range.end);
    range.end = first_limit(upper, range.begin, range.end);
    return range;
  }

  /// A node of either tree; level 0 holds the blocks.
  struct Place {
    const Side& side;
    int level;
    std::size_t node;
    Sum sum() const { return side.sum(level, node); }
  };

  /// Neither node is settled: opens the larger.
  void pair(const Place& receiver, const Place& source, Range range) {
    if (receiver.level == 0 && source.level == 0)
      search_blocks(receiver.node, source.node, range);
    else if (source.level >= receiver.level)
      open(receiver, source, range);
    else
      open(source, receiver, range);
  }

  /// The children of `opened` against the node of the other tree.
  void open(const Place& closed, const Place& opened, Range range) {
    const Measured& tree = opened.side.tree;
    const Box box = closed.side.tree.box_of_node(closed.level, closed.node);
    const int level = opened.level - 1;
    Lanes<Key> lower, upper;
    tree.lower(box, level, opened.node, lower);
    tree.upper(box, level, opened.node, upper);
    const std::size_t count = tree.children(level, opened.node);
    for (std::size_t i = 0; i < count; ++i) {
      const Place child{opened.side, level, opened.node * kLanes + i};
      const Range inner = narrowed(range, lower[i], upper[i]);
      if (inner.begin == limits_.size()) continue;  // too far for all
      if (inner.begin == inner.end)
        bins_[inner.begin] += closed.sum() * child.sum();
      else if (&opened.side == &sources_)
        pair(closed, child, inner);
      else
        pair(child, closed, inner);
    }
  }

  void search_blocks(std::size_t receiver, std::size_t source, Range range) {
    if (++blocks_ % kBlocksPerCheck == 0) checkpoint_();
    const std::size_t receiver_points = receivers_.tree.points_of(0, receiver),
                      source_points = sources_.tree.points_of(0, source);
    Lanes<Lanes<Key>> keys;
    for (std::size_t i = 0; i < receiver_points; ++i) {
      T x[kAxisRoom<D>];
      receivers_.tree.load(receiver, i, x);
      sources_.tree.keys(x, source, keys[i]);
    }
    const bool is_full = receiver_points == kLanes && source_points == kLanes;
    if (!Weights::kIsWeighted && is_full && range.end - range.begin <= kFewLimits)
      return count_full_blocks(keys, range);
    for (std::size_t i = 0; i < receiver_points; ++i)
      for (std::size_t j = 0; j < source_points; ++j)
        bins_[first_limit(keys[i][j], range.begin, range.end)] +=
            weight(receivers_, receiver, i) * weight(sources_, source, j);
  }

  Sum weight(const Side& side, std::size_t block, std::size_t lane) const {
    if constexpr (Weights::kIsWeighted)
      return side.weights.points[block * kLanes + lane];
    else
      return 1;
  }

  /// All 64 pairs at once: how many are within each limit.
  void count_full_blocks(const Lanes<Lanes<Key>>& keys, Range range) {
    Sum before = 0;
    for (std::size_t limit = range.begin; limit < range.end; ++limit) {
      int within = 0;
      for (const Lanes<Key>& row : keys)
        for (const Key key : row) within += key <= limits_[limit] ? 1 : 0;
      bins_[limit] += static_cast<Sum>(within) - before;
      before = static_cast<Sum>(within);
    }
    bins_[range.end] += static_cast<Sum>(kLanes * kLanes) - before;
  }

  Side receivers_, sources_;
  const std::vector<Key>& limits_;
  FunctionRef<void()> checkpoint_;
  std::vector<Sum> bins_;
  std::size_t blocks_ = 0;
};

}  // namespace kith
