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
  /// use(readers) on rank 0, where readers[i] fetches rows of arrays[i] from the other ranks. All
  /// ranks pass as many arrays. Errors of `use` are thrown on all ranks.
  virtual void collect(std::span<const SharedRows> arrays,
                       const std::function<void(std::span<const ReadRows>)>& use) = 0;

  /// Deals the points out, for the calls below; they live until the call after the last one.
  virtual void take(PointsView points, const TreeOptions& options, const Execution& execution) = 0;

  virtual std::uint64_t points() const = 0;  ///< of all ranks, without dropped ones

  /// As kith::fof for the points of all ranks. Results of this call and the next one are complete
  /// on rank 0, where they must fit: labels take 4 bytes for each point of all ranks. The others
  /// get results without groups.
  virtual Groups fof(const FofOptions& options, const Execution& execution) = 0;
  /// The same for this rank's points of several types; the calls below then have those of all
  /// types.
  virtual Groups fof(std::span<const TypedPoints> types, const FofOptions& options,
                     const Execution& execution) = 0;
  /// As the calls without MPI, for the groups of the last call of fof; complete on rank 0. The
  /// catalogue has the centers of the call before it, if there was one.
  virtual std::vector<double> centers(PointsView points, const CenterOptions& options,
                                      const Execution& execution) = 0;
  virtual Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                              const Execution& execution) = 0;

  virtual Subhalos subhalos(PointsView points, const SubhaloOptions& options,
                            const Execution& execution) = 0;
  /// Each rank gives some centers and gets their rows; among the points of the last call of take.
  virtual Overdensities overdensities(std::span<const double> centers,
                                      const OverdensityOptions& options,
                                      const Execution& execution) = 0;

  /// As the calls without MPI; rows of the points that this rank gave.
  using AnyNeighbors =
      std::variant<Neighbors<float, std::int64_t>, Neighbors<double, std::int64_t>>;
  virtual AnyNeighbors knn(const KnnOptions& options, const Execution& execution) = 0;
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
