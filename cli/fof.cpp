// `kith fof SNAPSHOT`: friends-of-friends groups and their catalogue.
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <kith/error.hpp>

#include "groups.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith fof snapshot.hdf5 -b 0.2 -o halos.hdf5
  kith fof snapshot.hdf5 -b 0.2 --min-size 32 --overdensities -o halos.hdf5 --picture halos.png
  kith fof snapshot.hdf5 -b 0.2 --link-types 1 --attach-types 0,4,5 --style swift -o fof.hdf5
  kith fof points.npy --linking-length 0.01 --box 1 --labels -o groups.npz
  kith fof points.csv --linking-length 0.5 --json
  kith fof snapshot.hdf5 --all-lengths 0.1,0.15,0.2,0.25 -o halos.hdf5 --picture lengths.png

Units are those of the snapshot. Groups are numbered by size, the largest first.)";

void write(GroupRun& groups) {
  if (ranks())
    groups.write_together(nullptr);
  else
    groups.write(nullptr);
}

void run_all_lengths(const GroupRequest& request, GroupRun& groups, Session& session) {
  groups.find_all_lengths();
  for (const double b : request.all_lengths) {
    groups.take_length(b);
    groups.measure();
    write(groups);
  }
  groups.report_all_lengths();
  if (!request.picture.empty()) groups.draw_all_lengths();
  session.finish();
}

void check_device(const GroupRequest& request) {
  if (request.common.device == "cpu" || (request.los.empty() && request.all_lengths.empty()))
    return;
  throw Error(
      ErrorCode::unavailable,
      fmt::format("--los and --all-lengths are not available on --device {}; use --device cpu",
                  request.common.device));
}

void run(const GroupRequest& request) {
  check_device(request);
  if (!share_work()) return;
  Session session(request.common);
  std::optional<GroupRun> made;
  together([&] { made.emplace(request, session); });
  GroupRun& groups = *made;
  if (!request.all_lengths.empty()) return run_all_lengths(request, groups, session);
  groups.find();
  groups.measure();
  together([&] {
    if (!is_first_rank()) return;
    if (groups.count() > 0 && request.rows > 0) session.say("\n" + groups.table());
    groups.report();
  });
  write(groups);
  groups.draw();
  session.finish();
}

}  // namespace

void add_fof(Command program) {
  Command command =
      program.add_subcommand("fof", "finds friends-of-friends groups and their properties");
  const auto request = std::make_shared<GroupRequest>();
  command.footer(kExamples);
  add_group_request(command, *request);
  add_device(command, request->common);
  command
      .add_option(
          "--all-lengths", request->all_lengths,
          "values of b, such as 0.1,0.15,0.2: write one catalogue for each, with "
          "_b0.1 etc. added to the name of -o; --picture then shows the number of groups against b")
      .separated_by(',');
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
