// The ranks of a program that does not need MPI to start: libkith_mpi, loaded at run time, has the
// implementation for many, the program that for one. Programs that are linked with MPI call
// <kith/mpi.hpp> instead.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/centers.hpp>
#include <kith/clusters.hpp>
#include <kith/correlation.hpp>
#include <kith/density.hpp>
#include <kith/detail/result_rows.hpp>
#include <kith/execution.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/hdbscan.hpp>
#include <kith/hierarchy.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/match.hpp>
#include <kith/merger_trees.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>
#include <kith/redshift_space.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Groups of the points of all ranks.
struct GroupsOfAll {
  std::uint64_t count = 0;    ///< of groups
  std::uint64_t grouped = 0;  ///< points in them
  double linking_length = 0;  ///< rounded to the scalar type of the points
  /// Of the points of this rank, until groups are found anew.
  std::span<const std::int32_t> label = {};
};

/// Subhalos whose rows this rank has.
struct SubhalosOfRank {
  Subhalos own;  ///< members only where one rank has all points
  /// [subhalo * types + type]; empty if `own` has members.
  std::vector<std::int64_t> type_size = {};
  std::vector<std::int32_t> label = {};  ///< the subhalo of each point of this rank; -1: none
};

/// Clusters of DBSCAN: their number, and the points of this rank.
struct ClustersOfRank {
  std::uint64_t count = 0;
  std::vector<std::int32_t> label = {};
  std::vector<std::uint8_t> is_core = {};
};

/// Rows or lists of neighbors of the points of this rank, and what keeps them in memory. Indices
/// have 32 bits if all points can be counted with them.
struct NeighborsOfRank {
  detail::NeighborArrays arrays;
  std::shared_ptr<const void> memory;
};

/// All ranks of MPI_COMM_WORLD, or this process alone. Every call but rank(), size() and points()
/// is collective. Points are numbered rank by rank.
class KITH_API Ranks {
 public:
  virtual ~Ranks();
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// f() on every rank; an error on one of them is thrown on all. A rank that fails itself throws
  /// its own error.
  virtual void on_all_ranks(const std::function<void()>& f) = 0;
  /// use(all) on rank 0, where all[i] has the rows of arrays[i] of all ranks, one rank after the
  /// other, until `use` ends. All ranks pass as many arrays, with rows of the same size. Errors of
  /// `use` are thrown on all ranks.
  virtual void collect(std::span<const ResultArray> arrays,
                       const std::function<void(std::span<const ResultRows>)>& use,
                       const Execution& execution) = 0;
  /// Rows by their numbers among those of all ranks: row wanted[k] goes to place k of `to`.
  virtual void fetch(const ResultArray& own, std::span<const std::int64_t> wanted, void* to,
                     const Execution& execution) = 0;
  /// The n-th smallest of the values of all ranks, from 0; the same on every rank. None is NaN.
  virtual double nth(std::span<const double> values, std::uint64_t n) = 0;
  /// Sums over all ranks, in place; the same on every rank.
  virtual void sum(std::span<std::int64_t> values) = 0;
  /// The least of each number.
  virtual void least(std::span<std::int64_t> values) = 0;
  /// The numbers of all ranks, one rank after the other; all give as many.
  virtual std::vector<std::int64_t> gather(std::span<const std::int64_t> numbers) = 0;

  /// A callback that every rank passes to its calls as Execution::progress, so that draw(progress)
  /// is called on rank 0 with the progress of all ranks. Ranks do not wait for each other because
  /// of it. Once in the life of the process.
  virtual std::function<void(const Progress&)> share_progress(
      std::function<void(const Progress&)> draw) = 0;

  /// Makes these the points that are searched and linked by the calls below; they are copied.
  virtual void take(PointsView points, const TreeOptions& options, const Execution& execution) = 0;
  virtual std::uint64_t points() const = 0;  ///< of all ranks, without dropped ones
  /// No search follows: frees what only searches need.
  virtual void end_searches() = 0;

  /// As kith::fof for the points that were taken. The calls below are about these groups.
  virtual GroupsOfAll fof(const FofOptions& options, const Execution& execution) = 0;
  /// The same with a length for each point of this rank.
  virtual GroupsOfAll fof(const LinkingLengths& lengths, const FofOptions& options,
                          const Execution& execution) = 0;
  /// The same for this rank's points of several types. They need not be taken.
  virtual GroupsOfAll fof(std::span<const TypedPoints> types, const FofOptions& options,
                          const Execution& execution) = 0;
  /// As kith::redshift_fof, for points that need not be taken.
  virtual GroupsOfAll redshift_fof(PointsView points, const FofOptions& options,
                                   const RedshiftSpace& space, const Execution& execution) = 0;
  /// The points that were taken will be linked over many lengths.
  virtual void expect_lengths(const Execution& execution) = 0;
  /// As Hierarchy::count. The groups of the last call of fof are lost.
  virtual std::vector<GroupCount> count_groups(std::span<const double> lengths,
                                               const FofOptions& options,
                                               const Execution& execution) = 0;

  /// As the calls without MPI: some rows on each rank, one rank after the other. They are the same
  /// rows in all calls, and the rows of CatalogueOptions::peak.
  virtual std::vector<double> centers(PointsView points, const CenterOptions& options,
                                      const Execution& execution) = 0;
  /// The places of those members that have the smallest value, ties by index. Values are those of
  /// the points of this rank; place(i, axis) is a coordinate of one of them.
  virtual std::vector<double> peaks(std::span<const double> values,
                                    const std::function<double(std::size_t point, int axis)>& place,
                                    int dimension, const Execution& execution) = 0;
  virtual Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                              const Execution& execution) = 0;
  /// `counts`: the points of each type, of all ranks.
  virtual SubhalosOfRank subhalos(PointsView points, const SubhaloOptions& options,
                                  std::span<const std::uint64_t> counts,
                                  const Execution& execution) = 0;
  /// visit(point, id) for a part of the points, in the order of the groups, one rank after the
  /// other: by label, inside a group by the subhalos that were found last, if they matter, then
  /// ascending; points without a group are last. ids: one for each point of this rank, or none.
  virtual void order(std::span<const std::uint64_t> ids, bool by_subhalo,
                     const std::function<void(std::int64_t point, std::uint64_t id)>& visit,
                     const Execution& execution) = 0;

  /// Each rank gives some centers and gets their rows; among the points that were taken.
  virtual Overdensities overdensities(std::span<const double> centers,
                                      const OverdensityOptions& options,
                                      const Execution& execution) = 0;
  /// Rows of the points that this rank gave to `take`.
  virtual NeighborsOfRank knn(const KnnOptions& options, const Execution& execution) = 0;
  virtual NeighborsOfRank radius(const RadiusOptions& options, const Execution& execution) = 0;
  virtual std::vector<std::int64_t> radius_count(const RadiusOptions& options,
                                                 const Execution& execution) = 0;
  virtual std::vector<double> kth_distance(const KnnOptions& options,
                                           const Execution& execution) = 0;
  virtual std::vector<double> sph_density(const DensityOptions& options,
                                          const Execution& execution) = 0;
  virtual ClustersOfRank dbscan(const DbscanOptions& options, const Execution& execution) = 0;
  /// The condensed tree is on rank 0 alone. `is_on_sky`: of unit vectors, whose distances are
  /// angles in degrees.
  virtual HdbscanClusters hdbscan(const HdbscanOptions& options, bool is_on_sky,
                                  const Execution& execution) = 0;

  /// As kith::correlation, for the points of all ranks; the same result on each. `randoms`: null
  /// for none.
  virtual Correlation correlation(const PairSet& data, const PairSet* randoms,
                                  const CorrelationOptions& options,
                                  const Execution& execution) = 0;

  /// As kith::match; each rank gives some members of both sets, those of an object in order rank by
  /// rank, and gets all rows.
  virtual Match match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options,
                      const Execution& execution) = 0;
  /// The same for links: calls of the linker are collective, and links are those of all ranks.
  virtual HaloLinker halo_linker(const LinkOptions& options) = 0;

  /// The name and the type of the function in libkith_mpi that starts MPI and returns the ranks,
  /// which live until the process ends; null where MPI does not start.
  static constexpr const char* kStart = "kith_mpi_start";
  using Start = Ranks* (*)();
  /// Ends MPI; every rank calls it last.
  virtual void end() = 0;
};

}  // namespace kith
