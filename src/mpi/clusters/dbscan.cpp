// DBSCAN over ranks: core points by the own points, near other ranks by those of all ranks within
// reach; clusters of core points by friends of friends over ranks; border points as core points,
// among the core points of all ranks. A cluster is named by its lowest core point until all have
// labels.
#include <algorithm>
#include <bit>

#include <kith/mpi.hpp>

#include "clusters/parts.hpp"
#include "mpi/clusters/sample_weights.hpp"
#include "mpi/groups/edge_points.hpp"
#include "mpi/groups/fof.hpp"
#include "mpi/groups/members.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

constexpr std::uint64_t kNoise = ~std::uint64_t{0};

/// The points of a cluster that one rank has.
struct ClusterShare {
  std::uint64_t name;  ///< the lowest core point
  GroupKey key;
};

template <class T>
class Clustering {
 public:
  /// `weight`: by local index, or null.
  Clustering(Call& call, const Domains::Impl& domains, const DbscanOptions& options,
             const double* weight, Groups::Impl& out)
      : call_(call),
        domains_(domains),
        part_(domains.as<T>()),
        options_(options),
        weight_(weight),
        out_(out) {}

  void run() {
    find_cores();
    call_.note_traffic("core points");
    link_cores();
    if (options_.border != Border::none) attach();
    call_.note_traffic("border points");
    name();
    call_.note_traffic("labels");
  }

  /// By position.
  const Array<std::uint8_t>& is_core() const { return is_core_; }

 private:
  using Core = ClusterParts<T>;
  std::size_t points() const { return part_.planes.points; }

  Part<T>& core_part() { return std::get<Part<T>>(core_domains_.part); }

  // ---- core points

  void find_cores() {
    call_.work([&](Workers& workers) {
      reach_ = Core::reach(options_.eps, part_.frame);
      out_.linking_length = static_cast<double>(reach_.linking_length);
      is_core_ = cores_among(part_.view(), weight_, workers);
      far_ = points_near_others(part_, reach_.reach2, call_.rank(), workers);
    });
    const Ghosts<T> near = import_ghosts(call_, part_, far_, weight_, GhostsOf::all);
    call_.work([&](Workers& workers) {
      const PlanesView<T> view = near.planes.view();
      const Array<std::uint8_t> found = cores_among(view, near.value.data(), workers);
      std::vector<std::uint8_t> by_index(view.points);
      for (std::size_t at = 0; at < view.points; ++at) by_index[view.index(at)] = found[at];
      for (const std::uint32_t at : far_.queries.position)
        is_core_[at] = by_index[place_of(near.global, part_.global[part_.view().index(at)])];
    });
  }

  Array<std::uint8_t> cores_among(const PlanesView<T>& view, const double* weight,
                                  Workers& workers) const {
    return Core::cores(view, part_.frame, reach_.reach2, options_.min_samples, weight, workers);
  }
  static std::size_t place_of(const Array<std::uint64_t>& global, std::uint64_t index) {
    return static_cast<std::size_t>(std::lower_bound(global.begin(), global.end(), index) -
                                    global.begin());
  }

  // ---- clusters of core points

  void link_cores() {
    call_.work([&](Workers& workers) {
      core_domains_.options.tree = domains_.options.tree;
      core_domains_.scalar = domains_.scalar;
      core_domains_.dimension = domains_.dimension;
      Part<T>& part = core_domains_.part.template emplace<Part<T>>();
      part.frame = part_.frame;
      part.planes = Parts<T>::subset(part_.planes, is_core_, workers).planes;
      part.global = Array<std::uint64_t>::borrowed(const_cast<std::uint64_t*>(part_.global.data()),
                                                   part_.global.size());
    });
    core_part().boxes = gather_boxes<T>(call_, core_part().view());
    auto total = static_cast<std::int64_t>(core_part().planes.points);
    call_.communicator().sum(&total, 1);
    core_domains_.total = static_cast<std::uint64_t>(total);
    const FofOptions linking{.linking_length = options_.eps, .keep_roots = true};
    Groups::Impl sets;
    link(call_, core_domains_, {linking, {}, {}}, sets);
    call_.work([&](Workers& workers) {
      // Never null: import_ghosts sends values on all ranks or on none.
      name_ = Array<std::uint64_t>(std::max<std::size_t>(1, points()), workers.pool());
      std::fill(name_.begin(), name_.end(), kNoise);
      const PlanesView<T> view = core_part().view();
      for (std::size_t at = 0; at < view.points; ++at)
        name_[view.index(at)] = static_cast<std::uint64_t>(sets.tree_root[at]);
    });
  }

  // ---- border points

  void attach() {
    FarQueries<T> far;
    call_.work([&](Workers& workers) {
      far = far_borders(workers);
      const PlanesView<T> cores = core_part().view();
      const auto global_of = [&](std::size_t at) { return part_.global[cores.index(at)]; };
      const auto name_of = [&](std::size_t at) { return name_[cores.index(at)]; };
      attach_to(part_.view(), is_done_.data(), cores, global_of, name_of, workers);
    });
    const Ghosts<T> near = import_ghosts(
        call_, core_part(), far, reinterpret_cast<const double*>(name_.data()), GhostsOf::all);
    call_.work([&](Workers& workers) {
      const PlanesView<T> receivers = far.queries.planes.view(), cores = near.planes.view();
      const Array<std::uint8_t> none(receivers.block_count() * kLanes, workers.pool());
      std::fill(none.begin(), none.end(), std::uint8_t{0});
      const auto global_of = [&](std::size_t at) { return near.global[cores.index(at)]; };
      const auto name_of = [&](std::size_t at) {
        return std::bit_cast<std::uint64_t>(near.value[cores.index(at)]);
      };
      attach_to(receivers, none.data(), cores, global_of, name_of, workers);
    });
  }

  /// The points near other ranks that are no core points. All others but the border points inside
  /// are done.
  FarQueries<T> far_borders(const Workers& workers) {
    const Array<std::uint8_t> mask(is_core_.size(), workers.pool());
    is_done_ = Array<std::uint8_t>(is_core_.size(), workers.pool());
    std::fill(mask.begin(), mask.end(), std::uint8_t{0});
    std::copy(is_core_.begin(), is_core_.end(), is_done_.begin());
    for (const std::uint32_t at : far_.queries.position) {
      mask[at] = is_core_[at] == 0 ? 1 : 0;
      is_done_[at] = 1;
    }
    FarQueries<T> far{Parts<T>::subset(part_.planes, mask, workers), {}};
    far.reach2 = Array<T>(far.queries.position.size(), workers.pool());
    std::fill(far.reach2.begin(), far.reach2.end(), reach_.reach2);
    return far;
  }

  template <class GlobalOf, class NameOf>
  void attach_to(const PlanesView<T>& receivers, const std::uint8_t* skip,
                 const PlanesView<T>& cores, GlobalOf global_of, NameOf name_of, Workers& workers) {
    Core::borders(receivers, skip, cores, part_.frame, reach_.reach2, workers,
                  [&](std::uint32_t at, std::vector<CoreLink<T>>& links) {
                    for (CoreLink<T>& link : links) {
                      link.index = global_of(link.position);
                      link.cluster = name_of(link.position);
                    }
                    const CoreLink<T>* core = Core::chosen(links, options_);
                    if (core) name_[receivers.index(at)] = core->cluster;
                  });
  }

  // ---- labels

  static int owner_of(const ClusterShare& share, int ranks) {
    return static_cast<int>(share.name % static_cast<std::uint64_t>(ranks));
  }

  void name() {
    const auto rank_of = [ranks = call_.ranks()](const ClusterShare& share) {
      return owner_of(share, ranks);
    };
    std::vector<ClusterShare> own, all;
    call_.work([&](Workers& workers) { own = shares(workers); });
    const Received<ClusterShare> arrived = send_rows(call_, own, rank_of);
    std::vector<GroupKey> keys;
    call_.prepare([&] {
      all.assign(arrived.all().begin(), arrived.all().end());
      add_up(all);
      for (const ClusterShare& share : all) keys.push_back(share.key);
    });
    std::vector<std::int64_t> label;
    GroupRows rows = order_groups(call_, keys, label);
    const auto answer = [&](const ClusterShare& share) {
      const auto at = std::lower_bound(all.begin(), all.end(), share, is_before);
      return label[static_cast<std::size_t>(at - all.begin())];
    };
    const Answers<std::int64_t> named = answer_rows<std::int64_t>(call_, own, rank_of, answer);
    call_.phase([&](Workers& workers) {
      out_.take(std::move(rows), call_.rank());
      write_labels(own, named, workers);
    });
  }

  static bool is_before(const ClusterShare& a, const ClusterShare& b) { return a.name < b.name; }

  /// By the rank that names them, then by name. Points are sorted by cluster in `order_`.
  std::vector<ClusterShare> shares(Workers& workers) {
    const Stage stage(workers, "labels", points());
    order_ = Array<KeyIndex>(points(), workers.pool());
    for (std::size_t i = 0; i < points(); ++i)
      order_[i] = {name_[i], static_cast<std::uint32_t>(i)};
    Parts<T>::sort(order_.data(), points(), workers);
    std::vector<ClusterShare> result;
    for (std::size_t i = 0; i < points() && order_[i].key != kNoise; ++i) {
      if (i % kLightPointGrain == 0) workers.check_cancelled();
      if (result.empty() || result.back().name != order_[i].key)
        result.push_back({order_[i].key, {0, part_.global[order_[i].index]}});
      ++result.back().key.size;
    }
    std::sort(result.begin(), result.end(), [&](const ClusterShare& a, const ClusterShare& b) {
      const int x = owner_of(a, call_.ranks()), y = owner_of(b, call_.ranks());
      return x != y ? x < y : a.name < b.name;
    });
    return result;
  }

  static void add_up(std::vector<ClusterShare>& shares) {
    std::sort(shares.begin(), shares.end(), is_before);
    std::size_t kept = 0;
    for (const ClusterShare& share : shares) {
      if (kept > 0 && shares[kept - 1].name == share.name)
        shares[kept - 1].key.add(share.key);
      else
        shares[kept++] = share;
    }
    shares.resize(kept);
  }

  void write_labels(const std::vector<ClusterShare>& own, const Answers<std::int64_t>& named,
                    const Workers& workers) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> labels(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) labels[i] = {own[i].name, named.of_row[i]};
    std::sort(labels.begin(), labels.end());
    std::size_t run = 0;
    for (std::size_t i = 0; i < points(); ++i) {
      const KeyIndex& at = order_[i];
      if (at.key == kNoise) break;
      while (labels[run].first != at.key) ++run;
      name_[at.index] = static_cast<std::uint64_t>(labels[run].second);
    }
    out_.tree_label = Array<std::int64_t>(points(), workers.pool());
    const PlanesView<T> view = part_.view();
    workers.for_ranges(points(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at)
        out_.tree_label[at] = static_cast<std::int64_t>(name_[view.index(at)]);
    });
  }

  Call& call_;
  const Domains::Impl& domains_;
  const Part<T>& part_;
  const DbscanOptions& options_;
  const double* weight_;
  Groups::Impl& out_;
  Domains::Impl core_domains_;  ///< the core points; their indices are those of all points
  LinkingReach<T> reach_;
  FarQueries<T> far_;                      ///< the points near other ranks
  Array<std::uint8_t> is_core_, is_done_;  ///< by position
  Array<std::uint64_t> name_;              ///< of the cluster of each point, by local index
  Array<KeyIndex> order_;
};

void agree_on_clusters(Call& call, const Domains& domains, const DbscanOptions& options,
                       RowOrder order) {
  call.same().add("eps", options.eps);
  call.same().add("min_samples", std::uint64_t{options.min_samples});
  call.same().add("border", kith::name(options.border));
  call.same().add("border_links", std::uint64_t{options.border_links});
  call.same().add("order", name_of(order));
  call.quick([&] {
    check_dbscan_options(options);
    if (options.box != Box() && options.box != domains.box())
      refuse("dbscan: the box of the options is not that of the domains; leave it out");
  });
}

/// Flags by position, in the order asked for; 0 for dropped points. Collective.
template <class T>
std::vector<std::uint8_t> flags_in_order(Call& call, const Domains::Impl& domains, RowOrder order,
                                         const Array<std::uint8_t>& flags) {
  const PlanesView<T> view = domains.as<T>().view();
  std::vector<std::uint8_t> result, by_local;
  call.phase([&](Workers&) {
    if (order == RowOrder::tree) return result.assign(flags.begin(), flags.begin() + view.points);
    result.resize(domains.input_size);
    by_local.resize(view.points);
    for (std::size_t at = 0; at < view.points; ++at) by_local[view.index(at)] = flags[at];
  });
  if (order == RowOrder::input)
    return_values(
        call, domains.route, [&](std::size_t local) -> const void* { return &by_local[local]; }, 1,
        result.data());
  return result;
}

}  // namespace

Clusters dbscan(const Domains& domains, const DbscanOptions& options, RowOrder order,
                const Execution& execution) {
  return public_call("dbscan", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("dbscan", *impl.communicator, execution);
    agree_on_clusters(call, domains, options, order);
    const RankWeights weight =
        send_weights(call, "dbscan", impl, options.sample_weight, Negative::allowed);
    std::shared_ptr<Groups::Impl> groups;
    call.quick([&] { groups = std::make_shared<Groups::Impl>(); });
    groups->order = order;
    return with_scalar(impl.scalar, [&]<class T>() {
      Clustering<T> clustering(call, impl, options, weight.data(), *groups);
      clustering.run();
      std::vector<std::uint8_t> is_core =
          flags_in_order<T>(call, impl, order, clustering.is_core());
      if (order == RowOrder::input) {
        groups->label =
            in_input_order(call, impl, groups->tree_label, groups->cuts.cut.back().label);
        groups->tree_label = {};
      }
      call.note_traffic("rows");
      return Clusters{wrap_impl<Groups>(std::move(groups)), std::move(is_core)};
    });
  });
}

Clusters dbscan(MPI_Comm comm, PointsView points, const DbscanOptions& options,
                const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return dbscan(Domains::curve(comm, points, domains, execution), options, RowOrder::input,
                execution);
}

}  // namespace kith::mpi
