// Catalogues of other codes: how many groups and subhalos they hold, and which columns, in the
// layout of Gadget-4 and IllustrisTNG.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kith/export.hpp>

namespace kith {

struct HaloCatalogueColumn {
  std::string path;  ///< "Group/GroupMass"
  std::uint64_t rows = 0;
  std::uint64_t width = 1;
};

struct HaloCatalogueInfo {
  std::vector<std::string> files;  ///< all files of the catalogue
  std::uint64_t groups = 0;
  std::uint64_t subhalos = 0;
  std::uint64_t largest_size = 0;  ///< particles in the largest group
  double largest_mass = 0;         ///< in the unit of the file
  double time = 0;                 ///< as in the file: the scale factor of a cosmological run
  double redshift = 0;
  double side = 0;       ///< of the box; 0: not stated
  std::string snapshot;  ///< the one whose particles these are, if it is beside the catalogue
  std::vector<HaloCatalogueColumn> columns;
};

/// Reads the headers of `fof_tab_NNN.hdf5`, `fof_subhalo_tab_NNN.hdf5` and their parts. Empty for
/// files of another kind. Errors: io for files that are missing or damaged.
KITH_API std::optional<HaloCatalogueInfo> halo_catalogue_info(const std::string& path);

}  // namespace kith
