// Point sets larger than memory: their points are read in order, a piece at a time, and results
// have the bits of those in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/centers.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/points.hpp>

namespace kith {

/// Points outside of memory. A call reads all rows of a field in order, a piece at a time, and does
/// so several times; every time they must be the same.
class KITH_API StoredPoints {
 public:
  virtual ~StoredPoints();
  virtual std::uint64_t size() const = 0;
  virtual int dimension() const = 0;
  virtual Scalar scalar() const = 0;  ///< of positions and velocities
  /// Points of each type, type after type; one number where there are no types.
  virtual std::vector<std::uint64_t> counts() const { return {size()}; }
  virtual bool has(Field field) const { return field == Field::position; }
  /// The rows of positions or velocities from `begin` on, as many as fill the memory, in the scalar
  /// type of the points.
  virtual void read(Field field, std::uint64_t begin, std::span<float> out) const = 0;
  virtual void read(Field field, std::uint64_t begin, std::span<double> out) const = 0;
  /// Only called if there are masses.
  virtual void read_mass(std::uint64_t begin, std::span<double> out) const;
  /// Text that changes when the points do, so that work may be continued by another process
  /// (DiskOptions::resume); empty: unknown.
  virtual std::string identity() const { return {}; }
  /// Only called if there are ids.
  virtual void read_id(std::uint64_t begin, std::span<std::uint64_t> out) const;
};

/// Positions in memory that the system may page in from a file, such as a numpy.memmap.
KITH_API std::shared_ptr<const StoredPoints> stored_points(PointsView points);

/// The particles of some types of a snapshot; of all if empty. Errors: invalid_argument for formats
/// whose rows have no fixed places (text, .npz, .ply).
KITH_API std::shared_ptr<const StoredPoints> stored_points(const Snapshot& snapshot,
                                                           std::span<const int> types = {});

/// Bytes of "500MB", "8G" or "1.5TB", in powers of 1000, as KITH_MAX_MEMORY and --max-memory are
/// written. Errors: invalid_argument, which names the `option`.
KITH_API std::uint64_t parse_memory(std::string_view text, const char* option = "max_memory");

/// How much memory a call may have, and where it keeps what does not fit.
struct DiskOptions {
  /// Bytes for the whole process, in which about 40 MB are needed beside the points; 0: what the
  /// environment variable KITH_MAX_MEMORY says, such as 4GB. Errors: invalid_argument without any;
  /// out_of_memory, with the bytes that would do.
  std::uint64_t max_memory = 0;
  /// A folder for one file without a name, which disappears however the process ends; empty:
  /// TMPDIR, or /tmp. Errors: io, with the bytes needed, if there is too little room.
  std::string scratch = {};
  /// Keep finished work in files with names there, kith-*.scratch, until the result is destroyed;
  /// the same call continues after the last finished pass of a process that was stopped. Errors:
  /// invalid_argument for points that do not know whether they are the same.
  bool resume = false;
};

/// Groups of stored points. Labels are on disk. Copies share a result.
class KITH_API StoredGroups {
 public:
  std::uint64_t size() const;     ///< of points
  std::size_t count() const;      ///< of groups with at least `min_size` points
  std::uint64_t grouped() const;  ///< points in them
  std::span<const std::int64_t> sizes() const;
  std::span<const std::int64_t> lowest_members() const;
  /// The linking length, rounded to the scalar type of the points.
  double linking_length() const;
  /// The labels of the points from `begin` on, as Groups::label has them. Errors: invalid_argument
  /// for points beyond the last; io.
  void read_labels(std::uint64_t begin, std::span<std::int32_t> out) const;

  std::size_t slabs() const;            ///< parts that were linked one after the other
  std::uint64_t bytes_written() const;  ///< to the scratch file so far
  std::uint64_t bytes_read() const;     ///< from it

  class Impl;

 private:
  friend struct detail::Access;
  explicit StoredGroups(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Friends of friends, exactly as fof in memory: the same labels, sizes and lowest members.
///
/// The points are divided into slabs that fit into the memory, runs of cells of the Hilbert curve.
/// Slabs are linked one after the other; sets that meet at their edges are joined. In memory stay
/// 24 bytes for each group and for each set that has points within a linking length of another
/// slab. Cost: the points are read three times; about 40 bytes per point of float in 3-D are
/// written to the scratch file and read from it. Errors: those of fof and DiskOptions; `keep_roots`
/// is refused.
KITH_API StoredGroups fof(const StoredPoints& points, const FofOptions& options,
                          const DiskOptions& disk, const Execution& execution = {});

/// The catalogue of stored points, exactly as catalogue in memory, and the points in the order of
/// their groups. Copies share a result.
class KITH_API StoredCatalogue {
 public:
  const Catalogue& rows() const;
  /// A center of each group, if their kind was given.
  std::span<const double> peak() const;
  /// Rows of type number `part` within the type, in the order of (group, index), those in no group
  /// last; from `begin` on.
  void read_order(std::size_t part, std::uint64_t begin, std::span<std::uint64_t> out) const;
  /// Ids of the members in the order of (group, index), if the points have ids.
  void read_member_ids(std::uint64_t begin, std::span<std::uint64_t> out) const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit StoredCatalogue(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Options as those of catalogue in memory, less the columns: masses and velocities are those of
/// the points; `mass` may give the same mass for all; type_numbers[k] is the type of the points in
/// counts()[k], or nothing is given. Groups are measured some at a time; the largest one has to fit
/// into the memory, and the rows of all groups stay there. Errors: those of catalogue and
/// DiskOptions.
KITH_API StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                                   const CatalogueOptions& options,
                                   std::span<const int> type_numbers, const DiskOptions& disk,
                                   const Execution& execution = {});

/// With the columns about centers, which are found first, as centers() in memory finds them,
/// instead of `peak` of the options; of `centers`, kind (not mass), types and softening count.
/// Another 100 bytes of memory for each member of the largest group.
KITH_API StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                                   const CatalogueOptions& options, const CenterOptions& centers,
                                   std::span<const int> type_numbers, const DiskOptions& disk,
                                   const Execution& execution = {});

/// One center of each group, exactly as centers in memory, by way of the catalogue.
KITH_API std::vector<double> centers(const StoredPoints& points, const StoredGroups& groups,
                                     const CenterOptions& options,
                                     std::span<const int> type_numbers, const DiskOptions& disk,
                                     const Execution& execution = {});

/// Spheres of given density about the centers, exactly as overdensities in memory. Masses are those
/// of the points; if they have none, `mass` may give the same mass for all. `tree` gives the box.
/// Cost: the points are divided as for searches (stored_neighbors.hpp); those near some centers are
/// read and kept at a time, as many as fit beside the tables of the centers: about 150 bytes for
/// each, and 50 for each density. Errors: those of overdensities and DiskOptions.
KITH_API Overdensities overdensities(const StoredPoints& points, std::span<const double> centers,
                                     const OverdensityOptions& options, const TreeOptions& tree,
                                     const DiskOptions& disk, const Execution& execution = {});

}  // namespace kith
