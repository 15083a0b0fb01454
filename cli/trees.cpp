// `kith trees CATALOGUES`: merger trees of the halos of many snapshots; `kith trees show` and
// `kith trees convert` for files with trees.
#include "trees.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <kith/detail/halo_ranks.hpp>
#include <kith/error.hpp>

#include "halo_options.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith trees fof_subhalo_tab_*.hdf5 -o trees.hdf5
  kith trees snapshot_*.hdf5 --min-size 32 -o trees.hdf5
  kith trees fof_subhalo_tab_*.hdf5 --orphans -o trees.hdf5
  kith trees fof_subhalo_tab_*.hdf5 --resume trees.hdf5 -o trees.hdf5
  kith trees show trees.hdf5 --root 0
  kith trees convert trees.hdf5 --format csv -o trees.csv
  kith verify trees.hdf5

Catalogues are those of kith match, one for each snapshot, in order of time. The file has the layout
of Gadget-4's trees, so ytree opens it, with the scores of all links. With --resume, catalogues that
the trees contain are not linked again.)";

constexpr double kDoubtful = 0.1;

struct Request {
  Common common;
  HaloOptions halos;
  std::vector<std::string> catalogues;
  int reach = LinkOptions{}.reach;
  std::string main_branch = "history";
  bool orphans = false;
  std::string resume, output;
  bool is_done = false;  ///< by show or convert
};

HistoryOptions history_options(const Request& request) {
  HistoryOptions options{.halos = request.halos.members};
  options.links = {request.halos.match(true), request.reach};
  options.weight_is_automatic = request.halos.weight == "automatic";
  options.orphans = request.orphans;
  if (request.main_branch == name(MainBranch::score)) options.main_branch = MainBranch::score;
  return options;
}

void check_request(const Request& request) {
  if (request.catalogues.empty())
    throw Error(ErrorCode::invalid_argument,
                "trees: give the catalogues of all snapshots, in order of time; see kith trees "
                "--help");
  if (request.output.empty()) return;
  if (!ends_with(request.output, ".hdf5") && !ends_with(request.output, ".h5"))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: trees are written to .hdf5; kith trees convert writes other formats",
                    request.output));
  check_folder_of(request.output);
  for (const std::string& path : request.catalogues) check_not_input(request.output, path);
}

/// Facts about all links.
struct LinkCounts {
  std::uint64_t linked = 0, mutual = 0, skipping = 0, flybys = 0, swaps = 0, doubtful = 0;
  std::uint64_t orphans = 0, followed = 0;  ///< rows, and halos that they were
  bool have_scores = false;                 ///< files of other programs have none

  explicit LinkCounts(const MergerTrees& trees) {
    for (std::size_t row = 0; row < trees.size(); ++row) {
      swaps += trees.is_swap[row];
      const bool is_orphan = !trees.is_orphan.empty() && trees.is_orphan[row];
      orphans += is_orphan;
      followed += !is_orphan && trees.linked_to(row) != trees.descendant[row];
      const std::int64_t descendant = trees.linked_to(row);
      if (descendant < 0) continue;
      const auto to = static_cast<std::size_t>(descendant);
      ++linked;
      mutual += trees.is_mutual[row];
      flybys += trees.is_flyby[row];
      skipping += trees.snapshot[to] > trees.snapshot[row] + 1;
      have_scores |= trees.score[row] > 0;
      doubtful +=
          trees.score[row] > 0 && 1 - trees.second_score[row] / trees.score[row] < kDoubtful;
    }
  }
};

void run(const Request& request) {
  if (request.is_done || !share_work()) return;
  on_all_ranks([&] { check_request(request); });
  Session session(request.common);
  std::optional<HaloHistories> earlier;
  if (!request.resume.empty()) {
    on_all_ranks([&] { earlier = read_histories(request.resume, session.execution()); });
    session.say(fmt::format("{}: {}", printable(request.resume),
                            counted(earlier->trees.snapshots, "snapshot", "snapshots")));
  }
  const HaloHistories histories =
      halo_histories(ranks(), request.catalogues, history_options(request),
                     earlier ? &*earlier : nullptr, session.execution());
  earlier.reset();
  tell_trees(histories, session);
  if (!request.output.empty()) {
    on_all_ranks([&] {  // all have all trees
      if (ranks().rank() == 0)
        write_histories(request.output, histories, TreeFormat::gadget4, session.execution());
    });
    session.say("wrote " + printable(request.output));
  }
  session.finish();
}

}  // namespace

void tell_trees(const HaloHistories& histories, Session& session) {
  const MergerTrees& trees = histories.trees;
  const LinkCounts counts(trees);
  const std::uint64_t halos = trees.size() - counts.orphans;
  session.say(fmt::format("{} in {}, {}", counted(halos, "halo", "halos"),
                          counted(trees.snapshots, "snapshot", "snapshots"),
                          counted(trees.roots.size(), "tree", "trees")));
  session.say(fmt::format("{}, {} over skipped snapshots",
                          counted(counts.linked, "descendant", "descendants"),
                          grouped(counts.skipping)));
  if (counts.have_scores)
    session.say(fmt::format("{}, {}, {}, {} with a margin below 10 %",
                            counted(counts.mutual, "mutual link", "mutual links"),
                            counted(counts.flybys, "flyby", "flybys"),
                            counted(counts.swaps, "swap", "swaps"),
                            counted(counts.doubtful, "link", "links")));
  if (counts.followed > 0)
    session.say(fmt::format("{} of {} that vanish", counted(counts.orphans, "orphan", "orphans"),
                            counted(counts.followed, "halo", "halos")));
  Report& report = session.report();
  report.add_count("halos", halos);
  if (!trees.is_orphan.empty()) report.add_count("orphans", counts.orphans);
  report.add_count("snapshots", trees.snapshots);
  report.add_count("trees", trees.roots.size());
  report.add_count("descendants", counts.linked);
  report.add_count("skipping", counts.skipping);
  if (!counts.have_scores) return;
  report.add_count("mutual", counts.mutual);
  report.add_count("flybys", counts.flybys);
  report.add_count("swaps", counts.swaps);
  report.add_count("doubtful", counts.doubtful);
}

void add_trees(Command program) {
  Command command =
      program.add_subcommand("trees", "merger trees of the halos of several snapshots");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  command.add_option("catalogues", request->catalogues,
                     "catalogues or snapshots, in order of time");
  command.add_option("-o,--output", request->output, "file to write: .hdf5");
  command
      .add_option("--reach", request->reach,
                  "most snapshots from a halo to its descendant; 1: none is skipped")
      .shows_default();
  command
      .add_option("--main-branch", request->main_branch,
                  "the main progenitor: the one with the most members, added along its own main "
                  "branch, or the one with the largest score")
      .one_of({"history", "score"})
      .shows_default();
  command.add_flag("--orphans", request->orphans,
                   "follow halos that vanish by their most bound members, to the last snapshot");
  command.add_option(
      "--resume", request->resume,
      "trees to add snapshots to, with their options: catalogues that they contain are not "
      "linked again");
  add_halo_options(command, request->halos);
  add_common(command, request->common);
  // The parser calls the commands below first, then this one.
  const auto done = [request] { request->is_done = true; };
  add_show_trees(command, done);
  add_convert_trees(command, done);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
