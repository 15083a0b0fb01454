// HDBSCAN* over ranks: the spanning tree of all ranks, whose hierarchy rank 0 condenses; the rows
// of points return to the ranks that gave them.
#include "mpi/clusters/hdbscan.hpp"

#include <kith/mpi.hpp>

#include "clusters/condense.hpp"
#include "mpi/clusters/sample_weights.hpp"
#include "mpi/clusters/spanning_tree.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

struct PointRow {
  double probability, outlier_score;
  std::int32_t label;
};

void add_condensing(SameOptions& same, const HdbscanOptions& options) {
  const CondenseOptions& condense = options.condense;
  same.add("min_samples", std::uint64_t{options.min_samples});
  same.add("min_cluster_size", std::uint64_t{condense.min_cluster_size});
  same.add("min_cluster_weight", condense.min_cluster_weight);
  same.add("selection", kith::name(condense.selection));
  same.add("selection_epsilon", condense.selection_epsilon);
  same.add("allow_single_cluster", std::uint64_t{condense.allow_single_cluster});
  same.add("max_cluster_size", std::uint64_t{condense.max_cluster_size});
}

/// The spanning tree to condense. Collective.
SpanningTreeOptions spanning_of(Call& call, const Domains::Impl& domains,
                                const HdbscanOptions& options) {
  static const double any = 1;
  HdbscanOptions asked = options;
  asked.sample_weight = {};
  if (are_given(call, options.sample_weight)) asked.sample_weight = {&any, 1};
  SpanningTreeOptions spanning;
  call.quick([&] {
    check_condense_options(options.condense);
    spanning = spanning_options(asked, static_cast<std::size_t>(domains.total));
  });
  spanning.sample_weight = options.sample_weight;
  return spanning;
}

/// From rank 0, which has the rows of all points, to the ranks that gave them. Collective.
Received<PointRow> rows_of_ranks(Call& call, const Domains::Impl& domains,
                                 const HdbscanClusters& all) {
  std::vector<std::uint64_t> points;
  call.quick([&] { points.resize(static_cast<std::size_t>(call.ranks())); });
  const std::uint64_t own = domains.input_size;
  call.communicator().gather_all(&own, sizeof own, points.data());
  Runs out;
  std::vector<PointRow> rows;
  call.prepare([&] {
    if (call.rank() != 0) return;
    for (int rank = 0; rank < call.ranks(); ++rank)
      if (const std::uint64_t count = points[static_cast<std::size_t>(rank)]; count > 0)
        out.add(rank, count);
    rows.resize(all.label.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = {all.probability[i], all.outlier_score[i], all.label[i]};
  });
  return call.exchange(out, rows.data());
}

/// Puts the rows of this rank's points into the order asked for. Collective.
void take_rows(Call& call, const Domains::Impl& domains, const Received<PointRow>& rows,
               RowOrder order, HdbscanClusters& out) {
  const auto put = [&](std::size_t to, const PointRow& row) {
    out.label[to] = row.label;
    out.probability[to] = row.probability;
    out.outlier_score[to] = row.outlier_score;
  };
  const auto make_room = [&](std::size_t n) {
    out.label.assign(n, -1);
    out.probability.assign(n, 0);
    out.outlier_score.assign(n, 0);
  };
  if (order == RowOrder::input)
    return call.phase([&](Workers&) {
      make_room(domains.input_size);
      for (std::size_t i = 0; i < rows.values.size(); ++i) put(i, rows.values[i]);
    });
  const Array<std::byte> local =
      send_values(call, domains.route, rows.values.data(), sizeof(PointRow));
  call.phase([&](Workers&) {
    domains.visit([&](const auto& part) {
      const auto view = part.view();
      make_room(view.points);
      for (std::size_t at = 0; at < view.points; ++at)
        put(at, reinterpret_cast<const PointRow*>(local.data())[view.index(at)]);
    });
  });
}

/// The table of clusters, from rank 0 to all. Collective.
void share_clusters(Call& call, HdbscanClusters& out) {
  std::uint64_t count = out.selected.size();
  call.communicator().broadcast(&count, sizeof count, 0);
  call.quick([&] {
    out.selected.resize(count);
    out.stability.resize(count);
  });
  if (count == 0) return;
  call.communicator().broadcast(out.selected.data(), count * sizeof(std::int64_t), 0);
  call.communicator().broadcast(out.stability.data(), count * sizeof(double), 0);
}

}  // namespace

HdbscanClusters cluster_tree(const Domains& domains, const HdbscanOptions& options, RowOrder order,
                             const Execution& execution,
                             FunctionRef<SpanningTree(const SpanningTree&)> measured) {
  return public_call("hdbscan", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("hdbscan", *impl.communicator, execution);
    add_condensing(call.same(), options);
    call.same().add("order", name_of(order));
    const SpanningTreeOptions spanning = spanning_of(call, impl, options);
    agree_on_spanning(call, domains, spanning);
    auto tree = span_ranks(call, impl, spanning, TreeOn::first_rank);
    HdbscanClusters out;
    call.phase([&](Workers& workers) {
      if (!tree) return;
      const Execution own = inside(call, workers);
      out = condense(kith::hierarchy(measured(wrap_impl<SpanningTree>(std::move(tree))), own),
                     options.condense, own);
    });
    const Received<PointRow> rows = rows_of_ranks(call, impl, out);
    take_rows(call, impl, rows, order, out);
    share_clusters(call, out);
    out.selection_epsilon = options.condense.selection_epsilon;
    call.note_traffic("rows");
    return out;
  });
}

HdbscanClusters hdbscan(const Domains& domains, const HdbscanOptions& options, RowOrder order,
                        const Execution& execution) {
  return cluster_tree(domains, options, order, execution,
                      [](const SpanningTree& tree) { return tree; });
}

HdbscanClusters hdbscan(MPI_Comm comm, PointsView points, const HdbscanOptions& options,
                        const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return hdbscan(Domains::curve(comm, points, domains, execution), options, RowOrder::input,
                 execution);
}

}  // namespace kith::mpi
