// `kith knn SNAPSHOT -k K`: the k nearest neighbours of every point.
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include <kith/neighbors.hpp>

#include "neighbors.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith knn snapshot.hdf5 -k 16 -o neighbors.hdf5
  kith knn points.npy -k 8 --box 1 --exclude-self -o neighbors.npz
  kith knn snapshot.hdf5 -k 32 --types 0 --max-radius 0.5 -o gas.hdf5

The result has an array `index` and an array `distance`, a row of k for each point in the order of the
file. Indices count the points read, type by type. Missing neighbors are -1 and infinity.)";

struct Request : NeighborRequest {
  KnnOptions knn;
};

/// Means over the points whose rows are full: something to look at.
template <class T, class Index>
void show_summary(Session& session, const Input& input, const Neighbors<T, Index>& near) {
  double sum = 0;
  std::uint64_t full = 0;
  for (std::size_t i = 0; i < near.size() && near.k() > 0; ++i) {
    const double last = double{near.distance(i)[near.k() - 1]};
    if (!std::isfinite(last)) continue;
    sum += last;
    ++full;
  }
  const double mean = full > 0 ? sum / static_cast<double>(full) : 0;
  session.report().add("mean_distance_of_last", mean);
  session.report().add_count("full_rows", full);
  session.say(fmt::format("{} of {} neighbors, the last at {} on average",
                          counted(near.size(), "row", "rows"), near.k(),
                          with_unit(mean, input.info().units, {.length = 1})));
}

void run(const Request& request) {
  Session session(request.common);
  const Input input(request.input);
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::knn);
    input.check_output(request.output);
  }
  check_neighbors(request.knn.k, input.size());
  session.say(input.describe());
  input.report(session.report());
  session.report().add_count("k", request.knn.k);
  const double row =
      static_cast<double>(request.knn.k) * (index_bytes(input) + scalar_bytes(input));
  session.need_memory(tree_bytes(input) + static_cast<double>(input.size()) * row);
  const Tree tree = build_tree(input, session.execution());
  with_types(input, [&]<class T, class Index>() {
    const auto near = knn<T, Index>(tree, request.knn, session.execution());
    show_summary(session, input, near);
    if (request.output.empty()) return;
    ResultAbout about = input.about(ResultKind::knn);
    about.k = request.knn.k;
    about.exclude_self = request.knn.exclude_self;
    about.strict = request.knn.strict;
    about.p = request.knn.p;
    if (std::isfinite(request.knn.max_radius)) about.max_radius = request.knn.max_radius;
    write_neighbors(request.output, about, near, request.write, session.execution());
    session.report().add("output", request.output);
    session.say(request.output);
  });
  session.finish();
}

}  // namespace

void add_knn(Command program) {
  Command command = program.add_subcommand("knn", "finds the k nearest neighbors of every point");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  command.add_option("-k", request->knn.k, "neighbors of each point, including itself")
      .required()
      .positive();
  command.add_flag("--exclude-self", request->knn.exclude_self, "leave out the point itself");
  command.add_option("--max-radius", request->knn.max_radius, "largest distance of a neighbor");
  command.add_flag("--strict", request->knn.strict,
                   "exclude neighbors at exactly the largest radius");
  command.add_option("--norm", request->knn.p, "p of the norm: 1 or more, or inf; default: 2");
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
