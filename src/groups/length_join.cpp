#include "groups/length_join.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/eight.hpp"
#include "groups/join.hpp"
#include "groups/pair_length.hpp"
#include "groups/reach.hpp"
#include "groups/sets.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"
#include "walk/depth_first.hpp"
#include "walk/joined_nodes.hpp"
#include "walk/leaf_groups.hpp"

namespace kith {
namespace {

/// Groups of leaves of a task: some thousands of points.
constexpr std::size_t kGroupGrain = 64;

/// Instead of a set.
constexpr std::uint32_t kManySets = 0xffffffff;

/// Everything that tasks share.
template <int D, class T>
struct LengthScene {
  const PlanesView<T>& planes;
  const Metric<D, T>& metric;
  const T* length;
  const std::vector<Array<T>>& largest;
  /// Whether any point of a node may have a friend in another set.
  const std::vector<Array<std::uint8_t>>& is_open;
  const UnionFind<std::uint32_t>& sets;
  const JoinedNodes<T>& joined;
  bool is_strict;
};

/// The leaves of one group against all leaves that follow them: the judge of a walk, which lists
/// leaves near the group.
template <int D, class T, LengthRule Rule>
class GroupJoin {
 public:
  GroupJoin(const LengthScene<D, T>& scene, WorkMeter& meter) : scene_(scene), meter_(meter) {}

  void run(std::size_t group) {
    const IndexRange leaves = leaves_of_group(scene_.planes, group);
    box_ = Bounds<D, T>::empty();
    largest_ = 0;
    bool is_open = false;
    for (std::size_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      box_.add(box_of(leaf), scene_.metric.axes);
      largest_ = std::max(largest_, scene_.largest[0][leaf]);
      is_open |= scene_.is_open[0][leaf] != 0;
    }
    if (!is_open) return;
    set_ = set_of_group(leaves);
    first_ = scene_.planes.points_of(0, leaves.begin).begin;
    near_.clear();
    DepthFirst<T, GroupJoin>(scene_.planes, *this).run();
    for (std::size_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
      if (scene_.is_open[0][leaf]) join_leaf(leaf);
  }

  // ---- as the judge of the walk

  using Lowers = Eight<T>;

  Lowers look(int plane, std::size_t chunk) {
    meter_.add(kLanes);
    return lowers2(scene_.metric, box_, boxes_of(plane, chunk));
  }
  Verdict verdict(const Lowers& lower, std::size_t lane, int plane, std::size_t node) {
    const auto p = static_cast<std::size_t>(plane);
    const bool is_near = scene_.is_open[p][node] &&
                         lower[lane] <= pair_reach2<Rule>(largest_, scene_.largest[p][node]) &&
                         scene_.planes.points_of(plane, node).end > first_;
    if (!is_near) return Verdict::drop;
    const bool is_one_set = set_ != kManySets && scene_.joined.note(plane, node) &&
                            scene_.joined.set_of(plane, node) == scene_.sets.find(set_);
    return is_one_set ? Verdict::drop : Verdict::keep;
  }
  void settle(int, std::size_t) const {}
  void leaf(std::size_t node, const Lowers&, std::size_t lane) {
    const std::size_t chunk = node / kLanes;
    if (near_.empty() || near_.back().chunk != chunk) near_.push_back({chunk, 0});
    near_.back().lanes |= 1u << lane;
  }

 private:
  /// Leaves of one chunk.
  struct NearLeaves {
    std::size_t chunk;
    unsigned lanes;  ///< a bit for each
  };

  ColumnsOfEight<T> boxes_of(int plane, std::size_t chunk) const {
    const T* boxes = scene_.planes.chunk(plane, chunk, scene_.metric.axes);
    return {boxes, boxes + column_at(scene_.metric.axes.count())};
  }
  Bounds<D, T> box_of(std::size_t leaf) const {
    return scene_.planes.box(0, leaf, scene_.metric.axes);
  }

  /// A member of the set of all points of the leaves, if they are known to be in one.
  std::uint32_t set_of_group(const IndexRange& leaves) const {
    const std::uint32_t set = scene_.joined.set_of(0, leaves.begin);
    for (std::size_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
      if (!scene_.joined.note(0, leaf) || scene_.joined.set_of(0, leaf) != set) return kManySets;
    return set;
  }

  /// Links a leaf with those of the list that follow it and are not in its set as a whole.
  void join_leaf(std::size_t leaf) {
    const Bounds<D, T> box = box_of(leaf);
    const T largest = scene_.largest[0][leaf];
    bool is_joined = scene_.joined.note(0, leaf);
    for (const NearLeaves& near : near_) {
      const std::size_t base = near.chunk * kLanes;
      if (base + kLanes <= leaf) continue;
      const Lowers lower = lowers2(scene_.metric, box, boxes_of(0, near.chunk));
      for (unsigned lanes = near.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::size_t other = base + lane;
        if (other < leaf || !(lower[lane] <= pair_reach2<Rule>(largest, scene_.largest[0][other])))
          continue;
        const bool are_joined = is_joined && scene_.joined.note(0, other);
        if (are_joined && scene_.joined.set_of(0, leaf) == scene_.joined.set_of(0, other)) continue;
        link_leaves(leaf, other, are_joined);
        meter_.add(kLanes * kLanes);
        is_joined = is_joined || scene_.joined.note(0, leaf);
      }
      meter_.add(kLanes);
    }
  }

  void link_leaves(std::size_t leaf, std::size_t other, bool needs_one_link) {
    const IndexRange points = scene_.planes.points_of(0, leaf),
                     others = scene_.planes.points_of(0, other);
    const Bounds<D, T> box = box_of(other);
    const T largest = scene_.largest[0][other];
    for (std::size_t p = points.begin; p < points.end;) {
      const std::size_t base = p / kLanes * kLanes, end = std::min(points.end, base + kLanes);
      const T* block = scene_.planes.block(base / kLanes, scene_.metric.axes);
      const Lowers lower = lowers2(scene_.metric, box, {block, block});
      for (; p < end; ++p) {
        const T most2 = pair_reach2<Rule>(scene_.length[p], largest);
        if (lower[p - base] <= most2 && link(p, others, most2) && needs_one_link) return;
      }
    }
  }

  /// Links a point with its friends among others, none of which is farther away than `most2`;
  /// returns whether it has any but itself.
  bool link(std::size_t p, const IndexRange& others, T most2) {
    T x[kAxisRoom<D>];
    scene_.planes.load(p, scene_.metric.axes, x);
    bool has_friend = false;
    for (std::size_t base = others.begin / kLanes * kLanes; base < others.end; base += kLanes) {
      const Eight<T> d2 =
          distances2(scene_.metric, x, scene_.planes.block(base / kLanes, scene_.metric.axes));
      for (unsigned lanes = lanes_within(d2, most2); lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::size_t q = base + lane;
        if (q == p || q < others.begin || q >= others.end) continue;
        const T reach2 = pair_reach2<Rule>(scene_.length[p], scene_.length[q]);
        if (!(scene_.is_strict ? d2[lane] < reach2 : d2[lane] <= reach2)) continue;
        scene_.sets.unite(static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(q));
        has_friend = true;
      }
    }
    return has_friend;
  }

  const LengthScene<D, T>& scene_;
  WorkMeter& meter_;
  std::vector<NearLeaves> near_;
  std::size_t first_ = 0;          ///< point of the group
  std::uint32_t set_ = kManySets;  ///< of the group
  Bounds<D, T> box_{};
  T largest_ = 0;
};

template <int D, LengthRule Rule, class T>
void join_groups(const LengthScene<D, T>& scene, Workers& workers) {
  workers.for_ranges(leaf_groups(scene.planes), kGroupGrain,
                     [&](std::size_t begin, std::size_t end) {
                       WorkMeter meter(workers, std::size_t{1} << 18);
                       GroupJoin<D, T, Rule> join(scene, meter);
                       for (std::size_t group = begin; group < end; ++group) join.run(group);
                       workers.advance(end - begin);
                     });
}

/// Whether the set of each point may grow: not if the points within the largest length of it and of
/// each other are the same set.
template <class T>
Array<std::uint8_t> open_points(const Planes<T>& planes, const UnionFind<std::uint32_t>& sets,
                                std::uint32_t* widest, const Workers& workers) {
  const UnionFind<std::uint32_t> wide(widest);
  Array<std::uint8_t> is_mixed(planes.points, workers.pool()), open(planes.points, workers.pool());
  std::fill(is_mixed.begin(), is_mixed.end(), std::uint8_t{0});
  workers.for_ranges(planes.points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i)
      if (const std::uint32_t root = wide.find(i); sets.find(i) != sets.find(root))
        // Relaxed: every thread writes the same value, which is read after the loop.
        std::atomic_ref(is_mixed[root]).store(1, std::memory_order_relaxed);
  });
  workers.for_ranges(planes.points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      open[i] = is_mixed[wide.find(static_cast<std::uint32_t>(i))];
  });
  return open;
}

/// Unites sets of points that are friends. `widest`: a union-find of points within the largest
/// length, or null.
template <class T>
void unite_friends(const Planes<T>& planes, const Frame<T>& frame, const PointLengths<T>& lengths,
                   const LengthLinks& links, std::uint32_t* parent, std::uint32_t* widest,
                   Workers& workers) {
  const PlanesView<T> view = planes.view();
  const Stage stage(workers, "lengths", leaf_groups(view));
  const UnionFind<std::uint32_t> sets(parent);
  Array<std::uint8_t> open;
  if (widest) {
    open = open_points(planes, sets, widest, workers);
  } else {
    open = Array<std::uint8_t>(planes.points, workers.pool());
    std::fill(open.begin(), open.end(), std::uint8_t{1});
  }
  const std::vector<Array<std::uint8_t>> is_open = largest_of_nodes(view, open.data(), workers);
  const T* length = lengths.length.data();
  const std::vector<Array<T>> largest = largest_of_nodes(view, length, workers);
  const JoinedNodes<T> joined(view, sets, workers);
  with_dimension(planes.dimension, [&]<int D>() {
    Metric<D, T> metric{Axes<D>(planes.dimension)};
    std::copy_n(frame.side, planes.dimension, metric.side);
    const LengthScene<D, T> scene{view,    metric, length, largest,
                                  is_open, sets,   joined, links.is_strict};
    with_rule(links.rule, [&]<LengthRule Rule>() { join_groups<D, Rule>(scene, workers); });
  });
}

}  // namespace

template <class T>
PointLengths<T> point_lengths(const Planes<T>& planes, const Frame<T>& frame,
                              std::span<const double> given, const Workers& workers) {
  constexpr T kMost = std::numeric_limits<T>::max();
  const std::size_t points = planes.points;
  PointLengths<T> lengths{Array<T>(planes.lanes_up(points), workers.pool())};
  std::fill(lengths.length.begin(), lengths.length.end(), T(0));
  struct Ends {
    T least = std::numeric_limits<T>::infinity(), largest = 0;
  };
  std::vector<Ends> parts(range_count(points, kPointGrain));
  workers.for_ranges(points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    Ends& part = parts[begin / kPointGrain];
    each_point(planes, begin, end, [&](std::size_t at, std::uint32_t index) {
      const double value = given[index];
      const T rounded = value < double{kMost} ? static_cast<T>(value) : kMost;
      const T scaled =
          frame.exponent == 0 ? rounded : std::min(std::ldexp(rounded, frame.exponent), kMost);
      lengths.length[at] = scaled;
      part.least = std::min(part.least, scaled);
      part.largest = std::max(part.largest, scaled);
    });
  });
  for (const Ends& part : parts) {
    lengths.least = std::min(lengths.least, part.least);
    lengths.largest = std::max(lengths.largest, part.largest);
  }
  return lengths;
}

template <class T>
Array<std::uint32_t> join_by_lengths(const Planes<T>& planes, const Frame<T>& frame,
                                     const PointLengths<T>& lengths, const LengthLinks& links,
                                     Workers& workers) {
  const auto within = [&](T length) {
    return join(planes, frame.side, reach2_of(length, links.is_strict), workers);
  };
  Array<std::uint32_t> parent = within(lengths.least), widest;
  if (!(lengths.least < lengths.largest)) return parent;
  // If lengths differ more, points within the largest one form few groups, which show nothing.
  constexpr T kAlike = 2;
  if (lengths.largest <= kAlike * lengths.least) widest = within(lengths.largest);
  unite_friends(planes, frame, lengths, links, parent.data(), widest.data(), workers);
  return parent;
}

#define KITH_INSTANTIATE(T)                                                        \
  template PointLengths<T> point_lengths(const Planes<T>&, const Frame<T>&,        \
                                         std::span<const double>, const Workers&); \
  template Array<std::uint32_t> join_by_lengths(                                   \
      const Planes<T>&, const Frame<T>&, const PointLengths<T>&, const LengthLinks&, Workers&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith
