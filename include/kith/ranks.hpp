// Many ranks for a program that does not need MPI to start: libkith_mpi, loaded at run time, has
// the one implementation. Programs that are linked with MPI call <kith/mpi.hpp> instead.
#pragma once

#include <functional>
#include <span>
#include <variant>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/centers.hpp>
#include <kith/density.hpp>
#include <kith/execution.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>
#include <kith/redshift_space.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Rows of all ranks, one rank after the other, of which this rank holds some.
struct SharedRows {
  const void* data = nullptr;
  std::size_t rows = 0;  ///< of this rank
  std::size_t row_bytes = 0;
};

/// The memory of rows [begin, begin + rows) of all ranks; it lasts until the next call of the same
/// reader.
using ReadRows = std::function<const void*(std::size_t begin, std::size_t rows)>;

/// Puts rows [begin, begin + rows) of all ranks into an existing file, from a byte on: each rank
/// opens the file and writes the rows that it holds.
using StoreRows = std::function<void(const std::string& file, std::uint64_t offset,
                                     std::size_t begin, std::size_t rows)>;

/// Every rank syncs what it stored in a file.
using SyncRows = std::function<void(const std::string& file)>;

/// How rank 0 gets at rows of all ranks.
struct RowAccess {
  ReadRows read;
  StoreRows store;
  SyncRows sync;
};

/// Groups of the points of all ranks.
struct SharedGroups {
  std::uint64_t count = 0;               ///< of groups
  std::uint64_t grouped = 0;             ///< points in them
  std::uint64_t largest = 0;             ///< linked points in the largest of them
  double linking_length = 0;             ///< rounded to the scalar type of the points
  std::vector<std::int32_t> label = {};  ///< of the points of this rank
};

/// Subhalos whose rows this rank has; without their members.
struct SharedSubhalos {
  Subhalos own;
  std::vector<std::int64_t> type_size = {};  ///< [subhalo * types + type]
};

/// Some of the points in the order of their groups, one rank after the other: by label, inside a
/// group by subhalo, then ascending; points without a group are last.
struct SharedOrder {
  std::vector<std::int64_t> index;
  std::vector<std::uint64_t> id;  ///< of each of them, if ids were given
};

/// All ranks of MPI_COMM_WORLD. Every call but rank() and size() is collective. Points are numbered
/// rank by rank.
class KITH_API Ranks {
 public:
  virtual ~Ranks();
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// f() on every rank; an error on one of them is thrown on all. A rank that fails itself throws
  /// its own error.
  virtual void together(const std::function<void()>& f) = 0;
  /// use(access) on rank 0, where access[i] reads and stores rows of arrays[i] of all ranks. All
  /// ranks pass as many arrays. Errors of `use` are thrown on all ranks.
  virtual void collect(std::span<const SharedRows> arrays,
                       const std::function<void(std::span<const RowAccess>)>& use,
                       const Execution& execution) = 0;
  /// Rows by their numbers among those of all ranks: row wanted[k] goes to place k of `to`.
  virtual void fetch(const SharedRows& own, std::span<const std::int64_t> wanted, void* to,
                     const Execution& execution) = 0;
  /// The n-th smallest of the values of all ranks, from 0; the same on every rank. None is NaN.
  virtual double nth(std::span<const double> values, std::uint64_t n) = 0;
  /// Sums over all ranks, in place; the same on every rank.
  virtual void sum(std::span<std::int64_t> values) = 0;
  /// Likewise the least of each value, and the values of rank 0.
  virtual void least(std::span<double> values) = 0;
  virtual void take_first(std::span<double> values) = 0;
  /// The numbers of all ranks, one rank after the other; all give as many.
  virtual std::vector<std::int64_t> gather(std::span<const std::int64_t> numbers) = 0;

  /// What every rank gives to its calls as Execution::progress from now on, so that draw(progress)
  /// is called on rank 0 with the progress of all ranks. Ranks do not wait for each other because
  /// of it. Once in the life of the process.
  virtual std::function<void(const Progress&)> share_progress(
      std::function<void(const Progress&)> draw) = 0;

  /// Deals the points out, for the calls below; they live until the call after the last one.
  virtual void take(PointsView points, const TreeOptions& options, const Execution& execution) = 0;

  virtual std::uint64_t points() const = 0;  ///< of all ranks, without dropped ones

  /// As kith::fof for the points of all ranks.
  virtual SharedGroups fof(const FofOptions& options, const Execution& execution) = 0;
  /// The same for this rank's points of several types; the calls below then have those of all
  /// types.
  virtual SharedGroups fof(std::span<const TypedPoints> types, const FofOptions& options,
                           const Execution& execution) = 0;
  /// As kith::redshift_fof, for the points of this rank, which are those of the last call of take.
  virtual SharedGroups redshift_fof(PointsView points, const FofOptions& options,
                                    const RedshiftSpace& space, const Execution& execution) = 0;
  /// As the calls without MPI, for the groups of the last call of fof: some rows on each rank, one
  /// rank after the other. They are the same rows in all calls, and those that
  /// CatalogueOptions::peak is for.
  virtual std::vector<double> centers(PointsView points, const CenterOptions& options,
                                      const Execution& execution) = 0;
  /// The same for the places of those members that have the smallest value, ties by index. Values
  /// are those of the points of this rank; place(i, axis) is a coordinate of one of them.
  virtual std::vector<double> peaks(std::span<const double> values,
                                    const std::function<double(std::size_t point, int axis)>& place,
                                    int dimension, const Execution& execution) = 0;
  virtual Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                              const Execution& execution) = 0;

  /// `counts`: the points of each type, of all ranks.
  virtual SharedSubhalos subhalos(PointsView points, const SubhaloOptions& options,
                                  std::span<const std::uint64_t> counts,
                                  const Execution& execution) = 0;
  /// The points in the order of the groups of the last call of fof, inside a group by the subhalos
  /// that were found since then, if they matter. ids: one for each point of this rank, or none.
  virtual SharedOrder order(std::span<const std::uint64_t> ids, bool by_subhalo,
                            const Execution& execution) = 0;
  /// Each rank gives some centers and gets their rows; among the points of the last call of take.
  virtual Overdensities overdensities(std::span<const double> centers,
                                      const OverdensityOptions& options,
                                      const Execution& execution) = 0;

  /// As the calls without MPI; rows of the points that this rank gave.
  using AnyNeighbors =
      std::variant<Neighbors<float, std::int64_t>, Neighbors<double, std::int64_t>>;
  virtual AnyNeighbors knn(const KnnOptions& options, const Execution& execution) = 0;
  using AnyLists =
      std::variant<NeighborLists<float, std::int64_t>, NeighborLists<double, std::int64_t>>;
  virtual AnyLists radius(const RadiusOptions& options, const Execution& execution) = 0;
  virtual std::vector<std::int64_t> radius_count(const RadiusOptions& options,
                                                 const Execution& execution) = 0;
  virtual std::vector<double> kth_distance(const KnnOptions& options,
                                           const Execution& execution) = 0;
  virtual std::vector<double> sph_density(const DensityOptions& options,
                                          const Execution& execution) = 0;

  /// The name and the type of the function in libkith_mpi that starts MPI and returns the ranks,
  /// which live until the process ends; null where MPI does not start.
  static constexpr const char* kStart = "kith_mpi_start";
  using Start = Ranks* (*)();
  /// Ends MPI; every rank calls it last.
  virtual void end() = 0;
};

}  // namespace kith
