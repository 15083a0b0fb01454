#include "clusters/boruvka.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "clusters/edge_store.hpp"
#include "clusters/local_forest.hpp"
#include "clusters/span_needs.hpp"
#include "clusters/thin.hpp"
#include "clusters/zero_length_edges.hpp"
#include "geometry/distance.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

constexpr std::uint64_t kNoEdge = ~std::uint64_t{0};
/// Points of a task of the first join: edges inside are thinned together, in cache.
constexpr std::size_t kFirstTask = 4096;
/// Points of a task of a later search: uncertain blocks are few and close together.
constexpr std::size_t kSearchTask = 512;

template <class T>
class Boruvka {
 public:
  Boruvka(const PlanesView<T>& tree, const T* side, const Array<T>& core2, Workers& workers)
      : tree_(tree),
        workers_(workers),
        metric_{tree.any_axes()},
        order_(tree),
        core2_(core2),
        needs_(tree, core2, workers),
        component_(lanes_up(tree.points), workers.pool()),
        best_(tree.points, workers.pool()),
        lightest_(tree.points, workers.pool()),
        link_(tree.points, workers.pool()),
        store_(workers),
        result_(tree.points - 1, workers.pool()) {
    set_job(side);
  }

  Array<Edge<T>> run(const std::uint32_t* joined) {
    const Stage stage(workers_, "spanning tree", tree_.points);
    each(component_.size(), [&](std::size_t i) { component_[i] = static_cast<Index>(i); });
    if (joined) std::copy_n(joined, tree_.points, component_.begin());
    const bool is_any_joined = join_at_zero() || joined;
    needs_.set_first(component_.data());
    run_tasks(SpanRound::within, kFirstTask);
    if (!is_any_joined) take_certain();
    find_roots();
    while (count_ > 1) {
      sweep();
      bound_lonely();
      if (needs_.mark_uncertain(component_.data(), best_.data())) search();
      const std::size_t before = count_;
      merge();
      workers_.advance(before - count_);
    }
    if (taken_ == result_.size()) return std::move(result_);
    Array<Edge<T>> taken(taken_, workers_.pool());
    std::copy_n(result_.begin(), taken.size(), taken.begin());
    return taken;
  }

 private:
  using Index = std::uint32_t;

  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  template <class Body>
  void each_segment(std::size_t first, Body body) {
    std::vector<EdgeSegment>& segments = store_.segments();
    workers_.for_each(segments.size() - first, [&](std::size_t i) { body(segments[first + i]); });
  }

  // ---- the job

  void set_job(const T* side) {
    std::copy_n(side, tree_.dimension, job_.side);
    std::copy_n(side, tree_.dimension, metric_.side);
    job_.is_periodic = std::any_of(side, side + tree_.dimension, [](T s) { return s > 0; });
    job_.tree = tree_;
    job_.component = component_.data();
    job_.best = best_.data();
    job_.need = needs_.need();
    job_.node_component = needs_.node_component();
    job_.core2 = needs_.core2();
  }

  int top() const { return tree_.plane_count; }
  std::size_t nodes(int height) const { return tree_.plane(height - 1).nodes; }

  // ---- the first join

  /// Joins points at distance 0; false if they fill no block.
  bool join_at_zero() {
    ZeroLengthEdges<T> at_zero(tree_, metric_, core2_, workers_);
    if (!at_zero.has_full_block()) return false;
    const std::vector<Edge<T>> edges = at_zero.join(component_);
    std::copy(edges.begin(), edges.end(), result_.begin());
    taken_ = edges.size();
    return true;
  }

  void run_tasks(SpanRound round, std::size_t task_points) {
    job_.task_height = 1;
    while (job_.task_height < top() && (std::size_t{1} << (3 * job_.task_height)) < task_points)
      ++job_.task_height;
    const std::size_t tasks = nodes(job_.task_height);
    std::vector<TaskEdges<T>> found(tasks);
    workers_.for_each(tasks, [&](std::size_t node) {
      const typename Borrowed<Scratch>::Loan scratch(scratch_);
      SpanScratch<T>& lists = scratch->lists;
      lists.near.resize(static_cast<std::size_t>(top()) + 1);
      lists.edges.clear();
      run_span_task(job_, round, static_cast<Index>(node), lists);
      std::size_t n = lists.edges.size();
      if (round == SpanRound::within) {
        if (!scratch->thin) scratch->thin = std::make_unique<Thinner<T>>(order_);
        const std::size_t size = std::size_t{1} << (3 * job_.task_height);
        const ThinnedEdges left = (*scratch->thin)(
            lists.edges.data(), n, static_cast<Index>(node * size), static_cast<Index>(size));
        n = left.all;
        found[node].leaving = left.leaving;
      }
      found[node].edges.assign(lists.edges.data(), lists.edges.data() + n);
    });
    store_.append(found);
  }

  // ---- edges that are certain without a search

  /// Takes the edges that the first join alone makes certain, node by node.
  void take_certain() {
    Array<T>& leaving = best_;  // not in use yet
    each(tree_.points, [&](std::size_t i) { leaving[i] = std::numeric_limits<T>::max(); });
    each_segment(0, [&](EdgeSegment& segment) {
      const Edge<T>* const edges = store_.edges(segment);
      for (std::size_t i = 0; i < segment.leaving; ++i) {
        lower_best(edges[i].p, edges[i].weight);
        lower_best(edges[i].q, edges[i].weight);
      }
    });
    each_segment(0, [&](EdgeSegment& segment) { take_certain(segment); });
  }
  void find_roots() {
    roots_ = pack<Index>(workers_, tree_.points, [&](std::size_t i) { return component_[i] == i; });
    count_ = roots_.size();
    workers_.advance(tree_.points - count_);
  }
  void take_certain(EdgeSegment& segment) {
    const typename Borrowed<LocalForest<T>>::Loan forest(forests_);
    const std::size_t whole = std::size_t{1} << (3 * job_.task_height);
    const std::size_t begin = segment.node * whole, size = std::min(whole, tree_.points - begin);
    forest->start(static_cast<Index>(begin), static_cast<Index>(size), [&](Index i) {
      return std::min(needs_.certain((begin + i) / kLanes), best_[begin + i]);
    });
    Edge<T>* const edges = store_.edges(segment);
    // Certain edges change places with others: first those that stay, then those that are taken.
    std::size_t kept = segment.leaving;
    std::vector<Edge<T>> taken;
    for (std::size_t i = segment.leaving; i < segment.size; ++i) {
      if (forest->add(edges[i].weight, edges[i].p, edges[i].q))
        taken.push_back(edges[i]);
      else
        edges[kept++] = edges[i];
    }
    segment.size = kept;
    for (std::size_t i = 0; i < size; ++i)
      component_[begin + i] = forest->component(static_cast<Index>(i));
    // The order of edges does not matter here.
    const std::size_t at = taken_.fetch_add(taken.size(), std::memory_order_relaxed);
    std::copy(taken.begin(), taken.end(), result_.begin() + at);
  }

  // ---- rounds

  /// Drops edges inside components and finds the lightest edge of every component.
  void sweep() {
    each(count_, [&](std::size_t i) { lightest_[roots_[i]] = kNoEdge; });
    each_segment(0, [&](EdgeSegment& segment) {
      Edge<T>* const edges = store_.edges(segment);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < segment.size; ++i) {
        const Edge<T> edge = edges[i];
        if (component_[edge.p] == component_[edge.q]) continue;
        edges[kept] = edge;
        offer(edge, segment.begin + kept);
        ++kept;
      }
      segment.size = kept;
    });
    each(count_, [&](std::size_t i) {
      const Index c = roots_[i];
      best_[c] =
          lightest_[c] == kNoEdge ? std::numeric_limits<T>::max() : edge(lightest_[c]).weight;
    });
  }

  const Edge<T>& edge(std::uint64_t word) const { return store_[static_cast<Index>(word)]; }

  /// The edge at a place as the lightest of both its components. A word holds the leading bits of
  /// the weight and the place of the edge; ties are decided in full. The edge is stored before its
  /// word is released, so a thread that acquires the word sees it.
  void offer(const Edge<T>& edge, std::size_t place) {
    const std::uint64_t word = std::uint64_t{leading_bits(edge.weight)} << 32 | place;
    offer(component_[edge.p], edge, word);
    offer(component_[edge.q], edge, word);
  }
  void offer(Index component, const Edge<T>& edge, std::uint64_t word) {
    const std::atomic_ref shared(lightest_[component]);
    std::uint64_t seen = shared.load(std::memory_order_acquire);
    while (seen == kNoEdge || word >> 32 < seen >> 32 ||
           (word >> 32 == seen >> 32 && order_(edge, this->edge(seen)))) {
      if (workers_.threads() == 1) {
        lightest_[component] = word;
        return;
      }
      if (shared.compare_exchange_weak(seen, word, std::memory_order_release,
                                       std::memory_order_acquire))
        return;
    }
  }

  /// A component without an edge gets a first bound from neighbors along the curve.
  void bound_lonely() {
    std::atomic<bool> has_lonely = false;
    each(count_, [&](std::size_t i) {
      if (lightest_[roots_[i]] == kNoEdge) has_lonely.store(true, std::memory_order_relaxed);
    });
    if (!has_lonely.load(std::memory_order_relaxed)) return;
    each(tree_.points - 1, [&](std::size_t i) {
      const Index a = component_[i], b = component_[i + 1];
      if (a == b || (lightest_[a] != kNoEdge && lightest_[b] != kNoEdge)) return;
      const T weight = weight_of_neighbors(i);
      lower_best(a, weight);
      lower_best(b, weight);
    });
  }

  T weight_of_neighbors(std::size_t i) const {
    T p[kMaxDimension], q[kMaxDimension];
    tree_.load(i, tree_.any_axes(), p);
    tree_.load(i + 1, tree_.any_axes(), q);
    const T d2 = metric_.distance2(p, q);
    if (job_.core2.empty()) return d2;
    return std::max({d2, job_.core2[0][i], job_.core2[0][i + 1]});
  }
  void lower_best(Index component, T weight) {
    const std::atomic_ref best(best_[component]);
    T seen = best.load(std::memory_order_relaxed);
    while (weight < seen && !best.compare_exchange_weak(seen, weight, std::memory_order_relaxed)) {
    }
  }

  /// Searches the tree for lighter edges of uncertain blocks, which are then certain up to that
  /// length.
  void search() {
    run_tasks(SpanRound::leaving, kSearchTask);
    each_segment(store_.fresh(), [&](EdgeSegment& segment) {
      const Edge<T>* const edges = store_.edges(segment);
      for (std::size_t i = 0; i < segment.size; ++i) offer(edges[i], segment.begin + i);
    });
    needs_.note_search(component_.data(), best_.data());
  }

  /// Every component takes its lightest edge. Two that take the same edge are joined under the
  /// lower one; all others become children of the component at the other end.
  void merge() {
    each(count_, [&](std::size_t i) {
      const Index c = roots_[i];
      const Edge<T>& chosen = edge(lightest_[c]);
      const Index a = component_[chosen.p];
      link_[c] = a == c ? component_[chosen.q] : a;
    });
    const Array<Index> stay =
        pack<Index>(workers_, count_, [&](std::size_t i) { return is_root(roots_[i]); });
    take_edges();
    Array<Index> next(stay.size(), workers_.pool());
    each(stay.size(), [&](std::size_t i) { next[i] = roots_[stay[i]]; });
    each(next.size(), [&](std::size_t i) { link_[next[i]] = next[i]; });
    flatten();
    roots_ = std::move(next);
    count_ = roots_.size();
  }
  /// Before links of roots point at themselves: do this component and its partner share an edge?
  bool is_root(Index c) const {
    const Index d = link_[c];
    if (c > d) return false;
    const Edge<T>&mine = edge(lightest_[c]), &other = edge(lightest_[d]);
    return mine.p == other.p && mine.q == other.q;
  }
  void take_edges() {
    workers_.for_ranges(count_, kPointGrain, [&](std::size_t begin, std::size_t end) {
      std::size_t n = 0;
      for (std::size_t i = begin; i < end; ++i) n += !is_root(roots_[i]);
      // The order of edges does not matter here.
      std::size_t at = taken_.fetch_add(n, std::memory_order_relaxed);
      for (std::size_t i = begin; i < end; ++i)
        if (!is_root(roots_[i])) result_[at++] = edge(lightest_[roots_[i]]);
    });
  }

  Index up(Index c) const { return std::atomic_ref(link_[c]).load(std::memory_order_relaxed); }
  /// Points at the new root of every component and point. Relaxed, as in a union-find: a link only
  /// ever moves to an ancestor, and one that is overwritten by an older ancestor is a longer way.
  void flatten() {
    each(count_, [&](std::size_t i) {
      const Index c = roots_[i];
      std::atomic_ref(link_[c]).store(root_of(c), std::memory_order_relaxed);
    });
    each(tree_.points, [&](std::size_t i) { component_[i] = root_of(component_[i]); });
  }
  Index root_of(Index c) const {
    for (Index above = up(c); above != c; above = up(c)) c = above;
    return c;
  }

  struct Scratch {
    SpanScratch<T> lists;
    std::unique_ptr<Thinner<T>> thin;
  };

  const PlanesView<T>& tree_;
  Workers& workers_;
  Metric<kAnyDimension, T> metric_;
  EdgeOrder<T> order_;
  SpanJob<T> job_;
  const Array<T>& core2_;
  SpanNeeds<T> needs_;
  Array<Index> component_;         // per position: its root
  Array<T> best_;                  // per root
  Array<std::uint64_t> lightest_;  // per root
  Array<Index> link_;              // per root
  Array<Index> roots_;
  std::size_t count_ = 0;  // of roots
  EdgeStore<T> store_;
  Array<Edge<T>> result_;
  std::atomic<std::size_t> taken_ = 0;
  Borrowed<Scratch> scratch_;
  Borrowed<LocalForest<T>> forests_;
};

}  // namespace

template <class T>
Array<Edge<T>> minimum_spanning_tree(const PlanesView<T>& tree, const T* side,
                                     const Array<T>& core2, Workers& workers,
                                     const std::uint32_t* joined) {
  if (tree.points < 2) return {};
  return Boruvka<T>(tree, side, core2, workers).run(joined);
}

template Array<Edge<float>> minimum_spanning_tree(const PlanesView<float>&, const float*,
                                                  const Array<float>&, Workers&,
                                                  const std::uint32_t*);
template Array<Edge<double>> minimum_spanning_tree(const PlanesView<double>&, const double*,
                                                   const Array<double>&, Workers&,
                                                   const std::uint32_t*);

}  // namespace kith
