// Files that are opened within limits: the HDF5 library takes any memory and any time on some
// damaged ones.
#pragma once

#include <string>

#include <kith/results.hpp>
#include <kith/snapshot.hpp>

namespace kith::cli {

/// As the constructors do. An HDF5 file whose structure takes far more memory than its size
/// explains is an error; one that takes far more processor time ends the program with a message.
Snapshot open_snapshot(const std::string& path, const SnapshotOptions& options);
ResultFile open_result(const std::string& path);

}  // namespace kith::cli
