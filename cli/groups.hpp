// What fof and subhalos share: particles by role, their groups, the catalogue, and where it goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/results.hpp>

#include "input.hpp"

namespace kith::cli {

struct GroupRequest {
  Common common;
  InputOptions input;
  std::vector<int> link_types;
  std::vector<std::string> attach_types;  ///< as written: numbers, or none
  FofOptions fof{.min_size = 20};
  std::string output;
  std::string style;
  ResultWriteOptions write;
  bool wants_order = false;
  bool wants_no_order = false;
  bool wants_labels = false;
  bool wants_overdensities = false;
  std::string center = "mass";
  std::string picture;
  int picture_size = 1024;
  std::size_t rows = 10;  ///< of the table
  bool needs_velocity = false;
};
void add_group_request(Command command, GroupRequest& request);
/// Only those that say which groups.
void add_linking(Command command, GroupRequest& request);

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
  const Catalogue& catalogue() const { return catalogue_; }

  /// Goes into what the file says about itself.
  void set_subhalo_options(const SubhaloOptions* options) { subhalo_options_ = options; }

  void find();     ///< reads the points and links them
  void measure();  ///< the catalogue, and spheres of given density
  void write(const Subhalos* subhalos);
  void draw() const;  ///< the picture
  std::string table() const;
  void report() const;
  ResultAbout about(ResultKind kind) const;

 private:
  void choose_roles();
  double separation_by_mass() const;
  void choose_separation(FofOptions& options);
  std::int64_t linked_size(std::size_t group) const;
  void check_outputs();
  double memory() const;
  std::vector<TypedPoints> typed() const;
  std::vector<double> linked_distances(const Tree& tree) const;
  void find_peaks(const Tree& tree);
  void find_overdensities(const Tree& tree);
  std::vector<std::string> table_row(std::size_t group) const;

  const GroupRequest& request_;
  Session& session_;
  const SubhaloOptions* subhalo_options_ = nullptr;
  Input input_;
  ResultStyle style_ = ResultStyle::automatic;
  std::vector<int> link_types_, attach_types_;
  Numbers positions_, velocities_, masses_;
  std::vector<std::uint8_t> type_;
  std::optional<Groups> groups_;
  Members members_;
  Catalogue catalogue_;
  std::vector<double> peak_;
  std::vector<Edge> edges_;
  Overdensities overdensities_;
};

/// The snapshot's universe in its own units. Throws Error (invalid_argument) if it does not say
/// enough.
Cosmology cosmology_of(const SnapshotInfo& info);

}  // namespace kith::cli
