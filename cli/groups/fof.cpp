// `kith fof SNAPSHOT`: friends-of-friends groups and their catalogue.
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <kith/error.hpp>

#include "groups/groups.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith fof snapshot.hdf5 -b 0.2 -o halos.hdf5
  kith fof snapshot.hdf5 -b 0.2 --min-size 32 --overdensities -o halos.hdf5 --picture halos.png
  kith fof snapshot.hdf5 -b 0.2 --link-types 1 --attach-types 0,4,5 --style swift -o fof.hdf5
  kith fof points.npy --linking-length 0.01 --box 1 --labels -o groups.npz
  kith fof points.csv --linking-length 0.5 --json
  kith fof galaxies.csv --linking-length-column reach --linking-length-rule least --labels -o groups.npz
  kith fof large.hdf5 --max-memory 4G --scratch /scratch -o halos.hdf5
  kith fof snapshot.hdf5 --all-lengths 0.1,0.15,0.2,0.25 -o halos.hdf5 --picture lengths.png

Units are those of the snapshot. Groups are numbered by size, the largest first.)";

void check_device(const GroupRequest& request) {
  if (request.common.device == "cpu") return;
  if (!request.input.file.value_column.empty())
    throw Error(ErrorCode::unavailable,
                fmt::format("--linking-length-column is not available on --device {}; use --device "
                            "cpu",
                            request.common.device));
  if (!request.los.empty() || !request.all_lengths.empty())
    throw Error(
        ErrorCode::unavailable,
        fmt::format("--los and --all-lengths are not available on --device {}; use --device cpu",
                    request.common.device));
}

void report_all_groups(const GroupTask& task, const Found& found, const Measured& measured,
                       Session& session) {
  if (!is_first_rank()) return;
  if (found.count > 0 && task.request.rows > 0)
    session.say("\n" + group_table(task, found, measured));
  report_groups(task, found, measured, session.report());
}

void find_all(const GroupTask& task, Session& session) {
  Particles particles = read_positions(task, session);
  Found found = find_groups(task, particles, session);
  read_fields(task, particles, session);
  const Measured measured = measure_groups(task, particles, found, session);
  on_all_ranks([&] { report_all_groups(task, found, measured, session); });
  report_written(write_groups(task, found, measured, {}, session), session.report(), session);
  draw_groups(task, particles, found, measured, session);
  session.finish();
}

void run(const GroupRequest& request) {
  check_device(request);
  if (!share_work()) return;
  Session session(request.common, request.output);
  std::optional<GroupTask> task;
  on_all_ranks([&] { task.emplace(request, session); });
  const auto report = [&](const Found& found, const Measured& measured) {
    report_all_groups(*task, found, measured, session);
  };
  if (task->is_stored)
    find_stored(*task, {.report = report}, session);
  else if (request.all_lengths.empty())
    find_all(*task, session);
  else
    run_all_lengths(*task, session);
}

}  // namespace

void add_fof(Command program) {
  Command command =
      program.add_subcommand("fof", "finds friends-of-friends groups and their properties");
  const auto request = std::make_shared<GroupRequest>();
  command.footer(kExamples);
  request->can_be_stored = true;
  add_group_request(command, *request);
  add_lengths(command, *request);
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
