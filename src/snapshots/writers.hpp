// The writers behind write_snapshot, one for each format. Their arguments have been checked.
#pragma once

#include <cmath>
#include <string>

#include <kith/io/snapshot.hpp>

#include "files/atomic_file.hpp"
#include "parallel/workers.hpp"
#include "snapshots/rows.hpp"

namespace kith::io {

/// Velocities are stored as peculiar ones over the square root of the scale factor.
inline double gadget_velocity_factor(const Background& background) {
  return background.is_known ? 1 / std::sqrt(background.scale_factor) : 1;
}

void write_gadget_hdf5(const std::string& path, const SnapshotContent& content,
                       const SnapshotWriteOptions& options, const Workers& workers);
void write_swift_hdf5(const std::string& path, const SnapshotContent& content,
                      const SnapshotWriteOptions& options, const Workers& workers);

/// Gadget-2's binary files, format 2.
void write_gadget_binary(AtomicFile& file, const std::string& path, const SnapshotContent& content,
                         const Workers& workers);
void write_npy(AtomicFile& file, const SnapshotContent& content, const Workers& workers);
void write_npz(AtomicFile& file, const SnapshotContent& content, const Workers& workers);
void write_ply(AtomicFile& file, const SnapshotContent& content, const Workers& workers);
/// Columns; `separator` a comma (with a line of names), or a space.
void write_text(AtomicFile& file, const SnapshotContent& content, char separator,
                const Workers& workers);
void write_raw(AtomicFile& file, const SnapshotContent& content, const Workers& workers);

}  // namespace kith::io
