// DBSCAN: core points by capped counts, clusters of core points by the join of their subset of the
// tree, border points by the core points near them.
#include "base/fail.hpp"
#include "clusters/clusters_impl.hpp"
#include "clusters/parts.hpp"
#include "clusters/sample_weights.hpp"
#include "groups/groups_impl.hpp"
#include "groups/join.hpp"
#include "groups/labels.hpp"
#include "groups/reach.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"
#include "tree/input.hpp"
#include "tree/subset.hpp"
#include "tree/tree_impl.hpp"
#include "walk/source.hpp"

namespace kith {
namespace {

/// The role of a point; core points have the value that the kernels write.
constexpr std::uint8_t kNoise = 0, kCore = 1, kBorder = 2;

void check_weights(const DbscanOptions& options, std::size_t points) {
  if (options.sample_weight.empty()) return;
  check_sample_weights("dbscan", options.sample_weight, points, Negative::allowed);
}

template <class T>
class Dbscan {
 public:
  Dbscan(const AnyTree& tree, const DbscanOptions& options, T reach2, Workers& workers)
      : data_(impl_of(tree).template as<T>()),
        options_(options),
        workers_(workers),
        whole_(implicit_view<T>(impl_of(tree))),
        reach2_(reach2),
        parent_(Planes<T>::lanes_up(data_.planes.points), workers.pool()) {}

  void run(Groups::Impl& groups, const Array<std::uint8_t>& is_core) {
    if (points() == 0) return name_sets(data_.planes, CountedSets{}, 1, workers_, groups);
    find_cores();
    link();
    name(groups);
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(data_.planes, begin, end,
                 [&](std::size_t at, std::uint32_t index) { is_core[index] = kind_[at] == kCore; });
    });
  }

 private:
  std::size_t points() const { return data_.planes.points; }

  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(points(), kLightPointGrain, body);
  }

  void find_cores() {
    kind_ = ClusterParts<T>::cores(whole_, data_.frame, reach2_, options_.min_samples,
                                   options_.sample_weight.data(), workers_);
  }

  /// Joins the core points and takes their sets over to all points; then the border points.
  void link() {
    Subset<T> cores = subset(data_.planes, kind_, workers_);
    if (cores.planes.points == 0) {
      each_range([&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) parent_[at] = static_cast<std::uint32_t>(at);
      });
      return;
    }
    const Array<std::uint32_t> sets = join(cores.planes, data_.frame.side, reach2_, workers_);
    const bool needs_lowest = options_.border == Border::sklearn;
    const CountedSets counted =
        count_sets(cores.planes, sets.data(),
                   needs_lowest ? 1 : std::numeric_limits<std::size_t>::max(), workers_);
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) parent_[at] = static_cast<std::uint32_t>(at);
    });
    workers_.for_ranges(cores.position.size(), kLightPointGrain,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t i = begin; i < end; ++i)
                            parent_[cores.position[i]] = cores.position[counted.root[i]];
                        });
    if (options_.border != Border::none && cores.planes.points < points()) attach(cores, counted);
  }

  void attach(const Subset<T>& cores, const CountedSets& sets) {
    const UnionFind<std::uint32_t> all(parent_.data());
    const bool has_lowest = options_.border == Border::sklearn;
    ClusterParts<T>::borders(whole_, kind_.data(), cores.planes.view(), data_.frame, reach2_,
                             workers_, [&](std::uint32_t at, std::vector<CoreLink<T>>& links) {
                               for (CoreLink<T>& link : links) {
                                 const std::uint32_t root = sets.root[link.position];
                                 link.index = cores.planes.index(link.position);
                                 link.cluster = has_lowest ? sets.lowest[root] : root;
                               }
                               const CoreLink<T>* core = ClusterParts<T>::chosen(links, options_);
                               if (!core) return;
                               kind_[at] = kBorder;
                               all.unite(at, cores.position[core->position]);
                             });
  }

  void name(Groups::Impl& groups) {
    const Stage stage(workers_, "labels", 4 * points());
    const CountedSets sets = count_sets(data_.planes, parent_.data(), 1, workers_);
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at)
        if (kind_[at] == kNoise) sets.drop(at);
    });
    name_sets(data_.planes, sets, 1, workers_, groups);
  }

  const TreeData<T>& data_;
  const DbscanOptions& options_;
  Workers& workers_;
  PlanesView<T> whole_;
  T reach2_;
  Array<std::uint8_t> kind_;     // by position
  Array<std::uint32_t> parent_;  // a union-find over positions
};

}  // namespace

std::span<const std::uint8_t> Clusters::is_core() const {
  return {impl_->is_core.data(), impl_->is_core.size()};
}
const Groups& Clusters::groups() const { return *impl_->groups; }

Clusters dbscan(const AnyTree& tree, const DbscanOptions& options, const Execution& execution) {
  return public_call("dbscan", execution, [&](Workers& workers) {
    check_dbscan_options(options);
    if (options.box != Box() && options.box != tree.box())
      refuse("dbscan: the box of the options is not that of the tree; leave it out");
    check_weights(options, tree.input_size());
    auto clusters = std::make_shared<Clusters::Impl>();
    auto groups = std::make_shared<Groups::Impl>();
    clusters->is_core = Array<std::uint8_t>(tree.input_size(), workers.pool());
    std::fill(clusters->is_core.begin(), clusters->is_core.end(), std::uint8_t{0});
    groups->label = Array<std::int32_t>(tree.input_size(), workers.pool());
    impl_of(tree).visit([&]<class T>(const TreeData<T>& data) {
      const LinkingReach<T> reach = reach_of<T>(options.eps, false, data.frame);
      groups->linking_length = static_cast<double>(reach.linking_length);
      Dbscan<T>(tree, options, reach.reach2, workers).run(*groups, clusters->is_core);
    });
    clusters->groups = wrap_impl<Groups>(std::move(groups));
    return wrap_impl<Clusters>(std::move(clusters));
  });
}

Clusters dbscan(PointsView points, const DbscanOptions& options, const Execution& execution) {
  return public_call("dbscan", execution, [&] {
    check_view("dbscan", points, options.box);
    check_dbscan_options(options);
    check_weights(options, points.size);
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return dbscan(tree, options, execution);
  });
}

}  // namespace kith
