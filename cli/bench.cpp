// `kith bench [SNAPSHOT]`: how long tree, neighbors and groups take on this machine.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <memory>

#include <kith/error.hpp>
#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/sample.hpp>

#include "neighbors.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith bench                                 (a million random points)
  kith bench -n 10000000 --repeat 5 --threads 8
  kith bench snapshot.hdf5 -k 32 -b 0.2 --json

Times are the best of several runs, without reading and writing.)";

struct Request {
  Common common;
  InputOptions input;
  std::size_t n = 1000000;
  std::size_t k = 16;
  double b = 0.2;
  int repeat = 3;
};

/// Runs each task a few times, keeping memory in between, and keeps the best time.
class Stopwatch {
 public:
  Stopwatch(Session& session, int repeat, std::uint64_t points)
      : session_(session), repeat_(repeat), points_(points) {}

  void time(const std::string& task, const std::function<void(const Execution&)>& work) {
    Execution execution = session_.execution();
    execution.workspace = &workspace_;
    double best = 1e300;
    for (int i = 0; i < repeat_; ++i) {
      const auto start = std::chrono::steady_clock::now();
      work(execution);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      best = std::min(best, passed.count());
    }
    const double rate = static_cast<double>(points_) / best;
    table_.add({task, fmt::format("{:.4f}", best), fmt::format("{:.2f}", rate / 1e6)});
    Report& facts = results_.emplace_back();
    facts.add("task", task);
    facts.add("seconds", best);
    facts.add("points_per_second", rate);
  }

  void finish() {
    session_.say(table_.text());
    session_.report().add("results", results_);
  }

 private:
  Session& session_;
  int repeat_;
  std::uint64_t points_;
  Workspace workspace_;
  Table table_{{"task", "seconds", "million points / s"}};
  std::vector<Report> results_;
};

void run_tasks(Session& session, const Request& request, PointsView points, const Box& box) {
  const TreeOptions options{.box = box};
  session.need_memory(
      static_cast<double>(
          estimate_memory(points.size, points.dimension, points.scalar, options).peak) +
      static_cast<double>(points.size) * static_cast<double>(request.k) *
          (points.scalar == Scalar::float32 ? 8 : 12));
  session.report().add_count("k", request.k);
  Stopwatch watch(session, request.repeat, points.size);
  watch.time("tree", [&](const Execution& execution) { AnyTree(points, options, execution); });
  const AnyTree tree(points, options, session.execution());
  watch.time(fmt::format("knn, k = {}", request.k), [&](const Execution& execution) {
    if (points.scalar == Scalar::float32)
      knn<float>(tree, {.k = request.k}, execution);
    else
      knn<double>(tree, {.k = request.k}, execution);
  });
  // Without a box, the mean separation of the tree's own extent.
  FofOptions links{.box = box, .b = request.b};
  if (!box.is_periodic()) {
    const Node root = tree.node(tree.planes() - 1, 0);
    links.volume = 1;
    for (std::size_t axis = 0; axis < root.lower.size(); ++axis)
      links.volume *= std::max(1e-30, root.upper[axis] - root.lower[axis]);
  }
  watch.time(fmt::format("fof, b = {:g}, with the tree", request.b),
             [&](const Execution& execution) { fof(points, links, execution); });
  watch.finish();
}

void run(const Request& request) {
  Session session(request.common);
  if (request.input.path.empty()) {
    const sample::Points points = sample::uniform({.n = request.n}, session.execution());
    session.say(fmt::format("{} in a periodic cube, best of {}",
                            counted(request.n, "uniform point", "uniform points"), request.repeat));
    session.report().add("snapshot", "uniform");
    session.report().add_count("points", request.n);
    run_tasks(session, request, points.view(), Box::periodic(1));
  } else {
    const Input input(request.input);
    if (input.size() == 0)
      throw Error(ErrorCode::invalid_argument,
                  request.input.path + ": no points; give a file with some");
    session.say(input.describe());
    input.report(session.report());
    const Numbers positions = input.positions(session.execution());
    run_tasks(session, request, positions.rows(input.dimension()), input.box());
  }
  if (request.common.json) session.finish();
}

}  // namespace

void add_bench(Command program) {
  Command command = program.add_subcommand("bench", "times the tree, knn and fof on this machine");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_input(command, request->input);
  command.option("snapshot").required(false);
  add_types(command, request->input);
  command.add_option("-n", request->n, "number of uniform random points, if no snapshot is given")
      .shows_default()
      .positive();
  command.add_option("-k", request->k, "neighbors").shows_default().positive();
  command.add_option("-b", request->b, "linking length as a fraction of the mean separation")
      .shows_default()
      .positive();
  command.add_option("--repeat", request->repeat, "number of runs; the fastest is printed")
      .shows_default()
      .positive();
  add_max_memory(command, request->common);
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
