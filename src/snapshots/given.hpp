// What the caller says about a snapshot that its file does not say.
#pragma once

#include <string>

#include <kith/snapshot.hpp>

namespace kith::io {

/// Errors: invalid_argument for values that make no sense, and for a mass if all particles have
/// one.
void apply_given(SnapshotInfo& info, const SnapshotOptions& options, const std::string& path);

}  // namespace kith::io
