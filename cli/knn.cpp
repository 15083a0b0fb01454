// `kith knn SNAPSHOT -k K`: the k nearest neighbors of every point.
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include <kith/neighbors.hpp>

#include "neighbors.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith knn snapshot.hdf5 -k 16 -o neighbors.hdf5
  kith knn points.npy -k 8 --box 1 --exclude-self -o neighbors.npz
  kith knn galaxies.csv --sky ra dec -k 5 -o neighbors.npz
  kith knn snapshot.hdf5 -k 32 --types 0 --max-radius 0.5 -o gas.hdf5

The result has an array `index` and an array `distance`, a row of k for each point in the order of the
file. Indices count the points read, type by type. Missing neighbors are -1 and infinity.)";

struct Request : NeighborRequest {
  KnnOptions knn;
};

/// Whether the points stay on disk.
bool check_and_report(const Request& request, Session& session, const Input& input) {
  request.check_output(ResultKind::knn, input);
  check_neighbors(request.knn.k, input.size());
  session.say(input.describe());
  input.report(session.report());
  session.report().add_count("k", request.knn.k);
  const double row =
      static_cast<double>(request.knn.k) * (index_bytes(input) + scalar_bytes(input));
  const double bytes = tree_bytes(input) + static_cast<double>(input.size()) * row;
  const bool is_stored = goes_to_disk(bytes, session);
  if (!is_stored) {
    session.need_memory(bytes);
  } else {
    check_stored(request, request.knn.p);
    say_disk(bytes, session);
  }
  return is_stored;
}

/// The distance of the last neighbor in each row.
std::vector<double> last_distances(const detail::NeighborArrays& near) {
  std::vector<double> last;
  const auto add = [&](const auto* distance) {
    for (std::size_t i = 1; i <= near.rows && near.width > 0; ++i)
      last.push_back(distance[i * near.width - 1]);
  };
  if (near.distance_type == NumberType::float32)
    add(static_cast<const float*>(near.distance));
  else
    add(static_cast<const double*>(near.distance));
  return last;
}

/// The mean over full rows.
void report_last(const ResultRows& last, const Request& request, const Input& input,
                 Session& session) {
  double sum = 0;
  std::uint64_t full = 0;
  for_each_value<double>(last, [&](double distance) {
    if (!std::isfinite(distance)) return;
    sum += distance;
    ++full;
  });
  const double mean = full > 0 ? sum / static_cast<double>(full) : 0;
  session.report().add("mean_distance_of_last", mean);
  session.report().add_count("full_rows", full);
  const std::string far = input.is_sky() ? fmt::format("{:.4g} degrees", mean)
                                         : with_unit(mean, input.info().units, {.length = 1});
  session.say(fmt::format("{} of {} neighbors, the last at {} on average",
                          counted(input.size(), "row", "rows"), request.knn.k, far));
}

ResultAbout about_rows(const Input& input, const KnnOptions& options) {
  ResultAbout about = input.about(ResultKind::knn);
  about.k = options.k;
  about.exclude_self = options.exclude_self;
  about.strict = options.strict;
  about.p = options.p;
  if (std::isfinite(options.max_radius)) about.max_radius = options.max_radius;
  return about;
}

/// The last distances of some rows, of which a few are in memory at a time.
template <class T, class Read>
void read_last(std::uint64_t begin, std::size_t k, std::span<double> out, const Read& read) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const std::size_t most = std::max<std::size_t>(1, kPieceBytes / (k * sizeof(T)));
  std::vector<T> piece;
  for (std::size_t first = 0; first < out.size(); first += most) {
    const std::size_t count = std::min(most, out.size() - first);
    piece.resize(count * k);
    read(begin + first, std::span<T>(piece));
    for (std::size_t i = 0; i < count; ++i) out[first + i] = piece[i * k + k - 1];
  }
}

template <class T, class Index>
void find_stored(const Request& request, Session& session, const Input& input) {
  const InputPoints points(input);
  const StoredNeighbors near =
      knn(points, request.knn, {.box = input.box(), .non_finite = input.non_finite()},
          disk_options(session), session.execution());
  const std::size_t rows = near.size(), k = near.k();
  const auto distances = [&](std::uint64_t begin, std::span<T> out) {
    near.read_distance(begin, out);
  };
  const ResultRows last = read_rows<double>(
      "", rows,
      [&](std::uint64_t begin, std::span<double> out) { read_last<T>(begin, k, out, distances); });
  report_last(last, request, input, session);
  const std::vector<ResultArray> arrays = neighbor_rows({.index_type = number_type<Index>(),
                                                         .distance_type = number_type<T>(),
                                                         .rows = rows,
                                                         .width = k});
  const ResultRows all[] = {
      read_rows<Index>(arrays[0], [&](std::uint64_t begin,
                                      std::span<Index> out) { near.read_index(begin, out); }),
      read_rows<T>(arrays[1], distances)};
  write_output(request, about_rows(input, request.knn), all, session);
  report_disk(near.disk(), session);
  session.finish();
}

void find_stored(const Request& request, Session& session, const Input& input) {
  const bool is_wide = index_bytes(input) == 8;
  if (input.scalar() == Scalar::float32)
    is_wide ? find_stored<float, std::int64_t>(request, session, input)
            : find_stored<float, std::int32_t>(request, session, input);
  else
    is_wide ? find_stored<double, std::int64_t>(request, session, input)
            : find_stored<double, std::int32_t>(request, session, input);
}

void run(Request request) {
  if (!share_work()) return;
  Session session(request.common, request.output);
  bool is_stored = false;
  const Input input = open_input(request.input, [&](const Input& made) {
    is_stored = check_and_report(request, session, made);
  });
  if (is_stored) return find_stored(request, session, input);
  take_points(input, session);
  if (std::isfinite(request.knn.max_radius))
    request.knn.max_radius = input.length(request.knn.max_radius);
  NeighborsOfRank near = ranks().knn(request.knn, session.on_device());
  const Angles angles(input, near.arrays, session.execution());
  std::vector<double> last;
  std::vector<ResultArray> own;
  on_all_ranks([&] {
    own = neighbor_rows(near.arrays);
    last = last_distances(near.arrays);
    own.push_back(result_array("", last.data(), last.size()));
  });
  const auto finish = [&](std::span<const ResultRows> all) {
    report_last(all.back(), request, input, session);
    write_output(request, about_rows(input, request.knn), all.first(all.size() - 1), session);
  };
  ranks().collect(own, finish, session.execution());
  session.finish();
}

}  // namespace

void add_knn(Command program) {
  Command command = program.add_subcommand("knn", "finds the k nearest neighbors of every point");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_sky(command, request->input);
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
