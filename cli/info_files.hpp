// `kith info` of files that are no snapshots: catalogues of other codes, and folders.
#pragma once

#include <string>

#include <kith/io/halo_catalogue.hpp>

#include "command.hpp"

namespace kith::cli {

void tell_halo_catalogue(Session& session, const std::string& path, const HaloCatalogueInfo& info);

/// Lists the HDF5 files of a folder. False for all other paths, and for a folder that holds one
/// snapshot alone: that is the snapshot.
bool tell_folder(Session& session, const std::string& path);

}  // namespace kith::cli
