// `kith knn SNAPSHOT -k K`: the k nearest neighbors of every point.
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <kith/error.hpp>
#include <kith/neighbors.hpp>
#include <kith/result_rows.hpp>

#include "neighbors.hpp"
#include "shared_input.hpp"

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

class KnnRun {
 public:
  explicit KnnRun(const Request& request)
      : request_(request), session_(request.common), input_(request.input) {
    if (!request.output.empty()) {
      check_result_path(request.output, request.write, ResultKind::knn);
      input_.check_output(request.output, request.write.files);
    }
    check_neighbors(request.knn.k, input_.size());
    session_.say(input_.describe());
    input_.report(session_.report());
    session_.report().add_count("k", request.knn.k);
    const double row =
        static_cast<double>(request.knn.k) * (index_bytes(input_) + scalar_bytes(input_));
    session_.need_memory(tree_bytes(input_) + static_cast<double>(input_.size()) * row);
  }

  void run() {
    with_types(input_, [&]<class T, class Index>() {
      if (ranks())
        find_together<T, Index>();
      else
        find_alone<T, Index>();
    });
    session_.finish();
  }

 private:
  template <class T, class Index>
  void find_alone() {
    const Tree tree = build_tree(input_, session_);
    const auto near = knn<T, Index>(tree, request_.knn, session_.on_device());
    for (std::size_t i = 0; i < near.size() && near.k() > 0; ++i)
      note(double{near.distance(i)[near.k() - 1]});
    show_summary();
    write(neighbor_rows({number_type<Index>(), near.indices(), number_type<T>(), near.distances(),
                         near.size(), near.k()}));
  }

  /// Rows stay where they are; each rank writes its own, or rank 0 reads them while it writes.
  template <class T, class Index>
  void find_together() {
    share_points(input_, session_.execution());
    const auto near =
        std::get<Neighbors<T, std::int64_t>>(ranks()->knn(request_.knn, session_.on_device()));
    std::vector<Index> index;
    std::vector<T> last;
    together([&] {
      index.assign(near.indices(), near.indices() + near.size() * near.k());
      for (std::size_t i = 0; i < near.size(); ++i) last.push_back(near.distance(i)[near.k() - 1]);
    });
    const SharedRows rows[] = {{index.data(), near.size(), near.k() * sizeof(Index)},
                               {near.distances(), near.size(), near.k() * sizeof(T)},
                               {last.data(), near.size(), sizeof(T)}};
    const auto tell = [&](std::span<const RowAccess> access) {
      for_all_rows<T>(access[2].read, input_.size(), [&](T distance) { note(double{distance}); });
      show_summary();
      auto arrays = neighbor_rows({.index_type = number_type<Index>(),
                                   .distance_type = number_type<T>(),
                                   .rows = input_.size(),
                                   .width = near.k()});
      take_from_all(arrays[0], access[0]);
      take_from_all(arrays[1], access[1]);
      write(arrays);
    };
    ranks()->collect(rows, tell, session_.execution());
  }

  /// The distance of the last neighbor: the mean over full rows is something to look at.
  void note(double last) {
    if (!std::isfinite(last)) return;
    sum_ += last;
    ++full_;
  }

  void show_summary() {
    const double mean = full_ > 0 ? sum_ / static_cast<double>(full_) : 0;
    session_.report().add("mean_distance_of_last", mean);
    session_.report().add_count("full_rows", full_);
    session_.say(fmt::format("{} of {} neighbors, the last at {} on average",
                             counted(input_.size(), "row", "rows"), request_.knn.k,
                             with_unit(mean, input_.info().units, {.length = 1})));
  }

  void write(const std::vector<ResultRows>& arrays) {
    if (request_.output.empty()) return;
    ResultAbout about = input_.about(ResultKind::knn);
    about.k = request_.knn.k;
    about.exclude_self = request_.knn.exclude_self;
    about.strict = request_.knn.strict;
    about.p = request_.knn.p;
    if (std::isfinite(request_.knn.max_radius)) about.max_radius = request_.knn.max_radius;
    write_result(request_.output, about, arrays, request_.write, session_.execution());
    session_.report().add("output", request_.output);
    session_.say(request_.output);
  }

  const Request& request_;
  Session session_;
  const Input input_;
  double sum_ = 0;
  std::uint64_t full_ = 0;
};

void run(const Request& request) {
  if (!share_work()) return;
  std::optional<KnnRun> made;
  together([&] { made.emplace(request); });
  made->run();
}

}  // namespace

void add_knn(Command program) {
  Command command = program.add_subcommand("knn", "finds the k nearest neighbors of every point");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_device(command, request->common);
  command
      .add_option("-k", request->knn.k,
                  "number of neighbors of each point, including the point itself")
      .required()
      .positive();
  command.add_flag("--exclude-self", request->knn.exclude_self, "leave out the point itself");
  command.add_option("--max-radius", request->knn.max_radius, "largest distance of a neighbor");
  command.add_flag("--strict", request->knn.strict, "exclude neighbors at exactly --max-radius");
  command.add_option("--norm", request->knn.p, "p of the norm: 1 or more, or inf; default: 2");
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
