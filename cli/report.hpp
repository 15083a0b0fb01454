// What a report tells, and how it becomes a page.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/figure.hpp>
#include <kith/results.hpp>

namespace kith::cli {

/// How a report looks, and what theory it compares with.
struct ReportOptions {
  std::string title;          ///< empty: the name of the snapshot
  std::size_t rows = 20;      ///< of the table
  std::size_t circles = 500;  ///< groups drawn
  int picture_size = 1280;
  int axis = 2;          ///< looked along
  double thickness = 0;  ///< of the slice; 0 = a tenth of a periodic box, else everything
  int bins_per_decade = 5;
  double sigma8 = 0.81;
  double n_s = 0.97;
};

/// What there is to tell.
struct Findings {
  std::string command;
  std::vector<std::pair<std::string, std::string>> facts;  ///< about the snapshot, in words
  ResultAbout about;
  Catalogue catalogue;
  PointsView points = {};  ///< none: no picture
  Statistics statistics;   ///< of the work that was done for the report itself
  double seconds = 0;
  int threads = 0;
};

/// A drawing with its caption and the name of its files.
struct Exhibit {
  std::string name;
  std::string heading;
  std::string caption;  ///< a label: see Drawing
  Drawing drawing;
};

/// The density with groups; none without points of two dimensions or more.
std::optional<Exhibit> density_exhibit(const Findings& findings, const ReportOptions& options,
                                       const Execution& execution);

/// Groups per volume and mass, beside theory where the cosmology is known; none without a volume.
std::optional<Exhibit> mass_exhibit(const Findings& findings, const ReportOptions& options);

/// The number of groups of each size or larger; none without groups.
std::optional<Exhibit> size_exhibit(const Findings& findings);

/// A unit as a label: "10^{10} M_{(sun)}/h" for "1e10 Msun/h".
std::string unit_label(const Units& units, const UnitPowers& powers);

/// A number in few digits as a label: "1.4(times)10^{15}".
std::string number_label(double number);

/// One self-contained page. What comes from files is escaped.
std::string report_page(const Findings& findings, const ReportOptions& options,
                        const std::vector<Exhibit>& exhibits);

}  // namespace kith::cli
