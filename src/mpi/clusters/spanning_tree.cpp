#include "mpi/clusters/spanning_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include <kith/hierarchy.hpp>
#include <kith/mpi.hpp>

#include "clusters/local_forest.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "mpi/clusters/core_distances.hpp"
#include "mpi/clusters/rank_forest.hpp"
#include "mpi/clusters/sample_weights.hpp"
#include "mpi/neighbors/ghosts.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

/// A component, as a number that travels with points.
struct OwnComponent {
  std::uint32_t rank, component;
};

template <class T>
class SpanningRanks {
 public:
  /// `core2`: empty for the Euclidean tree, and on ranks without points.
  SpanningRanks(Call& call, const Domains::Impl& domains, bool has_core, const Array<T>& core2)
      : call_(call),
        part_(domains.as<T>()),
        first_(static_cast<std::uint64_t>(domains.options.first_index)),
        has_core_(has_core),
        core2_(core2) {}

  void run() {
    std::vector<OpenComponent<T>> components;
    std::vector<OpenEdge<T>> edges;
    call_.work([&](Workers& workers) { span_own(components, edges, workers); });
    call_.note_traffic("spanning trees of ranks");
    share(components, edges);
    std::uint64_t rounds = 0;
    for (; !forest_.is_whole(); ++rounds) {
      const Array<OpenEdge<T>> all = rows_of_all(call_, ask());
      call_.phase([&](Workers& workers) {
        const std::size_t before = forest_.components();
        forest_.contract({all.data(), all.size()}, workers);
        if (forest_.components() == before)
          fail(ErrorCode::internal, "{}: {} components have found no edge", call_.name(), before);
      });
    }
    if (call_.execution().statistics)
      call_.execution().statistics->counts.push_back({"spanning rounds", rounds});
    call_.note_traffic("edges between ranks");
  }

  /// The edges of the tree that only this rank knows, and those that all know.
  std::vector<IndexEdge<T>>& own() { return own_; }
  std::vector<IndexEdge<T>>& common() { return forest_.taken(); }

 private:
  std::uint32_t number(std::size_t local) const {
    return static_cast<std::uint32_t>(part_.global[local] - first_);
  }
  std::size_t points() const { return part_.planes.points; }

  // ---- the own points

  void span_own(std::vector<OpenComponent<T>>& components, std::vector<OpenEdge<T>>& open,
                Workers& workers) {
    const PlanesView<T> view = part_.view();
    const Array<IndexEdge<T>> edges = SpanningParts<T>::sorted(
        SpanningParts<T>::edges(part_.planes, view, part_.frame.side, core2_, workers), workers);
    nearest_ = nearest_boxes(part_, view, call_.rank(), workers);
    Array<T> bound(points(), workers.pool());  // by local index
    for (std::size_t at = 0; at < points(); ++at) bound[view.index(at)] = least_weight(at);
    LocalForest<T> forest;
    forest.start(0, static_cast<std::uint32_t>(points()),
                 [&](std::uint32_t i) { return bound[i]; });
    Array<std::uint8_t> is_open(edges.size(), workers.pool());
    for_each_in_order(workers, edges.size(), [&](std::size_t i) {
      const IndexEdge<T>& edge = edges[i];
      is_open[i] = forest.add(edge.weight, edge.low, edge.high) ? 0 : 1;
      if (is_open[i] == 0) own_.push_back({edge.weight, number(edge.low), number(edge.high)});
    });
    number_components(forest, bound, components, workers);
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (is_open[i] != 0)
        open.push_back({{edges[i].weight, number(edges[i].low), number(edges[i].high)},
                        component_[edges[i].low],
                        component_[edges[i].high]});
    covered_ = Array<T>(points(), workers.pool());
    std::fill(covered_.begin(), covered_.end(), T(-1));
  }

  /// No edge to another rank is lighter.
  T least_weight(std::size_t position) const {
    const T way2 = nearest_[position / kLanes].lower2;
    return core2_.empty() ? way2 : std::max(way2, core2_[position]);
  }

  void number_components(LocalForest<T>& forest, const Array<T>& bound,
                         std::vector<OpenComponent<T>>& components, const Workers& workers) {
    component_ = Array<std::uint32_t>(points(), workers.pool());
    for_each_in_order(workers, points(), [&](std::size_t i) {
      const std::uint32_t root = forest.component(static_cast<std::uint32_t>(i));
      if (root == i) {  // the lowest of its component
        component_[i] = static_cast<std::uint32_t>(components.size());
        components.push_back({bound[i], 1});
        return;
      }
      component_[i] = component_[root];
      OpenComponent<T>& component = components[component_[i]];
      component.bound = std::min(component.bound, bound[i]);
      ++component.points;
    });
  }

  /// From now on components of all ranks have one numbering.
  void share(std::vector<OpenComponent<T>>& components, std::vector<OpenEdge<T>>& edges) {
    std::vector<std::uint64_t> counts;
    std::vector<std::uint32_t> first;  // component of each rank
    most_core2_ = 0;
    call_.quick([&] {
      counts.resize(static_cast<std::size_t>(call_.ranks()));
      core2_of_rank_.resize(counts.size());
      for (std::size_t at = 0; !core2_.empty() && at < points(); ++at)
        most_core2_ = std::max(most_core2_, core2_[at]);
    });
    const std::uint64_t count = components.size();
    call_.communicator().gather_all(&count, sizeof count, counts.data());
    call_.communicator().gather_all(&most_core2_, sizeof(T), core2_of_rank_.data());
    call_.prepare([&] {
      for (std::uint64_t before = 0; const std::uint64_t each : counts) {
        first.push_back(static_cast<std::uint32_t>(before));
        before += each;
      }
      const std::uint32_t shift = first[static_cast<std::size_t>(call_.rank())];
      for (OpenEdge<T>& edge : edges) {
        edge.a += shift;
        edge.b += shift;
      }
      // Never null: import_ghosts sends values on all ranks or on none.
      tag_ = Array<double>(std::max<std::size_t>(1, points()));
      for (std::size_t i = 0; i < points(); ++i)
        tag_[i] = std::bit_cast<double>(
            OwnComponent{static_cast<std::uint32_t>(call_.rank()), component_[i] += shift});
      core_ = Array<double>(core2_.empty() ? 0 : tag_.size());
      const PlanesView<T> view = part_.view();
      for (std::size_t at = 0; !core2_.empty() && at < points(); ++at)
        core_[view.index(at)] = static_cast<double>(core2_[at]);
    });
    const Array<OpenComponent<T>> all = rows_of_all(call_, components);
    const Array<OpenEdge<T>> open = rows_of_all(call_, edges);
    call_.phase([&](Workers& workers) {
      components = {};
      edges = {};
      forest_.start({all.data(), all.size()}, {open.data(), open.size()}, std::move(first),
                    workers);
    });
  }

  // ---- a round of questions

  /// The edges to other ranks that the points of this rank have found.
  std::vector<OpenEdge<T>> ask() {
    FarQueries<T> far;
    call_.work([&](Workers& workers) {
      const Stage stage(workers, "points that ask", points());
      far = select_far(part_.planes, reaches(workers), workers);
    });
    const Ghosts<T> near = import_ghosts(call_, part_, far, tag_.data(), GhostsOf::all);
    Ghosts<T> cores;
    if (has_core_) cores = import_ghosts(call_, part_, far, core_.data(), GhostsOf::all);
    std::vector<OpenEdge<T>> found;
    call_.work([&](Workers& workers) { found = edges_of(near, cores.value, workers); });
    return found;
  }

  /// By position: how far a point asks, or -1.
  Array<T> reaches(Workers& workers) {
    const PlanesView<T> view = part_.view();
    Array<T> reach(points(), workers.pool());
    const T enough = points() > 0 ? reach_of_rank() : T(0);
    workers.for_ranges(view.block_count(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t block = begin; block < end; ++block) {
        const std::size_t last = block * kLanes + view.points_of_block(block);
        const T way2 = nearest_[block].lower2;
        const bool is_far = std::isinf(way2) || way2 > forest_.longest_reach();
        const T to_box = is_far ? T(0) : reach_to_nearest_box(block);
        for (std::size_t at = block * kLanes; at < last; ++at)
          reach[at] = is_far ? T(-1) : reach_of(at, to_box, enough);
      }
    });
    return reach;
  }

  /// If no edge is known to leave the component of this rank's points: an edge of at most this
  /// weight does. Ranks are inside the component or outside. Infinite otherwise.
  T reach_of_rank() const {
    T enough = std::numeric_limits<T>::infinity();
    const std::uint32_t component = forest_.now(component_[0]);
    if (!std::isinf(forest_.reach(component))) return enough;
    const auto metric = part_.template metric<kAnyDimension>();
    const RankBoxes<T>& boxes = part_.boxes;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (static_cast<int>(boxes.owner[i]) != call_.rank()) continue;
      for (std::size_t j = 0; j < boxes.size(); ++j) {
        if (forest_.has_rank(component, boxes.owner[j])) continue;
        const T upper2 = metric.upper2(boxes.box(i, metric.axes), boxes.box(j, metric.axes));
        enough = std::min(enough, std::max({upper2, core2_of_rank_[boxes.owner[i]],
                                            core2_of_rank_[boxes.owner[j]]}));
      }
    }
    return enough;
  }
  /// Any point of a block has an edge of at most this weight to a point of another rank.
  T reach_to_nearest_box(std::size_t block) const {
    const NearestBox<T>& nearest = nearest_[block];
    const auto metric = part_.template metric<kAnyDimension>();
    T reach = metric.upper2(part_.view().box(0, block, metric.axes),
                            part_.boxes.box(nearest.box, metric.axes));
    for (std::size_t i = 0; !core2_.empty() && i < part_.view().points_of_block(block); ++i)
      reach = std::max(reach, core2_[block * kLanes + i]);
    return std::max(reach, core2_of_rank_[part_.boxes.owner[nearest.box]]);
  }
  /// The lightest edge known, or less if a lighter one leaves the component certainly.
  T reach_of(std::size_t position, T to_box, T enough) const {
    const std::uint32_t component = forest_.now(component_[part_.view().index(position)]);
    T reach = std::min(forest_.reach(component), enough);
    if (forest_.is_on_one_rank(component)) reach = std::min(reach, to_box);
    // Nothing new is that near.
    if (reach < least_weight(position) || reach <= covered_[position]) return -1;
    covered_[position] = reach;
    return reach;
  }

  std::vector<OpenEdge<T>> edges_of(const Ghosts<T>& near, const Array<double>& cores,
                                    Workers& workers) const {
    std::vector<OpenEdge<T>> found;
    const PlanesView<T> view = near.planes.view();
    Array<T> core2;
    if (has_core_) {
      core2 = Array<T>(lanes_up(view.points), workers.pool());
      std::fill(core2.begin(), core2.end(), std::numeric_limits<T>::infinity());
      for (std::size_t at = 0; at < view.points; ++at)
        core2[at] = static_cast<T>(cores[view.index(at)]);
    }
    const Array<IndexEdge<T>> edges = SpanningParts<T>::open_edges(
        view, part_.frame.side, core2, joined(near, view, workers), workers);
    const auto own = static_cast<std::uint32_t>(call_.rank());
    for (const IndexEdge<T>& edge : edges) {
      const OwnComponent a = tag_of(near, edge.low), b = tag_of(near, edge.high);
      if ((a.rank == own) == (b.rank == own)) continue;  // others report these
      found.push_back({{edge.weight, static_cast<std::uint32_t>(near.global[edge.low] - first_),
                        static_cast<std::uint32_t>(near.global[edge.high] - first_)},
                       a.component,
                       b.component});
    }
    return found;
  }

  static OwnComponent tag_of(const Ghosts<T>& near, std::size_t index) {
    return std::bit_cast<OwnComponent>(near.value[index]);
  }

  /// By position: the first point of its component.
  Array<std::uint32_t> joined(const Ghosts<T>& near, const PlanesView<T>& view,
                              const Workers& workers) const {
    constexpr std::uint32_t kNone = 0xffffffff;
    std::vector<std::uint32_t> first(forest_.components_at_start(), kNone);
    Array<std::uint32_t> joined(view.points, workers.pool());
    for (std::size_t at = 0; at < view.points; ++at) {
      std::uint32_t& root = first[forest_.now(tag_of(near, view.index(at)).component)];
      if (root == kNone) root = static_cast<std::uint32_t>(at);
      joined[at] = root;
    }
    return joined;
  }

  Call& call_;
  const Part<T>& part_;
  std::uint64_t first_;  ///< global index of number 0
  bool has_core_;
  const Array<T>& core2_;
  Array<NearestBox<T>> nearest_;    ///< per block
  Array<std::uint32_t> component_;  ///< of the start, by local index
  Array<T> covered_;                ///< by position: how far it has asked
  Array<double> tag_, core_;        ///< by local index: OwnComponent, squared core distance
  T most_core2_ = 0;
  std::vector<T> core2_of_rank_;  ///< the largest of each rank
  std::vector<IndexEdge<T>> own_;
  RankForest<T> forest_;
};

/// A point in a tree with weights.
template <class T>
struct WeightedPoint {
  double weight;
  T core2;
  std::uint32_t number;
};

template <class T>
class TreeOfRanks {
 public:
  TreeOfRanks(Call& call, const Domains::Impl& domains, const SpanningTreeOptions& options,
              TreeOn on)
      : call_(call), domains_(domains), part_(domains.as<T>()), options_(options), on_(on) {}

  std::shared_ptr<const SpanningTree::Impl> run() {
    count_input();
    const RankWeights weight =
        send_weights(call_, "spanning_tree", domains_, options_.sample_weight, Negative::refused);
    Array<T> core2;
    const bool has_core = options_.core_k > 1 || weight.is_given;
    if (has_core)
      core2 = core_distances_of_ranks<T>(call_, domains_, options_.core_k, weight.data());
    call_.note_traffic("core distances");
    SpanningRanks<T> spanning(call_, domains_, has_core, core2);
    spanning.run();
    const Array<IndexEdge<T>> own = gather(spanning.own());
    Array<WeightedPoint<T>> points;
    if (weight.is_given) points = gather(weighted_points(weight.data(), core2));
    std::shared_ptr<SpanningTree::Impl> out;
    call_.phase([&](Workers& workers) {
      if (on_ == TreeOn::first_rank && call_.rank() != 0) return;
      out = facts();
      deliver(own, spanning.common(), *out, workers);
      if (weight.is_given) note_weights(points, *out, workers);
    });
    call_.note_traffic("spanning tree");
    return out;
  }

 private:
  void count_input() {
    std::int64_t total = static_cast<std::int64_t>(domains_.input_size);
    call_.communicator().sum(&total, 1);
    input_size_ = static_cast<std::size_t>(total);
    // The number of the only point, if it is here.
    only_ = part_.global.empty()
                ? total
                : static_cast<std::int64_t>(part_.global[0]) - domains_.options.first_index;
    call_.communicator().least(&only_, 1);
    call_.quick([&] {
      if (input_size_ > kMaxPoints)
        fail(ErrorCode::too_large, "spanning_tree: {} points; at most {}: split the set",
             input_size_, kMaxPoints);
    });
  }

  template <class Row>
  Array<Row> gather(const std::vector<Row>& rows) {
    if (on_ == TreeOn::all_ranks) return rows_of_all(call_, rows);
    return std::move(rows_on_first(call_, rows).values);
  }

  std::vector<WeightedPoint<T>> weighted_points(const double* weight, const Array<T>& core2) {
    std::vector<WeightedPoint<T>> points;
    call_.prepare([&] {
      const PlanesView<T> view = part_.view();
      points.resize(view.points);
      for (std::size_t at = 0; at < view.points; ++at) {
        const std::uint32_t local = view.index(at);
        points[at] = {
            weight[local], core2[at],
            static_cast<std::uint32_t>(part_.global[local] -
                                       static_cast<std::uint64_t>(domains_.options.first_index))};
      }
    });
    return points;
  }

  std::shared_ptr<SpanningTree::Impl> facts() const {
    auto out = std::make_shared<SpanningTree::Impl>();
    out->input_size = input_size_;
    out->points = domains_.total;
    out->dimension = domains_.dimension;
    out->box = domains_.options.tree.box;
    out->core_k = options_.core_k;
    out->exponent = part_.frame.exponent;
    return out;
  }

  void deliver(const Array<IndexEdge<T>>& own, const std::vector<IndexEdge<T>>& common,
               SpanningTree::Impl& out, Workers& workers) const {
    Array<IndexEdge<T>> edges(own.size() + common.size(), workers.pool());
    std::copy(own.begin(), own.end(), edges.begin());
    std::copy(common.begin(), common.end(), edges.begin() + own.size());
    SpanningParts<T>::deliver(edges, out, workers);
    if (out.points == out.input_size) return;
    out.is_dropped = Array<std::uint8_t>(out.input_size, workers.pool());
    std::fill(out.is_dropped.begin(), out.is_dropped.end(), std::uint8_t{1});
    for (const std::uint32_t end : out.index) out.is_dropped[end] = 0;
    if (out.points == 1) out.is_dropped[static_cast<std::size_t>(only_)] = 0;
  }

  void note_weights(const Array<WeightedPoint<T>>& points, SpanningTree::Impl& out,
                    const Workers& workers) const {
    out.weight = Array<double>(out.input_size, workers.pool());
    Array<T> core2(out.input_size, workers.pool());
    std::fill(out.weight.begin(), out.weight.end(), 0.0);
    std::fill(core2.begin(), core2.end(), T(0));
    for (const WeightedPoint<T>& point : points) {
      out.weight[point.number] = point.weight;
      core2[point.number] = point.core2;
    }
    out.core2 = std::move(core2);
  }

  Call& call_;
  const Domains::Impl& domains_;
  const Part<T>& part_;
  const SpanningTreeOptions& options_;
  TreeOn on_;
  std::size_t input_size_ = 0;
  std::int64_t only_ = 0;
};

}  // namespace

void agree_on_spanning(Call& call, const Domains& domains, const SpanningTreeOptions& options) {
  call.same().add("core_k", std::uint64_t{options.core_k});
  call.quick([&] {
    check_spanning_options(options);
    if (options.box != Box() && options.box != domains.box())
      refuse("{}: the box of the options is not that of the domains; leave it out", call.name());
    if (!impl_of(domains).first)
      refuse("{}: the points have ids, but edges name rows; make the domains without ids",
             call.name());
  });
}

std::shared_ptr<const SpanningTree::Impl> span_ranks(Call& call, const Domains::Impl& domains,
                                                     const SpanningTreeOptions& options,
                                                     TreeOn on) {
  return with_scalar(domains.scalar,
                     [&]<class T>() { return TreeOfRanks<T>(call, domains, options, on).run(); });
}

SpanningTree spanning_tree(const Domains& domains, const SpanningTreeOptions& options,
                           const Execution& execution) {
  return public_call("spanning_tree", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("spanning_tree", *impl.communicator, execution);
    agree_on_spanning(call, domains, options);
    return wrap_impl<SpanningTree>(span_ranks(call, impl, options, TreeOn::all_ranks));
  });
}

SpanningTree spanning_tree(MPI_Comm comm, PointsView points, const SpanningTreeOptions& options,
                           const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return spanning_tree(Domains::curve(comm, points, domains, execution), options, execution);
}

Hierarchy hierarchy(const Domains& domains, const SpanningTreeOptions& options,
                    const Execution& execution) {
  return public_call("hierarchy", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("hierarchy", *impl.communicator, execution);
    agree_on_spanning(call, domains, options);
    const auto tree = span_ranks(call, impl, options, TreeOn::all_ranks);
    std::optional<Hierarchy> result;
    call.phase([&](Workers& workers) {
      result = kith::hierarchy(wrap_impl<SpanningTree>(tree), inside(call, workers));
    });
    return *result;
  });
}

Hierarchy hierarchy(MPI_Comm comm, PointsView points, const SpanningTreeOptions& options,
                    const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return hierarchy(Domains::curve(comm, points, domains, execution), options, execution);
}

}  // namespace kith::mpi
