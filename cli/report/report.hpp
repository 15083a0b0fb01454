// The content of a report, and its page.
//
//   report.cpp    the command: finds or reads groups
//   figures.cpp   maps, mass function, sizes
//   spheres.cpp   spheres, shells and fitted profiles of groups
//   closeups.cpp  pictures and density profiles of the largest groups
//   compare.cpp   another catalogue beside the first
//   history.cpp   the past of groups, in merger trees
//   table.cpp     the columns of the table
//   particles.cpp some of the points, for the maps and views that scripts draw
//   panels.cpp    what the panel of a group shows, as JSON
//   data.cpp      the same as JSON, for the scripts of the page
//   page.cpp      HTML
//   page/         style sheet and scripts, compiled in
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/halos.hpp>
#include <kith/io/figure.hpp>
#include <kith/io/results.hpp>

#include "picture_view.hpp"

namespace kith::cli {

/// How a report looks, and what theory it compares with.
struct ReportOptions {
  std::string title;          ///< empty: the name of the snapshot
  std::size_t rows = 20;      ///< of the table, at a time
  std::size_t circles = 500;  ///< groups drawn
  int picture_size = 1280;
  ViewRequest view;
  int bins_per_decade = 5;
  double sigma8 = 0.81;
  double n_s = 0.97;
  double softening = 0;  ///< of the simulation's forces; 0 = not known
};

/// The content of the report.
struct Findings {
  std::string command;
  std::string path;  ///< of the catalogue, or of the snapshot in which the groups were found
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< about the snapshot, in words
  ResultAbout about;
  Catalogue catalogue;
  PointsView points = {};                    ///< none: no pictures
  ValuesView mass = {};                      ///< of every point
  bool has_mass = false;                     ///< else all are 1
  Members members = {};                      ///< of all groups; without offsets: they are not known
  std::vector<std::string> type_names = {};  ///< of each type of the snapshot
  Catalogue subhalos = {};                   ///< none: there are none in the file
  std::vector<std::int64_t> parent = {};     ///< the group of each subhalo
  Statistics statistics;                     ///< of the work that was done for the report itself
  double seconds = 0;
  int threads = 0;
};

/// The groups that are shown one by one.
inline constexpr std::size_t kCloseUps = 5;

/// The range of a map along its two axes, and its slice along the third.
struct MapFrame {
  std::string name;        ///< of the choice between maps
  int across = 0, up = 1;  ///< axes
  int depth = -1;          ///< looked along; -1 in two dimensions
  double center = 0;       ///< of the slice, as a coordinate
  double thickness = 0;    ///< 0 = everything
  double low[2] = {}, side[2] = {1, 1};
};

/// A drawing with its caption and the name of its files.
struct Exhibit {
  std::string name;
  std::string heading;
  std::string caption;  ///< a label: see Drawing
  Drawing drawing;
  std::optional<MapFrame> map = {};  ///< of a density
  std::optional<Plot> plot = {};     ///< of curves; both axes have limits
};

/// The density with groups: a slice, and in three dimensions everything along each axis. None
/// without points of two dimensions or more.
std::vector<Exhibit> map_exhibits(const Findings& findings, const ReportOptions& options,
                                  const Execution& execution);

/// Groups per volume and mass, beside theory where the cosmology is known; none without a volume.
std::optional<Exhibit> mass_exhibit(const Findings& findings, const ReportOptions& options);

/// The number of groups of each size or larger; none without groups.
std::optional<Exhibit> size_exhibit(const Findings& findings);

/// Subhalos per group over the part of its mass that they have, in well resolved groups; none
/// without subhalos.
std::optional<Exhibit> subhalo_mass_exhibit(const Findings& findings);

/// The density that defines R200.
struct Reference {
  double density = 0;  ///< critical or mean; 0: there is none
  std::string letter;  ///< c or m
  std::string name;    ///< in words
};

/// Shells between 0.025 and 1 radius of a sphere, even in the logarithm.
inline constexpr std::size_t kShells = 20;
inline constexpr double kInnermost = 0.025;

/// A sphere of 200 times the reference about the center of a group, and the points in its shells.
struct HaloSphere {
  double radius = 0;  ///< 0: there is none
  double mass = 0;
  std::size_t size = 0;
  std::vector<double> shell_count = {}, shell_mass = {};
  std::size_t first_fitted = 0;  ///< shells before this one are not converged
  double concentration = 0;      ///< of the NFW profile that fits the others; 0: none does

  double edge(std::size_t shell) const;  ///< inner edge
};

/// Spheres of the largest groups, one row for each.
struct HaloSpheres {
  Reference reference;
  std::vector<double> center;  ///< in the box
  std::vector<HaloSphere> of;
};

/// In three dimensions, with a tree of the points; else without rows. The largest groups that
/// together have a few million members: potentials of more would take minutes.
HaloSpheres halo_spheres(const Findings& findings, const AnyTree* tree, double softening,
                         const Execution& execution);

/// The mass of an NFW profile inside x scale radii, in its own units.
double nfw_mass(double x);

/// One of the largest groups.
struct CloseUp {
  std::size_t group = 0;
  std::vector<std::pair<std::string, std::string>> facts;  ///< names and values, both labels
  Exhibit picture;
  std::optional<Exhibit> profile;
  std::optional<Exhibit> subhalos = {};  ///< the picture with those of the group
};

/// The largest groups one by one; those that reach over half of a periodic box are left out.
std::vector<CloseUp> close_ups(const Findings& findings, const ReportOptions& options,
                               const HaloSpheres& spheres, const Execution& execution);

/// Another catalogue of the same simulation beside the first.
struct Comparison {
  std::string name;    ///< of its file
  std::string method;  ///< how groups were matched, in words
  Catalogue catalogue;
  std::vector<std::int64_t> match;  ///< of each group of the first in the other; -1: none
  std::vector<double> shared;       ///< part of its members that the match has; empty: not known
  std::vector<std::int64_t> found;  ///< groups of the other without a match
};

/// Which particles are members of which groups.
struct MemberNames {
  std::vector<std::int64_t> id = {};        ///< of members; empty: not known
  std::vector<std::int32_t> id_group = {};  ///< of each of them
  std::vector<std::int32_t> label = {};     ///< of every point; empty: not known
};
MemberNames member_names(const ResultFile& file);
MemberNames member_names(const Members& members, std::span<const std::uint64_t> id,
                         std::size_t points);

/// Groups of the catalogue `other` and of the findings that are each other's best match. By
/// particles if both say whose members they are, else by position and mass.
Comparison compare_catalogues(const Findings& findings, const MemberNames& first,
                              const std::string& other, const Execution& execution);

/// Ratios of masses over mass; none without matches.
std::optional<Exhibit> ratio_exhibit(const Findings& findings, const Comparison& comparison);

/// The section of a comparison, with its figure.
std::string comparison_section(const Findings& findings, const Comparison& comparison,
                               const std::string& figure);

/// The main branch of a group in merger trees, the latest snapshot first.
struct GroupHistory {
  std::vector<std::int32_t> snapshot = {};
  std::vector<double> mass = {};
  std::vector<std::pair<std::int32_t, double>> mergers = {};  ///< snapshots and ratios of mass
  std::int32_t half_mass = -1;   ///< the first snapshot with at least half of the mass
  std::int32_t last_major = -1;  ///< that of the last merger of 1 : 4 or more; -1: none
};

struct GroupHistories {
  std::string name;                              ///< of the file
  bool has_mass = false;                         ///< else `mass` is the number of members
  std::vector<double> time = {}, redshift = {};  ///< of each snapshot
  std::vector<GroupHistory> of = {};             ///< of each group
};

/// Reads the trees of a file in which the groups are those of one snapshot. Errors:
/// invalid_argument if they are not.
GroupHistories group_histories(const Findings& findings, const std::string& path,
                               const Execution& execution);

/// For the panels; "null" without trees.
std::string histories_json(const Findings& findings, const std::optional<GroupHistories>& all,
                           std::size_t rows);

/// A column of the table of groups.
struct ReportColumn {
  std::string head;        ///< a label
  std::string unit;        ///< another
  std::string plain_unit;  ///< "Msun/h"
  std::vector<double> values;
};

/// The columns that the catalogue has, of its first `rows` groups.
std::vector<ReportColumn> report_columns(const Findings& findings, std::size_t rows);

/// The table with its heading; nothing without groups.
std::string report_table(const Findings& findings, const ReportOptions& options);

struct ReportParts;

/// Groups, maps and curves as JSON, for the scripts.
std::string report_data(const Findings& findings, const ReportParts& parts);

/// Some of the points as JSON: those of each group, then others. "null" if there are none.
std::string particle_data(const Findings& findings, const AnyTree* tree,
                          const Execution& execution);

/// The content of the panels of groups beside the columns of the table, as JSON.
std::string panel_data(const Findings& findings, const ReportParts& parts);

/// Rows that the page has.
inline constexpr std::size_t kMostRows = 20000;  // about 1.5 MB

std::string json_numbers(std::span<const double> values);

/// A number as JSON; null if it is not finite.
std::string script_number(double value);

/// Style sheet and scripts of the page: cli/report/.
extern const char* const kReportStyle;
extern const char* const kReportScript;

/// A unit as a label: "10^{10} M_{(sun)}/h" for "1e10 Msun/h".
std::string unit_label(const Units& units, const UnitPowers& powers);

/// A number in few digits as a label: "1.4(times)10^{15}".
std::string number_label(double number);
std::string number_label(double number, const std::string& unit);

/// The volume of a box whose axes are all periodic; else 0.
double volume_of(const ResultAbout& about);

double coordinate_of(const PointsView& points, std::size_t i, int axis);

/// From the lowest to the highest coordinate along an axis, or the box where it is periodic.
std::pair<double, double> shown_along(const Findings& findings, int axis);

double mass_of(const ValuesView& mass, std::size_t i);

struct ReportParts {
  std::vector<Exhibit> maps;
  std::vector<Exhibit> curves;
  std::vector<CloseUp> close_ups;
  HaloSpheres spheres;
  std::string particles;  ///< particle_data
  std::optional<Comparison> comparison;
  std::optional<Exhibit> ratios;  ///< of the comparison
  std::optional<GroupHistories> histories;

  std::vector<const Exhibit*> all() const;
};

/// One self-contained page. Text from files is escaped.
std::string report_page(const Findings& findings, const ReportOptions& options,
                        const ReportParts& parts);

}  // namespace kith::cli
