// Merger trees of the halos in catalogues, and the files that contain them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/merger_trees.hpp>

namespace kith {

struct HistoryOptions {
  HaloMembersOptions halos = {};
  LinkOptions links = {};
  MainBranch main_branch = MainBranch::history;
  /// Weight members by rank if those of the first catalogue are in order of binding, else equally.
  bool weight_is_automatic = true;
  /// Follow halos that vanish by their most bound members (OrphanFollower). Catalogues are then
  /// read a second time, their members must be in order of binding, and orphans have the positions
  /// and velocities of their particles: NaN where the snapshot is not known, or does not have them.
  bool orphans = false;
};

/// Merger trees, and the properties of their halos in the same rows.
struct KITH_API HaloHistories {
  MergerTrees trees = {};
  HaloColumns columns = {};
  std::vector<double> time = {}, redshift = {};  ///< of each snapshot
  std::vector<std::string> catalogue = {};       ///< of each snapshot; empty for files of others
  Box box = {};
  Units units = {};
  Background background = {};
  HistoryOptions options = {};  ///< that they were made with

  /// The masses of the halos or, where they are unknown, their numbers of members.
  std::vector<double> mass_or_members() const;
};

/// Links the halos of catalogues, one for each snapshot, in order of time. Each is read with
/// read_halo_members, one at a time. `earlier`: histories that were made before with the same
/// options; catalogues in it are not linked again. Errors: io, invalid_argument.
KITH_API HaloHistories halo_histories(const std::vector<std::string>& catalogues,
                                      const HistoryOptions& options = {},
                                      const HaloHistories* earlier = nullptr,
                                      const Execution& execution = {});

/// Formats of merger trees.
enum class TreeFormat {
  gadget4,           ///< HDF5 as Gadget-4 writes it, with kith's margins; all options are kept
  sublink,           ///< HDF5 as SubLink writes it, in a folder as illustris_python expects it
  lhalotree,         ///< binary, of the Millennium run
  consistent_trees,  ///< text, of consistent-trees
  csv,               ///< a table that ytree reads
};
KITH_API const char* name(TreeFormat format);  ///< "consistent-trees"

/// Writes histories; files appear under their names when they are complete. Equal histories are
/// equal files. Errors: io, invalid_argument for properties that the format needs and which are
/// unknown.
KITH_API void write_histories(const std::string& path, const HaloHistories& histories,
                              TreeFormat format = TreeFormat::gadget4,
                              const Execution& execution = {});

/// Whether a file, or a folder, has trees in a format that can be read.
KITH_API bool has_histories(const std::string& path);

/// Reads trees in any of these formats but csv, which is recognized by the content. Main branches
/// are those of the file. Errors: io.
KITH_API HaloHistories read_histories(const std::string& path, const Execution& execution = {});

}  // namespace kith
