// Facts about a snapshot that the caller gives, because its file does not state them.
#pragma once

#include <string>

#include <kith/io/snapshot.hpp>

namespace kith::io {

/// Errors: invalid_argument for values that make no sense, and for a mass if all particles have
/// one.
void apply_given(SnapshotInfo& info, const SnapshotOptions& options, const std::string& path);

}  // namespace kith::io
