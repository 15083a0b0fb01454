// Where a sample goes: a snapshot in any format, a picture, and the words about it.
#pragma once

#include <string>
#include <vector>

#include <kith/picture.hpp>
#include <kith/snapshot.hpp>

#include "command.hpp"

namespace kith::cli {

/// What is wanted of every kind of sample.
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

/// What would fail after the work fails before it.
void check_sample(const SampleRequest& request, int dimension);

/// Writes the files and reports them; ids from 1 are added.
void deliver_sample(const SampleRequest& request, Session& session, SnapshotContent content);

}  // namespace kith::cli
