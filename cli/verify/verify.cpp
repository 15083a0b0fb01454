// `kith verify SNAPSHOT RESULT`: a result against brute force, on a random sample.
#include "verify/verify.hpp"

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>

#include <kith/error.hpp>

#include "halo_options.hpp"
#include "opening.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith verify snapshot.hdf5 halos.hdf5
  kith verify trees.hdf5
  kith verify snapshot.hdf5 neighbors.hdf5 --samples 5000 --seed 7

The result states its options and its particles. Columns, order, ids and distances are checked in all
rows; friends, neighbors, densities and spheres for points drawn at random, by comparison with all other
points. Neighbors and friends must be identical. If something differs, the exit code is 1 and the first
difference is printed. Arrays that could not be checked are listed. Merger trees name their catalogues,
so they are given alone; their links are made again.)";

constexpr double kDoubtful = 0.1;
constexpr double kDistances = 2e9;  // some seconds

struct Request {
  Common common;
  InputOptions input;
  std::string result;
  std::size_t samples = 0;
  std::uint64_t seed = 1;
};

void check_same_points(const Input& input, const ResultAbout& about) {
  for (std::size_t i = 0; i < about.types.size(); ++i)
    if (input.size_of(about.types[i]) != about.counts[i])
      throw Mismatch(fmt::format("the snapshot has {} particles of type {}, the result is for {}",
                                 input.size_of(about.types[i]), about.types[i], about.counts[i]));
  if (input.dimension() != about.dimension)
    throw Mismatch(fmt::format("the snapshot has {} dimensions, the result is for {}",
                               input.dimension(), about.dimension));
}

void check_all(Verification& verification) {
  switch (verification.about().kind) {
    case ResultKind::fof:
    case ResultKind::subhalos: return verify_groups(verification);
    case ResultKind::knn: return verify_knn(verification);
    case ResultKind::radius: return verify_radius(verification);
    case ResultKind::density: return verify_density(verification);
    case ResultKind::clusters: return verify_clusters(verification);
    case ResultKind::match: break;  // has no points
  }
}

void report_unchecked(Session& session, const Verification& verification) {
  const std::vector<std::string> names(verification.unchecked().begin(),
                                       verification.unchecked().end());
  session.report().add("unchecked", names);
  for (const std::string& name : names) session.say("  not checked: " + printable(name));
}

bool is_same(const Units& a, const Units& b) {
  return a.length == b.length && a.mass == b.mass && a.velocity == b.velocity &&
         a.is_per_h == b.is_per_h && a.is_comoving == b.is_comoving;
}

bool is_same(const Background& a, const Background& b) {
  return a.is_known == b.is_known &&
         (!a.is_known || (a.omega_m == b.omega_m && a.omega_lambda == b.omega_lambda &&
                          a.omega_b == b.omega_b && a.h == b.h && a.redshift == b.redshift));
}

/// The snapshot with the units, the universe and the mass that the result was made with, if the
/// user gave others than the file. Points may have been wrapped then as well.
Input input_for(InputOptions options, const ResultAbout& about, Session& session) {
  options.wrap = true;
  options.file.mass = about.given_mass;
  options.file.value_column = about.linking_length_column;
  Input input(options);
  const bool has_units = is_same(input.info().units, about.units);
  const bool has_universe = is_same(input.info().background, about.background);
  if (has_units && has_universe) return input;
  options.file.units = about.units;
  if (about.background.is_known) {
    options.file.cosmology = about.background;
    options.file.redshift = about.background.redshift;
  }
  session.say("units and cosmology are those of the result, not those of the snapshot");
  return Input(options);
}

/// The snapshot and its result; every rank reads all of both.
struct Files {
  ResultFile result;
  Input input;

  Files(const Request& request, Session& session)
      : result(open_result(request.result)),
        input(input_for(request.input, result.about(), session)) {
    input.read_all();
  }
};

void check(const Request& request, Files& files, Session& session) {
  const ResultAbout& about = files.result.about();
  check_same_points(files.input, about);
  files.input.use(about);
  session.say(files.input.describe());
  session.say(fmt::format("{}: result of kith {}", printable(request.result), name(about.kind)));
  Verification verification(session, files.input, files.result, request.samples, request.seed);
  check_all(verification);
  session.report().add("checked", verification.checked());
  report_unchecked(session, verification);
  session.report().add_flag("ok", true);
  session.say(verification.unchecked().empty() ? "the result is correct"
                                               : "the result is correct as far as it was checked");
}

bool has_matches(const std::string& path) {
  return is_result(path) && open_result(path).about().kind == ResultKind::match;
}

/// Matches are between halos of two catalogues, of which the result names the second.
void check_match(const Request& request, const ResultFile& result, Session& session) {
  const HaloOptions options(result.about());
  const HaloMembers a = options.open(request.input.path, session);
  const HaloMembers b = options.open(result.about().other, session);
  const std::vector<std::string> checked = verify_match(result, a, b);
  for (const std::string& what : checked) session.say("  checked: " + what);
  session.report().add("checked", checked);
  session.report().add_flag("ok", true);
  session.say("the result is correct");
}

/// Links with a small margin are right, but another descendant is nearly as good.
void tell_doubtful(const MergerTrees& trees, Session& session) {
  std::uint64_t links = 0, doubtful = 0;
  for (std::size_t row = 0; row < trees.size(); ++row) {
    if (trees.descendant[row] < 0 || !(trees.score[row] > 0)) continue;
    ++links;
    doubtful += trees.margin(row) < kDoubtful;
  }
  if (links == 0) return;  // of another program, which keeps no scores
  session.say(fmt::format("{} of {} with a margin below 10 %", grouped(doubtful),
                          counted(links, "link", "links")));
  session.report().add_count("links", links);
  session.report().add_count("doubtful", doubtful);
}

/// Calls check(), and reports a mismatch before it is thrown on.
void report_check(const Request& request, const std::string& path, Session& session,
                  const std::function<void()>& check) {
  try {
    check();
  } catch (const Mismatch& mismatch) {
    session.report().add_flag("ok", false);
    session.report().add("mismatch", mismatch.what());
    if (request.common.json) session.finish();
    throw Mismatch(fmt::format("{}: {}", path, mismatch.what()));
  }
}

void run_trees(const Request& request, Session& session) {
  const HaloHistories histories = read_histories(request.input.path, session.execution());
  session.report().add("result", request.input.path);
  session.report().add("kind", "trees");
  report_check(request, request.input.path, session, [&] {
    const std::vector<std::string> checked = verify_trees(histories, session.execution());
    for (const std::string& what : checked) session.say("  checked: " + what);
    session.report().add("checked", checked);
    session.report().add_flag("ok", true);
    tell_doubtful(histories.trees, session);
    session.say("the result is correct");
  });
  session.finish();
}

void run(const Request& request) {
  if (!share_work()) return;
  Session session(request.common);
  if (request.result.empty()) return run_trees(request, session);
  const bool is_match = has_matches(request.result);
  std::optional<Files> files;
  if (!is_match) on_all_ranks([&] { files.emplace(request, session); });
  session.report().add("snapshot", request.input.path);
  session.report().add("result", request.result);
  session.report().add("kind", name(is_match ? ResultKind::match : files->result.about().kind));
  report_check(request, request.result, session, [&] {
    if (is_match)
      check_match(request, open_result(request.result), session);
    else
      in_step([&] { check(request, *files, session); });
  });
  session.finish();
}

}  // namespace

Verification::Verification(Session& the_session, const Input& the_input,
                           const ResultFile& the_result, std::size_t samples, std::uint64_t seed)
    : session(the_session), input(the_input), result(the_result), random(seed), samples_(samples) {
  for (const std::string& name : result.names()) unchecked_.insert(name);
}

std::size_t Verification::sample_size(double cost) const {
  if (samples_ > 0) return samples_;
  return static_cast<std::size_t>(std::clamp(kDistances / std::max(1.0, cost), 20.0, 1000.0));
}

void Verification::settle(const std::string& what, const std::string& complaint,
                          const std::vector<std::string>& arrays) {
  if (!complaint.empty()) throw Mismatch(complaint);
  for (const std::string& name : arrays) unchecked_.erase(name);
  checked_.push_back(what);
  session.say("  checked: " + what);
}

void add_verify(Command program) {
  Command command =
      program.add_subcommand("verify", "checks every array of a result against brute force");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_source(command, request->input);
  add_sky(command, request->input);
  command.add_option("result", request->result,
                     "file that kith wrote: .hdf5 or .npz; none for merger trees");
  command
      .add_option("--samples", request->samples,
                  "number of points to check; 0: as many as a few seconds allow")
      .shows_default();
  command.add_option("--seed", request->seed, "seed of the random choice of points")
      .shows_default();
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
