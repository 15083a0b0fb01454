// Where a sample goes: a snapshot in any format, a picture, and the words about it.
#pragma once

#include <string>
#include <vector>

#include <kith/io/picture.hpp>
#include <kith/io/snapshot.hpp>

#include "command.hpp"

namespace kith::cli {

/// The options of every kind of sample.
struct SampleRequest {
  Common common;
  std::string kind;
  std::string output;
  std::string velocity;  ///< a separate file, for formats that cannot hold them
  std::string picture;
  SnapshotWriteOptions write;
  PictureOptions view;
  bool has_slice = false;  ///< the user has said where
};
void add_sample_request(Command kind, SampleRequest& request);

/// Fails before the work if the output would fail after it.
void check_sample(const SampleRequest& request, int dimension);

/// Whether points can be made while they are written, in constant memory.
bool is_made_in_parts(const SampleRequest& request);

/// Writes the files and reports them; ids from 1 are added.
void deliver_sample(const SampleRequest& request, Session& session, SnapshotContent content);

}  // namespace kith::cli
