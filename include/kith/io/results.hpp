// Result files: writes and reads catalogues, labels, neighbor lists and densities.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/detail/unit_powers.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/halos.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>

namespace kith {

/// The kind of a result.
enum class ResultKind { fof, subhalos, knn, radius, density, clusters, match };
KITH_API const char* name(ResultKind kind);  ///< "fof"

/// The metadata of a result: points and options, as needed to understand and check it. Indices in a
/// result count the points type after type, types ascending.
struct ResultAbout {
  ResultKind kind = ResultKind::fof;
  std::string version = {};   ///< of the kith that wrote it; filled by the writer
  std::string snapshot = {};  ///< the file that the points came from
  std::uint64_t points = 0;
  int dimension = 3;
  Scalar scalar = Scalar::float32;  ///< in which distances were computed
  Box box = {};
  int type_numbers = 1;                    ///< as SnapshotInfo::types
  std::vector<int> types = {};             ///< of the points; none = all are of type 0
  std::vector<std::uint64_t> counts = {};  ///< points of each of them
  double given_mass = 0;                   ///< of particles that have none in the file; 0 = none
  double time = 0;
  Units units = {};
  Background background = {};
  /// The unit of distances, "degrees", if points are positions on the sky; then lengths below are
  /// chords of the unit sphere. Empty: points are points.
  std::string sky = {};

  // Groups.
  std::vector<int> link_types = {};
  std::vector<int> attach_types = {};
  double linking_length = 0;  ///< rounded to the scalar type
  double b = 0;               ///< 0 = the linking length was passed
  /// The column of the snapshot with a linking length for each point, of which `linking_length` is
  /// the largest; empty = all are the same.
  std::string linking_length_column = {};
  std::string linking_length_rule = {};  ///< name(LengthRule)
  std::uint64_t min_size = 1;
  bool strict = false;
  std::string line_of_sight = {};  ///< x, y, z or midpoint; empty = linking lengths are the same
  double stretch = 1;              ///< linking length along it over the one across it
  std::vector<int> contaminating_types = {};
  std::string sorted_snapshot = {};  ///< the same points, group after group; empty = none
  std::string center = {};  ///< what `peak` is: mass, density, shrinking, potential; empty = mass
  double softening = 0;     ///< of the potentials
  double gravity = 0;       ///< of the circular velocities

  // Subhalos, in units of the scales.
  double subhalo_linking_length = 0;
  double position_scale = 0;
  double velocity_scale = 0;
  std::uint64_t subhalo_min_size = 0;
  std::string subhalo_method = {};  ///< name(SubhaloMethod)
  double subhalo_softening = 0;     ///< of the potentials of subfind and phase
  double hubble_flow = 0;
  std::uint64_t density_neighbors = 0, link_neighbors = 0;

  // Neighbors and densities.
  std::uint64_t k = 0;
  bool exclude_self = false;
  double max_radius = 0;  ///< 0 = no limit
  double radius = 0;
  double p = 2;             ///< the norm
  std::string kernel = {};  ///< name(SphKernel)

  // Clusters.
  std::string method = {};  ///< dbscan or hdbscan
  double eps = 0;           ///< rounded to the scalar type
  std::uint64_t min_samples = 0;
  std::string border = {};  ///< name(Border)
  std::uint64_t border_links = 1;
  std::uint64_t min_cluster_size = 0;
  std::string selection = {};  ///< name(ClusterSelection)
  double selection_epsilon = 0;
  bool allow_single_cluster = false;
  std::uint64_t max_cluster_size = 0;  ///< 0 = no limit

  // Matches.
  std::string other = {};        ///< the catalogue with the matches
  std::string weight = {};       ///< name(RankWeight)
  std::uint64_t most_bound = 0;  ///< 0 = all members
  bool find = false;             ///< groups were found also in snapshots that have catalogues
  bool find_subhalos = false;    ///< of the groups that were found
};

/// Whether the subhalos of a result are bound: those of subfind and phase.
inline bool has_bound_subhalos(const ResultAbout& about) {
  return about.subhalo_method == name(SubhaloMethod::subfind) ||
         about.subhalo_method == name(SubhaloMethod::phase);
}

/// The types of numbers in results.
enum class NumberType { uint8, int32, int64, uint32, uint64, float32, float64 };

template <class T>
concept ResultNumber = std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || Coordinate<T>;

template <ResultNumber T>
constexpr NumberType number_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return NumberType::uint8;
  if constexpr (std::is_same_v<T, std::int32_t>) return NumberType::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return NumberType::int64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return NumberType::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return NumberType::uint64;
  return std::is_same_v<T, float> ? NumberType::float32 : NumberType::float64;
}

/// The size of one number.
constexpr std::size_t bytes_of(NumberType type) {
  switch (type) {
    case NumberType::uint8: return 1;
    case NumberType::int32:
    case NumberType::uint32:
    case NumberType::float32: return 4;
    case NumberType::int64:
    case NumberType::uint64:
    case NumberType::float64: return 8;
  }
  return 0;
}

/// One array of a result in the caller's memory: `rows` rows of `width` numbers.
struct ResultArray {
  std::string name;
  std::string description;
  UnitPowers unit = {};
  NumberType type = NumberType::float64;
  const void* data = nullptr;
  std::size_t rows = 0;
  std::size_t width = 1;
  bool is_table = false;  ///< two axes even if the width is 1
};

/// How a result is stored.
enum class ResultStyle {
  automatic,  ///< by the ending: .hdf5 and .h5 as gadget, .npz, .csv; "-", standard output: csv
  gadget,     ///< HDF5; catalogues in the layout of Gadget-4 and IllustrisTNG
  swift,      ///< HDF5; catalogues in the layout of SWIFT
  npz,        ///< NumPy arrays with kith's names
  csv,        ///< one row per line; for results whose arrays have equal lengths
};

struct ResultWriteOptions {
  ResultStyle style = ResultStyle::automatic;
  int compression = 0;  ///< HDF5: gzip level 0 ... 9
  /// HDF5: several files, see result_part_path; every one has about as many rows of each array. The
  /// file itself then refers to them, and shows the arrays as a whole. It appears last.
  int files = 1;
};

/// The name of one of several files: that of "halos.hdf5" is "halos.0.hdf5" for part 0.
KITH_API std::string result_part_path(const std::string& path, int part);
/// The first row in a part, of an array with this many rows.
KITH_API std::uint64_t result_part_begin(std::uint64_t rows, int part, int parts);

/// Throws the error that a writer would throw for this ending and style. Call it before long work.
KITH_API ResultStyle check_result_path(const std::string& path, const ResultWriteOptions& options,
                                       ResultKind kind);

/// The content of a catalogue file; only the catalogue is required.
struct CatalogueContent {
  ResultAbout about;
  const Catalogue* catalogue = nullptr;  ///< velocities are peculiar
  const Members* members = nullptr;      ///< adds the order of the points by group
  std::span<const std::int32_t> label = {};
  const std::uint64_t* id = nullptr;  ///< of every point
  std::span<const double> peak = {};  ///< of every group: a better center than the center of mass
  std::span<const Edge> edges = {};
  const Overdensities* overdensities = nullptr;  ///< [group * edges + edge]
  const Subhalos* subhalos = nullptr;
  /// The subhalo of every point; see subhalo_labels.
  std::span<const std::int32_t> subhalo_label = {};
  /// The ID of the most bound member of every subhalo.
  std::optional<std::span<const std::uint64_t>> most_bound_id = {};
};

/// Writes a catalogue with all its columns (docs/program.md lists their names in every style). The
/// file appears under its name only when it is complete and on disk. It contains no times and only
/// the path of the snapshot: equal results are equal files. Errors: invalid_argument (wrong sizes,
/// a style that cannot hold the content), io, cancelled.
KITH_API void write_catalogue(const std::string& path, const CatalogueContent& content,
                              const ResultWriteOptions& options = {},
                              const Execution& execution = {});

/// Writes arrays under their names, with the same guarantees.
KITH_API void write_result(const std::string& path, const ResultAbout& about,
                           std::span<const ResultArray> arrays,
                           const ResultWriteOptions& options = {}, const Execution& execution = {});

/// An open result file. Its arrays have kith's names in every style: those of the fields
/// of Catalogue (`size`, `mass`, `center`, ...), `peak`, `critical200_mass`, `critical200_radius`
/// and so on, `label`, `order`, `id`, `index`, `distance`, `offset`, `density`; names of
/// subhalo columns begin with `subhalo_`. Other datasets of an HDF5 file are named by their paths:
/// `IDs/ID`. Conversions of the style are undone. Copies share the file.
class KITH_API ResultFile {
 public:
  /// Reads HDF5 and npz files that kith wrote. Errors: io.
  explicit ResultFile(const std::string& path);

  const ResultAbout& about() const;
  ResultStyle style() const;

  std::vector<std::string> names() const;
  bool has(std::string_view name) const;
  std::size_t rows(std::string_view name) const;
  std::size_t width(std::string_view name) const;

  /// Rows [begin, begin + count) of an array. Errors: io, invalid_argument for a name that is not
  /// there.
  std::vector<double> numbers(std::string_view name, std::size_t begin, std::size_t count) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name, std::size_t begin,
                                     std::size_t count) const;
  std::vector<std::int64_t> integers(std::string_view name) const;

  /// All columns of the groups, or of the subhalos, in the file.
  Catalogue catalogue() const;
  Catalogue subhalo_catalogue() const;

  /// The group of every point, from labels or from the order by group; empty if the file has
  /// neither.
  std::vector<std::int32_t> label() const;

  class Impl;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Units as text: "Mpc/h", "1e10 Msun/h", "km/s"; empty if they are unknown.
KITH_API std::string unit_name(const Units& units, const UnitPowers& powers);

template <ResultNumber T>
ResultArray result_array(const std::string& name, const T* data, std::size_t rows,
                         std::size_t width = 1) {
  return {.name = name,
          .type = number_type<T>(),
          .data = data,
          .rows = rows,
          .width = width,
          .is_table = width != 1};
}

namespace detail {
/// Neighbors of any type of number: rows of `width`, or lists with offsets.
struct NeighborArrays {
  NumberType index_type = NumberType::int32;
  const void* index = nullptr;
  NumberType distance_type = NumberType::float32;
  const void* distance = nullptr;
  std::size_t rows = 0;
  std::size_t width = 1;
  bool are_lists = false;
  std::span<const std::int64_t> offset = {};
};
KITH_API void write_neighbors(const std::string& path, const ResultAbout& about,
                              const NeighborArrays& arrays, const ResultWriteOptions& options,
                              const Execution& execution);
}  // namespace detail

/// Rows of neighbors: `index` and `distance`.
template <Coordinate T, ResultIndex Index>
void write_neighbors(const std::string& path, const ResultAbout& about,
                     const Neighbors<T, Index>& neighbors, const ResultWriteOptions& options = {},
                     const Execution& execution = {}) {
  detail::write_neighbors(path, about,
                          {number_type<Index>(), neighbors.indices(), number_type<T>(),
                           neighbors.distances(), neighbors.size(), neighbors.k()},
                          options, execution);
}

/// Neighbor lists: point i has [offset[i], offset[i + 1]) of `index` and `distance`.
template <Coordinate T, ResultIndex Index>
void write_neighbors(const std::string& path, const ResultAbout& about,
                     const NeighborLists<T, Index>& lists, const ResultWriteOptions& options = {},
                     const Execution& execution = {}) {
  detail::write_neighbors(path, about,
                          {number_type<Index>(), lists.indices(), number_type<T>(),
                           lists.distances(), lists.total(), 1, true, lists.offsets()},
                          options, execution);
}

}  // namespace kith
