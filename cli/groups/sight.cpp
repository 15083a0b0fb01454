// `kith fof --los`: groups in redshift space.
#include <fmt/format.h>

#include <kith/error.hpp>

#include "groups/groups.hpp"

namespace kith::cli {

void add_sight(Command command, GroupRequest& request) {
  command
      .add_option("--los,--line-of-sight", request.los,
                  "line of sight, for points in redshift space: an axis, or midpoint (also "
                  "radial): from the "
                  "origin to the midpoint of each pair")
      .one_of({"x", "y", "z", "midpoint", "radial"});
  command.add_option("--b-parallel", request.b_parallel, "with --los: b along the line of sight")
      .positive();
  command
      .add_option("--linking-length-parallel", request.parallel_length,
                  "with --los: linking length along the line of sight")
      .positive();
}

void GroupTask::check_sight() const {
  const GroupRequest& r = request;
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::invalid_argument, what);
  };
  if (r.los.empty()) {
    if (r.b_parallel > 0 || r.parallel_length > 0)
      refuse("a linking length along the line of sight needs --los x, y, z or midpoint");
    return;
  }
  if (r.fof.b > 0 ? !(r.b_parallel > 0) || r.parallel_length > 0
                  : !(r.parallel_length > 0) || r.b_parallel > 0)
    refuse("--los needs -b and --b-parallel, or --linking-length and --linking-length-parallel");
  if (!r.all_lengths.empty()) refuse("--los and --all-lengths cannot be combined");
  if (input.types().size() > 1)
    refuse("--los links one type of points; choose it with --link-types, and --attach-types none");
  if (line_of_sight() == "midpoint" && input.box().is_periodic())
    refuse("--los midpoint needs --box open: lines of sight from an observer do not repeat");
}

std::string GroupTask::line_of_sight() const {
  return request.los == "radial" ? "midpoint" : request.los;
}

RedshiftSpace GroupTask::sight() const {
  RedshiftSpace space;
  const std::string line = line_of_sight();
  space.line_of_sight = line == "x"   ? LineOfSight::x
                        : line == "y" ? LineOfSight::y
                        : line == "z" ? LineOfSight::z
                                      : LineOfSight::midpoint;
  space.stretch = request.fof.b > 0 ? request.b_parallel / request.fof.b
                                    : request.parallel_length / request.fof.linking_length;
  return space;
}

}  // namespace kith::cli
