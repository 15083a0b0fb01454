// `kith radius SNAPSHOT --radius R`: all neighbours of every point within a distance.
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include <kith/radius.hpp>

#include "neighbors.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith radius snapshot.hdf5 --radius 0.5 -o neighbors.hdf5
  kith radius points.npy --radius 0.01 --box 1 --exclude-self -o neighbors.npz
  kith radius snapshot.hdf5 --radius 0.5             (only counts them)

The result has arrays `offset`, `index` and `distance`: the neighbors of point i are rows
[offset[i], offset[i + 1]) of the other two, nearest first.)";

struct Request : NeighborRequest {
  RadiusOptions radius;
};

void tell_counts(Session& session, std::uint64_t points, std::uint64_t pairs,
                 std::uint64_t largest) {
  session.report().add_count("neighbors", pairs);
  session.report().add_count("most", largest);
  session.say(fmt::format(
      "{}, {:.4g} for each point on average, {} at most", counted(pairs, "neighbor", "neighbors"),
      points > 0 ? static_cast<double>(pairs) / static_cast<double>(points) : 0, grouped(largest)));
}

void write_lists(Session& session, const Input& input, const Request& request, const Tree& tree) {
  with_types(input, [&]<class T, class Index>() {
    const auto lists = radius<T, Index>(tree, request.radius, session.on_device());
    ResultAbout about = input.about(ResultKind::radius);
    about.radius = request.radius.radius;
    about.strict = request.radius.strict;
    about.p = request.radius.p;
    about.exclude_self = request.radius.exclude_self;
    write_neighbors(request.output, about, lists, request.write, session.execution());
  });
  session.report().add("output", request.output);
  session.say(request.output);
}

void run(const Request& request) {
  Session session(request.common);
  const Input input(request.input);
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::radius);
    input.check_output(request.output);
  }
  session.say(input.describe());
  input.report(session.report());
  session.report().add("radius", request.radius.radius);
  const double points = static_cast<double>(input.size());
  session.check_memory(tree_bytes(input) + 8 * points);
  const Tree tree = build_tree(input, session);
  // How much memory the lists take is known only when they are counted.
  const std::vector<std::int64_t> counts = radius_count(tree, request.radius, session.on_device());
  const auto pairs =
      static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  const std::int64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  const double lists = request.output.empty() ? 0
                                              : static_cast<double>(pairs) *
                                                    (index_bytes(input) + scalar_bytes(input));
  session.need_memory(tree_bytes(input) + 16 * points + lists);
  tell_counts(session, input.size(), pairs, static_cast<std::uint64_t>(most));
  if (!request.output.empty()) write_lists(session, input, request, tree);
  session.finish();
}

}  // namespace

void add_radius(Command program) {
  Command command =
      program.add_subcommand("radius", "finds all neighbors of every point within a distance");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  command
      .add_option("--radius", request->radius.radius, "largest distance of a neighbor, inclusive")
      .required();
  command.add_flag("--exclude-self", request->radius.exclude_self, "leave out the point itself");
  command.add_flag("--strict", request->radius.strict, "exclude neighbors at exactly --radius");
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
