// What a report shows, and how it becomes a page.
//
//   report.cpp           the command: finds or reads groups
//   report_figures.cpp   maps, mass function, sizes
//   report_closeups.cpp  pictures and density profiles of the largest groups
//   report_table.cpp     the columns of the table
//   report_data.cpp      the same as JSON, for the scripts of the page
//   report_page.cpp      HTML
//   report/              style sheet and scripts, compiled in
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/figure.hpp>
#include <kith/halos.hpp>
#include <kith/results.hpp>

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
};

/// The content of the report.
struct Findings {
  std::string command;
  std::vector<std::pair<std::string, std::string>> facts;  ///< about the snapshot, in words
  ResultAbout about;
  Catalogue catalogue;
  PointsView points = {};  ///< none: no pictures
  ValuesView mass = {};    ///< of every point
  bool has_mass = false;   ///< else all are 1
  /// Members of the largest groups, as indices of points; none if they are not known.
  std::vector<std::vector<std::uint32_t>> members;
  Statistics statistics;  ///< of the work that was done for the report itself
  double seconds = 0;
  int threads = 0;
};

/// The groups that are shown one by one.
inline constexpr std::size_t kCloseUps = 5;

/// What a map shows along its two axes, and the slice that is seen along the third.
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

/// One of the largest groups.
struct CloseUp {
  std::size_t group = 0;
  std::vector<std::pair<std::string, std::string>> facts;  ///< names and values, both labels
  Exhibit picture;
  std::optional<Exhibit> profile;
};

/// The largest groups one by one; those that reach over half of a periodic box are left out.
std::vector<CloseUp> close_ups(const Findings& findings, const ReportOptions& options,
                               const Execution& execution);

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

/// Groups, maps and curves as JSON, for the scripts.
std::string report_data(const Findings& findings, const std::vector<const Exhibit*>& exhibits);

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

/// Of a box all of whose axes are periodic; else 0.
double volume_of(const ResultAbout& about);

double coordinate_of(const PointsView& points, std::size_t i, int axis);

/// From the lowest to the highest coordinate along an axis, or the box where it is periodic.
std::pair<double, double> shown_along(const Findings& findings, int axis);

struct ReportParts {
  std::vector<Exhibit> maps;
  std::vector<Exhibit> curves;
  std::vector<CloseUp> close_ups;

  std::vector<const Exhibit*> all() const;
};

/// One self-contained page. What comes from files is escaped.
std::string report_page(const Findings& findings, const ReportOptions& options,
                        const ReportParts& parts);

}  // namespace kith::cli
