// Halos of one snapshot with the particles that they consist of, from the catalogues of several
// codes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/match.hpp>

namespace kith {

/// Properties of halos, in the units of the catalogue; empty where it does not have them.
struct HaloColumns {
  std::vector<double> mass = {};
  std::vector<double> position = {};  ///< rows of 3, as all vectors
  std::vector<double> velocity = {};
  std::vector<double> spin = {};
  std::vector<double> velocity_dispersion = {};  ///< of kith's own, along one axis
  std::vector<double> vmax = {};
  std::vector<double> vmax_radius = {};
  std::vector<double> half_mass_radius = {};
  std::vector<double> critical200_mass = {};  ///< of the group, for its first halo; 0 for others
  std::vector<std::uint64_t> most_bound_id = {};
  std::vector<std::int64_t> group = {};     ///< friends-of-friends group of each halo
  std::vector<std::uint64_t> halo_id = {};  ///< its ID in the catalogue, if that is not the label
};

/// The halos of one snapshot and their members.
struct HaloMembers {
  std::string path;             ///< of the catalogue, or of the snapshot in which groups were found
  std::string snapshot;         ///< that the IDs came from; empty if the catalogue has them
  std::vector<int> types = {};  ///< of the particles with these IDs; empty: of all
  std::size_t halos = 0;
  std::vector<std::uint64_t> id = {};    ///< of members, halo after halo
  std::vector<std::int32_t> label = {};  ///< the halo of each member
  std::vector<std::int64_t> size = {};   ///< of each halo: its members of all types
  bool is_in_order_of_binding = false;   ///< the members of each halo
  HaloColumns columns = {};
  double time = 0;  ///< as in the file: the scale factor of a cosmological run
  double redshift = 0;
  Box box = {};
  Units units = {};
  Background background = {};

  LabeledIds view() const { return {id, label, halos}; }
};

struct HaloMembersOptions {
  int type = -1;  ///< of the members that are matched; -1: dark matter if there is any
  /// Whether to find groups also in a snapshot that has a catalogue beside it.
  bool find = false;
  double b = 0.2;  ///< linking length of groups that are found, see FofOptions
  double linking_length = 0;
  std::size_t min_size = 20;
  /// Whether to find the bound subhalos of these groups (kith::subhalos) instead of the groups;
  /// their members are in order of binding.
  bool subhalos = false;
  /// Which part of the members is read, of how many: for several processes that read one catalogue.
  /// The halos are read in full.
  std::uint64_t part = 0, parts = 1;
};

/// Reads the halos of a catalogue with the IDs of their members:
///
///   fof_subhalo_tab_012.hdf5   Gadget-4's subhalos; the IDs come from snapshot_012.hdf5 beside it,
///                              whose particles are in the order of subhalos and of binding
///   fof_subhalo_tab_099.0.hdf5 IllustrisTNG's; with snap_099.0.hdf5 in snapdir_099
///   halos_12.0.particles       Rockstar's tables of particles, all chunks; or halos_12.0.ascii
///   with
///                              them beside it
///   NAME.z0.300.AHF_halos      AHF's, with NAME.z0.300.AHF_particles beside it
///   NAME.catalog_groups[.0]    VELOCIraptor's in HDF5, or NAME.properties[.0]
///   SubSnap_012.0.hdf5         HBT+'s, all files
///   halos.hdf5                 kith's own groups or subhalos
///   snapshot_012.hdf5          Gadget-4's catalogue beside it, or else groups that are found here
///
/// Errors: io for files that are missing, damaged, or do not belong together; invalid_argument for
/// a snapshot without IDs, and for a part of one in which groups are to be found.
KITH_API HaloMembers read_halo_members(const std::string& path,
                                       const HaloMembersOptions& options = {},
                                       const Execution& execution = {});

}  // namespace kith
