// Shared by fof, subhalos and report: values from the request to the files,
//   GroupTask -> Particles -> Found -> Measured -> Written,
// each returned by a function of those before it. All ranks call the functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/detail/ranks.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/io/particle_roles.hpp>
#include <kith/io/results.hpp>
#include <kith/io/stored_subhalos.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/redshift_space.hpp>

#include "input.hpp"
#include "picture_view.hpp"
#include "ranks.hpp"

namespace kith::cli {

struct GroupRequest {
  Common common;
  InputOptions input;
  std::vector<int> link_types;
  std::vector<std::string> attach_types;         ///< as written: numbers, or none
  std::vector<std::string> contaminating_types;  ///< as written: numbers, or none
  FofOptions fof{.min_size = 20};
  std::string length_rule;          ///< empty = mean
  std::string los;                  ///< empty = none
  double b_parallel = 0;            ///< along the line of sight
  double parallel_length = 0;       ///< along the line of sight
  std::vector<double> all_lengths;  ///< values of b, one catalogue each
  std::string output;
  std::string sorted_snapshot;
  std::string style;
  ResultWriteOptions write;
  bool wants_order = false;
  bool wants_no_order = false;
  bool wants_labels = false;
  bool wants_overdensities = false;
  std::string center;  ///< empty = potential for overdensities, else mass
  std::string picture;
  int picture_size = 1024;
  ViewRequest view;
  std::size_t rows = 10;  ///< of the table
  bool needs_velocity = false;
  bool can_be_stored = false;  ///< works from disk where memory does not suffice
};
void add_group_request(Command command, GroupRequest& request);
/// Groups in redshift space.
void add_sight(Command command, GroupRequest& request);
/// Groups with a linking length for each point.
void add_lengths(Command command, GroupRequest& request);
/// The view of a picture.
void add_view(Command command, ViewRequest& view);
/// The options of linking alone.
void add_linking(Command command, GroupRequest& request);

/// The parts that types of particles take in groups.
struct TypeRoles {
  std::vector<int> linked, attached, contaminating;

  bool is_linked(int type) const;
};
/// By the options or, without options, by the rules of the library.
TypeRoles type_roles(const GroupRequest& request, const Input& input, const Execution& execution);

/// The groups to find, and their particles: all facts that are known before particles are read.
struct GroupTask {
  /// Checks the request against the file, and prints its meaning.
  GroupTask(const GroupRequest& request, Session& session);

  GroupRequest request;  ///< completed by defaults, less what the file cannot support
  Input input;
  TypeRoles roles;
  ResultStyle style = ResultStyle::automatic;
  bool is_stored = false;  ///< the particles stay on disk

  const Units& units() const { return input.info().units; }
  bool has_types() const { return input.types().size() > 1; }
  int type_numbers() const;    ///< as CatalogueOptions::types
  std::string center() const;  ///< mass, density, shrinking or potential
  bool has_lengths() const;    ///< one for each point
  LengthRule length_rule() const;
  std::string line_of_sight() const;        ///< x, y, z or midpoint; empty = none
  RedshiftSpace sight() const;              ///< if there is a line of sight
  bool has_searches() const;                ///< among all particles, when groups are known
  bool has_order(bool has_subhalos) const;  ///< in the catalogue
  bool has_labels() const;                  ///< in the catalogue
  bool has_sorted_order() const;            ///< the sorted snapshot has that of the catalogue

 private:
  void check_lengths() const;
  void check_sight() const;
  void check_outputs();
  void check_sorted_snapshot() const;
  void check_stored() const;
  void describe(Session& session) const;
  void choose_memory(Session& session);
  double memory() const;
};

/// The particles of this rank.
struct Particles {
  int dimension = 3;
  Numbers positions, velocities, masses = {};
  ValuesView mass = {};
  std::vector<std::uint8_t> type = {};  ///< of each, if there are several

  PointsView points() const { return positions.rows(dimension); }
  PointsView velocity() const;
};
Particles read_positions(const GroupTask& task, Session& session);
/// Adds velocities, masses and types, for which there is no room while points are linked.
void read_fields(const GroupTask& task, Particles& particles, Session& session);
/// Positions by type, with roles.
std::vector<TypedPoints> typed_points(const GroupTask& task, const Particles& particles);
/// Those of the linked types.
Numbers linked_positions(const GroupTask& task, const Particles& particles);

/// Particles, groups, subhalos and catalogue that are on disk.
struct StoredFound {
  const StoredPoints& points;
  const StoredGroups& groups;
  std::optional<StoredCatalogue> catalogue = {};
  std::optional<StoredSubhalos> subhalos = {};
};

/// Groups of the particles of all ranks.
struct Found : GroupsOfAll {
  double b = 0;                         ///< 0 if the linking length was given
  bool are_searchable = false;          ///< ranks().take has all particles
  const StoredFound* stored = nullptr;  ///< instead of labels, if the particles are on disk
};
Found find_groups(const GroupTask& task, const Particles& particles, Session& session);
/// The options of fof, with the mean separation of the particles if it is not that of the box.
FofOptions linking_options(const GroupTask& task, double b, Session& session);
void report_found(const GroupTask& task, const Particles& particles, Found& found, Report& report,
                  Session& session);

/// The metadata of a result. `subhalos`: the options of its subhalos.
ResultAbout facts_of(const GroupTask& task, const Found& found, ResultKind kind,
                     const SubhaloOptions* subhalos = nullptr);

inline constexpr double kSoftening = 0.2;  ///< of a linking length: 1/25 mean separation at b = 0.2
/// Of potentials; 0 for other centers.
double softening(const GroupTask& task, const Found& found);

/// Columns of some groups.
struct GroupRows {
  Catalogue catalogue;
  std::vector<double> peak;
  Overdensities overdensities;

  /// Peaks, or centers of mass.
  std::span<const double> places() const { return peak.empty() ? catalogue.center : peak; }
};
/// The catalogue, and spheres of given density.
struct Measured {
  GroupRows own;            ///< of the groups whose rows this rank has
  GroupRows first;          ///< on rank 0: the first ones of all ranks
  std::vector<Edge> edges;  ///< of the spheres
};
/// Without columns of particles.
CatalogueOptions catalogue_options(const GroupTask& task);
/// The rows for table and report only.
GroupRows first_rows(const GroupRows& own, std::size_t count, const Execution& execution);
Measured measure_groups(const GroupTask& task, const Particles& particles, Found& found,
                        Session& session);
/// Centers that are not centers of mass.
std::vector<double> find_peaks(const GroupTask& task, const Particles& particles, Found& found,
                               Session& session);
/// Without columns of particles.
CenterOptions center_options(const GroupTask& task, const Found& found);
/// The same; adds the edges.
OverdensityOptions sphere_options(const GroupTask& task, Measured& measured);
/// About peaks or centers of mass. Adds the edges and their spheres.
void find_overdensities(const GroupTask& task, const Particles& particles, Found& found,
                        Measured& measured, Session& session);

std::string group_table(const GroupTask& task, const Found& found, const Measured& measured);
void report_groups(const GroupTask& task, const Found& found, const Measured& measured,
                   Report& report);

/// Subhalos that are written to a catalogue.
struct SubhalosToWrite {
  const SubhaloOptions* options = nullptr;
  const SubhalosOfRank* found = nullptr;  ///< null: none were asked for
  /// Of bound subhalos, where the particles have IDs.
  std::optional<std::vector<std::uint64_t>> most_bound_id = {};
};
/// The files that appeared; empty: none.
struct Written {
  std::string catalogue, sorted_snapshot;
};
/// All ranks write the catalogue and the sorted snapshot.
Written write_groups(const GroupTask& task, const Found& found, const Measured& measured,
                     const SubhalosToWrite& subhalos, Session& session);
void report_written(const Written& written, Report& report, Session& session);

/// The picture, if one is wanted.
void draw_groups(const GroupTask& task, const Particles& particles, const Found& found,
                 const Measured& measured, Session& session);

/// Groups and catalogue of particles that stay on disk. find_subhalos(points, found, disk), if any,
/// comes before the catalogue, and report(measured) before the files.
struct StoredSteps {
  std::function<SubhalosToWrite(StoredFound&, const Found&, const DiskOptions&)> find_subhalos = {};
  std::function<void(const Found&, const Measured&)> report = {};
};
std::vector<int> stored_types(const GroupTask& task);
void find_stored(const GroupTask& task, const StoredSteps& steps, Session& session);

/// All values of b: a catalogue for each, and a plot of the numbers of groups.
void run_all_lengths(const GroupTask& task, Session& session);

/// The file for the catalogue of one of several lengths: "halos.hdf5" and 0.2, "halos_b0.2.hdf5".
std::string with_b(const std::string& path, double b);

}  // namespace kith::cli
