// Searches on the sky over ranks: those of unit vectors over ranks, between limits that become
// chords and distances that become angles.
#include <algorithm>

#include <kith/mpi.hpp>

#include "mpi/clusters/hdbscan.hpp"
#include "mpi/domains/domain.hpp"
#include "parallel/grains.hpp"
#include "sky/limits.hpp"

namespace kith::mpi::sky {
namespace {

using kith::sky::AngleUnit;
using kith::sky::limit_of;
using kith::sky::positive_limit_of;
using kith::sky::Vector;

PointsView view_of(const std::vector<Vector>& vectors) {
  return kith::view(vectors.empty() ? nullptr : vectors.front().data(), vectors.size(), 3);
}

/// The domains of a call, and the queries of this rank. prepare() checks the options and reads
/// limits: its errors on one rank are those of all.
class Searched {
 public:
  template <class Prepare>
  Searched(MPI_Comm comm, const Positions& positions, const Positions* queries,
           const Execution& execution, Prepare prepare) {
    Communicator communicator(comm);
    std::vector<Vector> vectors;
    {
      Call call("sky", communicator, execution);
      call.same().add("unit", name(positions.unit));
      call.same().add("queries", std::uint64_t{queries != nullptr});
      call.phase([&](Workers& workers) {
        if (queries) expect_unit(positions, *queries);
        prepare();
        vectors = unit_vectors(positions, inside(call, workers));
        if (queries) queries_ = unit_vectors(*queries, inside(call, workers));
      });
    }
    domains_.emplace(Domains::curve(comm, view_of(vectors),
                                    {.tree = {.non_finite = positions.non_finite}}, execution));
  }

  const Domains& domains() const { return *domains_; }
  PointsView queries() const { return view_of(queries_); }

 private:
  std::optional<Domains> domains_;
  std::vector<Vector> queries_;
};

/// Distances of a result, on this rank.
void turn_to_angles(const Domains& domains, double* distance, std::size_t count, AngleUnit unit,
                    const Execution& execution) {
  Call call("sky", *impl_of(domains).communicator, execution);
  call.phase([&](Workers& workers) { to_angles({distance, count}, unit, inside(call, workers)); });
}

/// The k nearest of the positions, or of the queries, if there are any.
Neighbors<double, std::int64_t> nearest(const char* what, MPI_Comm comm, const Positions& positions,
                                        const Positions* queries, const KnnOptions& options,
                                        const Execution& execution) {
  return public_call("sky", [&] {
    kith::KnnOptions chords{.k = options.k, .exclude_self = options.exclude_self};
    const Searched searched(comm, positions, queries, execution, [&] {
      chords.max_radius = limit_of(what, options.max_angle, positions.unit);
    });
    const Domains& domains = searched.domains();
    auto near = queries ? mpi::knn<double>(domains, searched.queries(), chords, execution)
                        : mpi::knn<double>(domains, chords, execution);
    turn_to_angles(domains, near.rows().distance, near.size() * near.k(), positions.unit,
                   execution);
    return near;
  });
}

/// `queries`: null: the positions themselves.
NeighborLists<double, std::int64_t> lists_within(MPI_Comm comm, const Positions& positions,
                                                 const Positions* queries, double angle,
                                                 const Execution& execution) {
  return public_call("sky", [&] {
    RadiusOptions chords;
    const Searched searched(comm, positions, queries, execution, [&] {
      chords.radius = limit_of("sky.radius: angle", angle, positions.unit);
    });
    const Domains& domains = searched.domains();
    auto lists = queries ? mpi::radius<double>(domains, searched.queries(), chords, execution)
                         : mpi::radius<double>(domains, chords, RowOrder::input, execution);
    turn_to_angles(domains, lists.distances(), lists.total(), positions.unit, execution);
    return lists;
  });
}

}  // namespace

Domains domains(MPI_Comm comm, const Positions& positions, const Execution& execution) {
  return public_call(
      "sky", [&] { return Searched(comm, positions, nullptr, execution, [] {}).domains(); });
}

Neighbors<double, std::int64_t> knn(MPI_Comm comm, const Positions& positions,
                                    const KnnOptions& options, const Execution& execution) {
  return nearest("sky.knn: max_angle", comm, positions, nullptr, options, execution);
}

Neighbors<double, std::int64_t> knn(MPI_Comm comm, const Positions& positions,
                                    const Positions& queries, const KnnOptions& options,
                                    const Execution& execution) {
  return nearest("sky.knn: max_angle", comm, positions, &queries, options, execution);
}

Matches match(MPI_Comm comm, const Positions& positions, const Positions& others, double max_angle,
              const Execution& execution) {
  return public_call("sky", [&] {
    const auto near = nearest("sky.match: max_angle", comm, others, &positions,
                              {.max_angle = max_angle}, execution);
    return Matches{{near.indices(), near.indices() + near.size()},
                   {near.distances(), near.distances() + near.size()}};
  });
}

NeighborLists<double, std::int64_t> radius(MPI_Comm comm, const Positions& positions, double angle,
                                           const Execution& execution) {
  return lists_within(comm, positions, nullptr, angle, execution);
}

NeighborLists<double, std::int64_t> radius(MPI_Comm comm, const Positions& positions,
                                           const Positions& queries, double angle,
                                           const Execution& execution) {
  return lists_within(comm, positions, &queries, angle, execution);
}

Pairs<double, std::int64_t> pairs(MPI_Comm comm, const Positions& positions, double angle,
                                  const Execution& execution) {
  return public_call("sky", [&] {
    RadiusOptions chords;
    const Searched searched(comm, positions, nullptr, execution, [&] {
      chords.radius = limit_of("sky.pairs: angle", angle, positions.unit);
    });
    const Domains::Impl& impl = impl_of(searched.domains());
    const auto lists = mpi::radius<double>(searched.domains(), chords, RowOrder::input, execution);
    Call call("sky", *impl.communicator, execution);
    Pairs<double, std::int64_t> found;
    call.phase([&](Workers& workers) {
      for (std::size_t row = 0; row < lists.size(); ++row) {
        if (row % kPointGrain == 0) workers.check_cancelled();
        const auto i = static_cast<std::int64_t>(*impl.first + row);
        const auto near = lists[row];
        for (std::size_t n = 0; n < near.index.size(); ++n) {
          if (near.index[n] <= i) continue;
          found.i.push_back(i);
          found.j.push_back(near.index[n]);
          found.distance.push_back(near.distance[n]);
        }
      }
      to_angles(found.distance, positions.unit, inside(call, workers));
    });
    return found;
  });
}

Groups fof(MPI_Comm comm, const Positions& positions, double angle, std::size_t min_size,
           const Execution& execution) {
  return public_call("sky", [&] {
    FofOptions chords{.min_size = min_size};
    const Searched searched(comm, positions, nullptr, execution, [&] {
      chords.linking_length = positive_limit_of("sky.fof: angle", angle, positions.unit);
    });
    return mpi::fof(searched.domains(), chords, RowOrder::input, execution);
  });
}

Clusters dbscan(MPI_Comm comm, const Positions& positions, const DbscanOptions& options,
                const Execution& execution) {
  return public_call("sky", [&] {
    DbscanOptions chords = options;
    chords.box = {};
    const Searched searched(comm, positions, nullptr, execution, [&] {
      chords.eps = positive_limit_of("sky.dbscan: eps", options.eps, positions.unit);
    });
    return mpi::dbscan(searched.domains(), chords, RowOrder::input, execution);
  });
}

SpanningTree spanning_tree(MPI_Comm comm, const Positions& positions, std::size_t core_k,
                           const Execution& execution) {
  return public_call("sky", [&] {
    const Searched searched(comm, positions, nullptr, execution, [] {});
    return kith::sky::in_angles(
        mpi::spanning_tree(searched.domains(), {.core_k = core_k}, execution), positions.unit);
  });
}

HdbscanClusters hdbscan(const Domains& domains, AngleUnit unit, const HdbscanOptions& options,
                        RowOrder order, const Execution& execution) {
  return cluster_tree(domains, options, order, execution, [&](const SpanningTree& chords) {
    return kith::sky::in_angles(chords, unit);
  });
}

HdbscanClusters hdbscan(MPI_Comm comm, const Positions& positions, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("sky", [&] {
    const Searched searched(comm, positions, nullptr, execution, [] {});
    return hdbscan(searched.domains(), positions.unit, options, RowOrder::input, execution);
  });
}

}  // namespace kith::mpi::sky
