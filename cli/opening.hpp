// Files that are opened within limits: the HDF5 library takes any memory and any time on some
// damaged ones.
#pragma once

#include <optional>
#include <string>

#include <kith/io/halo_catalogue.hpp>
#include <kith/io/results.hpp>
#include <kith/io/snapshot.hpp>

namespace kith::cli {

/// As the constructors do. An HDF5 file whose structure takes far more memory than its size
/// explains is an error; one that takes far more processor time ends the program with a message.
Snapshot open_snapshot(const std::string& path, const SnapshotOptions& options);
ResultFile open_result(const std::string& path);

/// Another code's catalogue; empty for files of another kind, and for damaged ones.
std::optional<HaloCatalogueInfo> open_halo_catalogue(const std::string& path);

/// A file that says itself that it is a result.
bool is_result(const std::string& path);

}  // namespace kith::cli
