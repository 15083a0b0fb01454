// What fof and subhalos share: particles by role, their groups, the catalogue, and where it goes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/figure.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/hierarchy.hpp>
#include <kith/particle_roles.hpp>
#include <kith/ranks.hpp>
#include <kith/redshift_space.hpp>
#include <kith/results.hpp>

#include "input.hpp"
#include "picture_view.hpp"
#include "ranks.hpp"

namespace kith::cli {

struct GroupRequest {
  Common common;
  InputOptions input;
  std::vector<int> link_types;
  std::vector<std::string> attach_types;         ///< as written: numbers, or none
  std::vector<std::string> contaminating_types;  ///< likewise
  FofOptions fof{.min_size = 20};
  std::string los;                  ///< empty = none
  double b_parallel = 0;            ///< along the line of sight
  double parallel_length = 0;       ///< likewise
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
};
void add_group_request(Command command, GroupRequest& request);
/// Groups in redshift space.
void add_sight(Command command, GroupRequest& request);
/// What a picture shows.
void add_view(Command command, ViewRequest& view);
/// Only those that say which groups.
void add_linking(Command command, GroupRequest& request);

/// What is known about some groups.
struct GroupRows {
  Catalogue catalogue;
  std::vector<double> peak;
  Overdensities overdensities;
};

/// Particles, labels and everything made of them, in the order in which it is needed.
class GroupRun {
 public:
  GroupRun(const GroupRequest& request, Session& session);

  const Input& input() const { return input_; }
  const Units& units() const { return input_.info().units; }
  PointsView points() const { return positions_.rows(input_.dimension()); }
  PointsView velocity() const;
  ValuesView mass() const { return input_.mass_values(masses_); }
  const Members& members() const { return members_; }
  const Catalogue& catalogue() const { return rows_.catalogue; }
  std::uint64_t count() const { return found_.count; }  ///< groups, of all ranks

  /// Goes into what the file says about itself.
  void set_subhalo_options(const SubhaloOptions* options) { subhalo_options_ = options; }

  void find();  ///< reads the points and links them
  /// Reads the points and makes the hierarchy of all linking lengths; ranks link them anew for
  /// each.
  void find_all_lengths();
  void take_length(double b);  ///< then: the groups at one of them, written under its own name
  void measure();              ///< the catalogue, and spheres of given density
  void write(const Subhalos* subhalos);
  Report& report_of_groups();  ///< where facts about those that were taken last go
  /// The same where ranks share the work; every rank calls it.
  void write_together(const SharedSubhalos* subhalos);
  void draw() const;              ///< the picture
  void draw_all_lengths() const;  ///< numbers of groups over b
  void report_all_lengths() const;
  std::string table() const;
  void report() const;
  ResultAbout about(ResultKind kind) const;

 private:
  void take(const Groups& groups, double b);
  void tell_found(double b);
  void explain_no_groups();
  double median_nearest();
  SharedGroups found_together(const FofOptions& options);
  void choose_roles();
  void choose_contaminating(const std::vector<int>& present, const ParticleRoles& roles);
  bool is_linked(int type) const;
  void choose_separation(FofOptions& options);
  /// The rows of the table and of the report.
  const GroupRows& shown() const { return ranks() ? first_ : rows_; }
  std::size_t shown_count() const { return std::min<std::size_t>(request_.rows, count()); }
  void take_first_rows();
  std::int64_t linked_size(std::size_t group) const;
  void check_sight() const;
  std::string line_of_sight() const;  ///< x, y, z or midpoint; empty = none
  RedshiftSpace sight() const;
  void check_outputs();
  void check_sorted_snapshot() const;
  /// Without rows of points.
  CatalogueContent content(const Subhalos* subhalos) const;
  bool has_order(bool has_subhalos) const;
  bool has_labels() const;
  void write_result(const CatalogueContent& content);
  using TypeRows = std::vector<std::vector<std::uint32_t>>;
  void take_order_of_file(TypeRows& rows) const;
  void write_sorted(const TypeRows& rows) const;
  bool has_order_in_file() const;
  template <class Index>
  void write_shared(const SharedSubhalos* subhalos);
  void write_sorted_together();
  void write_sorted_alone(const SharedOrder& order, const ResultAbout& facts);
  std::vector<GroupCount> counts_together(const std::vector<double>& lengths) const;
  double memory() const;
  std::vector<TypedPoints> typed() const;
  void draw_together() const;
  PictureOptions picture_view(const Catalogue& groups, const std::vector<double>& sample) const;
  FigureOptions figure_options(const Catalogue& groups, const PictureOptions& view) const;
  void write_picture(const Drawing& drawing) const;
  PointsView linked_points() const;
  std::vector<double> own_sample() const;
  std::vector<double> linked_distances(const Tree& tree) const;
  std::vector<double> linked_distances_together() const;
  Numbers own_linked() const;
  std::vector<double> with_attached(const std::vector<double>& linked) const;
  std::string center() const;  ///< mass, density, shrinking or potential
  double softening() const;
  bool needs_tree() const { return center() == "density" || request_.wants_overdensities; }
  const Tree&
  tree();  ///< of all points; built when it is first asked for, kept until `measure` ends
  std::vector<double> densest();
  void find_peaks();
  void leave_out_overdensities();
  void find_overdensities();

  GroupRequest request_;  // completed by defaults, less what the file cannot support
  Session& session_;
  const SubhaloOptions* subhalo_options_ = nullptr;
  Input input_;
  ResultStyle style_ = ResultStyle::automatic;
  std::vector<int> link_types_, attach_types_, contaminating_types_;
  Numbers positions_, velocities_, masses_;
  std::vector<std::uint8_t> type_;
  std::string output_;  // of the groups that were taken last
  double b_ = 0;        // likewise
  std::optional<Tree> tree_;
  std::optional<Hierarchy> hierarchy_;
  std::vector<Report> length_reports_;
  std::optional<Groups> groups_;
  Members members_;
  SharedGroups found_;  // in one process without labels, which groups_ has
  GroupRows rows_;      // of the groups of this rank
  GroupRows first_;     // on rank 0: the first ones of all ranks
  std::vector<Edge> edges_;
};

/// The file for the catalogue of one of several lengths: "halos.hdf5" and 0.2, "halos_b0.2.hdf5".
std::string with_b(const std::string& path, double b);

}  // namespace kith::cli
