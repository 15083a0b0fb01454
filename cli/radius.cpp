// `kith radius SNAPSHOT --radius R`: all neighbors of every point within a distance.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include <kith/radius.hpp>

#include "neighbors.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith radius snapshot.hdf5 --radius 0.5 -o neighbors.hdf5
  kith radius points.npy --radius 0.01 --box 1 --exclude-self -o neighbors.npz
  kith radius galaxies.csv --sky ra dec --radius 0.1 -o neighbors.npz
  kith radius snapshot.hdf5 --radius 0.5             (only counts them)

The result has arrays `offset`, `index` and `distance`: the neighbors of point i are rows
[offset[i], offset[i + 1]) of the other two, nearest first.)";

struct Request : NeighborRequest {
  RadiusOptions radius;
};

void report_counts(Session& session, std::uint64_t points, std::uint64_t pairs,
                   std::uint64_t largest) {
  session.report().add_count("neighbors", pairs);
  session.report().add_count("most", largest);
  session.say(fmt::format(
      "{}, {:.4g} for each point on average, {} at most", counted(pairs, "neighbor", "neighbors"),
      points > 0 ? static_cast<double>(pairs) / static_cast<double>(points) : 0, grouped(largest)));
}

ResultAbout about_lists(const Input& input, const Request& request) {
  ResultAbout about = input.about(ResultKind::radius);
  about.radius = request.radius.radius;
  about.strict = request.radius.strict;
  about.p = request.radius.p;
  about.exclude_self = request.radius.exclude_self;
  return about;
}

/// Where the lists of this rank's points begin among those of all; the last rank adds the end.
std::vector<std::int64_t> offsets_among_all(std::span<const std::int64_t> own) {
  const std::int64_t total = own.empty() ? 0 : own.back();
  const std::vector<std::int64_t> totals = ranks().gather({&total, 1});
  const std::int64_t before =
      std::accumulate(totals.begin(), totals.begin() + ranks().rank(), std::int64_t{0});
  const bool is_last = ranks().rank() + 1 == ranks().size();
  std::vector<std::int64_t> offset(own.begin(), own.end());
  if (!is_last && !offset.empty()) offset.pop_back();
  if (is_last && offset.empty()) offset.push_back(0);
  for (std::int64_t& at : offset) at += before;
  return offset;
}

void write_lists(const Request& request, Session& session, const Input& input) {
  NeighborsOfRank lists = ranks().radius(request.radius, session.on_device());
  const Angles angles(input, lists.arrays, session.execution());
  const std::vector<std::int64_t> offset = offsets_among_all(lists.arrays.offset);
  lists.arrays.offset = offset;
  const auto write = [&](std::span<const ResultRows> all) {
    write_output(request, about_lists(input, request), all, session);
  };
  ranks().collect(neighbor_rows(lists.arrays), write, session.execution());
}

/// Whether the points stay on disk.
bool check_and_report(const Request& request, Session& session, const Input& input) {
  request.check_output(ResultKind::radius, input);
  session.say(input.describe());
  input.report(session.report());
  session.report().add("radius", request.radius.radius);
  const double bytes = tree_bytes(input) + 8 * static_cast<double>(input.size());
  const bool is_stored = goes_to_disk(bytes, session);
  if (!is_stored) {
    session.check_memory(bytes);
  } else {
    check_stored(request, request.radius.p);
    if (!request.output.empty()) refuse_disk("-o needs");
    say_disk(bytes, session);
  }
  return is_stored;
}

void count_stored(const Request& request, Session& session, const Input& input) {
  const InputPoints points(input);
  const StoredNumbers<std::int64_t> counts =
      radius_count(points, request.radius, {.box = input.box(), .non_finite = input.non_finite()},
                   disk_options(session), session.execution());
  const ResultRows all = read_rows<std::int64_t>(
      "", counts.size(),
      [&](std::uint64_t begin, std::span<std::int64_t> out) { counts.read(begin, out); });
  std::uint64_t pairs = 0, largest = 0;
  for_each_value<std::int64_t>(all, [&](std::int64_t count) {
    pairs += static_cast<std::uint64_t>(count);
    largest = std::max(largest, static_cast<std::uint64_t>(count));
  });
  report_counts(session, input.size(), pairs, largest);
  report_disk(counts.disk(), session);
  session.finish();
}

/// How much memory the lists take is known only when they are counted.
void count_neighbors(const Request& request, Session& session, const Input& input) {
  const std::vector<std::int64_t> counts =
      ranks().radius_count(request.radius, session.on_device());
  const std::uint64_t pairs = sum_of_all(
      static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
  double least =
      counts.empty() ? 0 : -static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  least_of_all({&least, 1});
  const double lists = request.output.empty() ? 0
                                              : static_cast<double>(pairs) *
                                                    (index_bytes(input) + scalar_bytes(input));
  on_all_ranks([&] {
    session.need_memory(tree_bytes(input) + 16 * static_cast<double>(input.size()) + lists);
  });
  report_counts(session, input.size(), pairs, static_cast<std::uint64_t>(-least));
}

void run(Request request) {
  if (!share_work()) return;
  Session session(request.common, request.output);
  bool is_stored = false;
  const Input input = open_input(request.input, [&](const Input& made) {
    is_stored = check_and_report(request, session, made);
  });
  if (is_stored) return count_stored(request, session, input);
  take_points(input, session);
  request.radius.radius = input.length(request.radius.radius);
  count_neighbors(request, session, input);
  if (!request.output.empty()) write_lists(request, session, input);
  session.finish();
}

}  // namespace

void add_radius(Command program) {
  Command command =
      program.add_subcommand("radius", "finds all neighbors of every point within a distance");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_sky(command, request->input);
  add_device(command, request->common);
  command
      .add_option("--radius", request->radius.radius, "largest distance of a neighbor, inclusive")
      .required();
  command.add_flag("--exclude-self", request->radius.exclude_self, "leave out the point itself");
  command.add_flag("--strict", request->radius.strict, "exclude neighbors at exactly --radius");
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
