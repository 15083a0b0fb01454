// `kith radius SNAPSHOT --radius R`: all neighbors of every point within a distance.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>

#include <kith/radius.hpp>

#include "neighbors.hpp"
#include "shared_input.hpp"

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

ResultAbout about_lists(const Input& input, const Request& request) {
  ResultAbout about = input.about(ResultKind::radius);
  about.radius = request.radius.radius;
  about.strict = request.radius.strict;
  about.p = request.radius.p;
  about.exclude_self = request.radius.exclude_self;
  return about;
}

void write_alone(Session& session, const Input& input, const Request& request, const Tree& tree) {
  with_types(input, [&]<class T, class Index>() {
    const auto lists = radius<T, Index>(tree, request.radius, session.on_device());
    write_neighbors(request.output, about_lists(input, request), lists, request.write,
                    session.execution());
  });
}

/// Where the lists of this rank's points begin among those of all; the last rank adds the end.
std::vector<std::int64_t> offsets_among_all(std::span<const std::int64_t> own) {
  std::vector<std::int64_t> total(static_cast<std::size_t>(ranks()->size()));
  total[static_cast<std::size_t>(ranks()->rank())] = own.empty() ? 0 : own.back();
  ranks()->sum(total);
  const std::int64_t before =
      std::accumulate(total.begin(), total.begin() + ranks()->rank(), std::int64_t{0});
  std::vector<std::int64_t> offset(own.begin(), own.end());
  if (ranks()->rank() + 1 < ranks()->size() && !offset.empty()) offset.pop_back();
  if (ranks()->rank() + 1 == ranks()->size() && offset.empty()) offset.push_back(0);
  for (std::int64_t& at : offset) at += before;
  return offset;
}

template <class T, class Index>
void write_shared(Session& session, const Input& input, const Request& request,
                  std::uint64_t pairs) {
  const auto lists = std::get<NeighborLists<T, std::int64_t>>(
      ranks()->radius(request.radius, session.on_device()));
  const std::vector<std::int64_t> offset = offsets_among_all(lists.offsets());
  std::vector<Index> index;
  together([&] { index.assign(lists.indices(), lists.indices() + lists.total()); });
  const SharedRows rows[] = {{offset.data(), offset.size(), sizeof(std::int64_t)},
                             {index.data(), index.size(), sizeof(Index)},
                             {lists.distances(), lists.total(), sizeof(T)}};
  const auto write = [&](std::span<const RowAccess> access) {
    auto arrays = neighbor_rows({.index_type = number_type<Index>(),
                                 .distance_type = number_type<T>(),
                                 .rows = pairs,
                                 .are_lists = true});
    arrays[0].rows = input.size() + 1;
    for (std::size_t i = 0; i < arrays.size(); ++i) take_from_all(arrays[i], access[i]);
    write_result(request.output, about_lists(input, request), arrays, request.write,
                 session.execution());
  };
  ranks()->collect(rows, write, session.execution());
}

std::vector<std::int64_t> counts_of(const std::optional<Tree>& tree, const Request& request,
                                    const Session& session) {
  return tree ? radius_count(*tree, request.radius, session.on_device())
              : ranks()->radius_count(request.radius, session.on_device());
}

void check_and_report(const Request& request, Session& session, const Input& input) {
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::radius);
    input.check_output(request.output, request.write.files);
  }
  session.say(input.describe());
  input.report(session.report());
  session.report().add("radius", request.radius.radius);
  session.check_memory(tree_bytes(input) + 8 * static_cast<double>(input.size()));
}

/// How much memory the lists take is known only when they are counted.
std::uint64_t count_pairs(const Request& request, Session& session, const Input& input,
                          const std::optional<Tree>& tree) {
  const std::vector<std::int64_t> counts = counts_of(tree, request, session);
  const std::uint64_t pairs = sum_of_all(
      static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
  double least =
      counts.empty() ? 0 : -static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  if (ranks()) ranks()->least({&least, 1});
  const double lists = request.output.empty() ? 0
                                              : static_cast<double>(pairs) *
                                                    (index_bytes(input) + scalar_bytes(input));
  together([&] {
    session.need_memory(tree_bytes(input) + 16 * static_cast<double>(input.size()) + lists);
  });
  tell_counts(session, input.size(), pairs, static_cast<std::uint64_t>(-least));
  return pairs;
}

void run(const Request& request) {
  if (!share_work()) return;
  Session session(request.common);
  const Input input = open_together(
      request.input, [&](const Input& made) { check_and_report(request, session, made); });
  std::optional<Tree> tree;
  if (ranks())
    share_points(input, session.execution());
  else
    tree.emplace(build_tree(input, session));
  const std::uint64_t pairs = count_pairs(request, session, input, tree);
  if (!request.output.empty()) {
    if (tree)
      write_alone(session, input, request, *tree);
    else
      with_types(input, [&]<class T, class Index>() {
        write_shared<T, Index>(session, input, request, pairs);
      });
    session.report().add("output", request.output);
    session.say(request.output);
  }
  session.finish();
}

}  // namespace

void add_radius(Command program) {
  Command command =
      program.add_subcommand("radius", "finds all neighbors of every point within a distance");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_device(command, request->common);
  command
      .add_option("--radius", request->radius.radius, "largest distance of a neighbor, inclusive")
      .required();
  command.add_flag("--exclude-self", request->radius.exclude_self, "leave out the point itself");
  command.add_flag("--strict", request->radius.strict, "exclude neighbors at exactly --radius");
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
