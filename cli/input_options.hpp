// How the user describes the snapshot.
#pragma once

#include <string>
#include <vector>

#include <kith/io/snapshot.hpp>

#include "options.hpp"

namespace kith::cli {

struct InputOptions {
  std::string path;
  std::vector<int> types;  ///< none = the command's own choice
  std::string box;         ///< as written: "100", "100,100,50", "open"; empty = the file's
  std::string origin;
  std::string scalar;  ///< empty = as stored
  std::string non_finite = "error";
  bool wrap = false;  ///< points far outside of the box are meant to be wrapped into it
  SnapshotOptions file;
  std::string units;      ///< as written: "kpc/h,1e10 Msun/h,km/s"; empty = the file's
  std::string cosmology;  ///< as written: "omega_m=0.3,h=0.7"; empty = the file's
  std::string redshift;   ///< as written; empty = the file's
};
/// Adds the options of the file and of facts that it may lack; add_input also those of the box and
/// the scalar type.
void add_source(Command command, InputOptions& options);
void add_input(Command command, InputOptions& options);
/// Positions on the sky instead.
void add_sky(Command command, InputOptions& options);
void add_types(Command command, InputOptions& options);

/// The box by the options, or the one that is stored.
Box box_of(const InputOptions& options, const Box& stored);
/// The options for opening the file.
SnapshotOptions file_options(const InputOptions& options);

}  // namespace kith::cli
