// `kith cluster FILE --method dbscan|hdbscan`: clusters by density.
#include "cluster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include <kith/clusters.hpp>
#include <kith/error.hpp>
#include <kith/hdbscan.hpp>

#include "neighbors.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith cluster points.npy --method dbscan --eps 0.1 --min-samples 5 -o clusters.npz
  kith cluster points.csv --method hdbscan --min-cluster-size 15 -o clusters.csv --picture clusters.png
  kith cluster galaxies.csv --sky ra dec --method hdbscan -o clusters.npz
  kith cluster snapshot.hdf5 --method dbscan --eps 0.2 --border none --box 100 -o clusters.hdf5

The result has an array `label`, in the order of the file, with -1 for noise; dbscan adds `is_core`,
hdbscan `probability` and `outlier_score`. The picture shows the first two coordinates.)";

constexpr double kBytesPerPoint = 140;  // spanning tree, hierarchy and labels

struct Request : NeighborRequest {
  std::string method;
  std::size_t min_samples = 0;  // 0: as the method has it
  DbscanOptions dbscan;
  std::string border = name(Border::nearest);
  CondenseOptions hdbscan;
  std::string selection = name(ClusterSelection::eom);
  std::string picture;
  std::size_t rows = 10;

  bool is_dbscan() const { return method == "dbscan"; }
  /// By the ranks; otherwise rank 0 works alone.
  bool is_shared() const { return picture.empty(); }
  bool is_on_sky() const { return !input.file.sky_columns.empty(); }
};

/// Takes the words of options for what they name.
void finish(Request& request) {
  for (const Border border : {Border::nearest, Border::sklearn, Border::none})
    if (request.border == name(border)) request.dbscan.border = border;
  for (const ClusterSelection selection : {ClusterSelection::eom, ClusterSelection::leaf})
    if (request.selection == name(selection)) request.hdbscan.selection = selection;
  if (request.is_dbscan() && !(request.dbscan.eps > 0))
    throw Error(ErrorCode::invalid_argument, "--method dbscan needs --eps, a positive length");
  if (request.min_samples == 0)
    request.min_samples =
        request.is_dbscan() ? request.dbscan.min_samples : request.hdbscan.min_cluster_size;
  request.dbscan.min_samples = request.min_samples;
}

/// An option of the other method is a mistake, not a wish.
void check_method(const Command& command, const Request& request) {
  const std::vector<std::string> of_dbscan{"--eps", "--border", "--border-links"};
  const std::vector<std::string> of_hdbscan{"--min-cluster-size", "--selection",
                                            "--selection-epsilon", "--allow-single-cluster",
                                            "--max-cluster-size"};
  for (const std::string& option : request.is_dbscan() ? of_hdbscan : of_dbscan)
    if (command.count(option) > 0)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} is not an option of --method {}", option, request.method));
}

FoundClusters run_dbscan(const Input& input, const Numbers& positions, const Request& request,
                         const Session& session) {
  take_points(input, positions, session);
  ClustersOfRank found = ranks().dbscan(request.dbscan, session.execution());
  return {
      .count = found.count, .label = std::move(found.label), .is_core = std::move(found.is_core)};
}

FoundClusters run_hdbscan(const Input& input, const Numbers& positions, const Request& request,
                          const Session& session) {
  take_points(input, positions, session);
  HdbscanClusters clusters =
      ranks().hdbscan({.min_samples = request.min_samples, .condense = request.hdbscan},
                      request.is_on_sky(), session.execution());
  return {.count = clusters.count(),
          .label = std::move(clusters.label),
          .probability = std::move(clusters.probability),
          .outlier_score = std::move(clusters.outlier_score)};
}

ResultAbout about_of(const Input& input, const Request& request) {
  ResultAbout about = input.about(ResultKind::clusters);
  about.method = request.method;
  about.min_samples = request.min_samples;
  if (request.is_dbscan()) {
    about.eps = input.scalar() == Scalar::float32 ? double{static_cast<float>(request.dbscan.eps)}
                                                  : request.dbscan.eps;
    about.border = request.border;
    about.border_links = request.dbscan.border_links;
  } else {
    about.min_cluster_size = request.hdbscan.min_cluster_size;
    about.selection = request.selection;
    about.selection_epsilon = request.hdbscan.selection_epsilon;
    about.allow_single_cluster = request.hdbscan.allow_single_cluster;
    about.max_cluster_size = request.hdbscan.max_cluster_size;
  }
  return about;
}

void write(Session& session, const Input& input, const Request& request,
           const FoundClusters& found) {
  std::vector<ResultArray> arrays;
  const auto add = [&](const char* name, const auto& values, const char* description) {
    if (values.size() != found.label.size()) return;
    arrays.push_back(result_array(name, values.data(), values.size()));
    arrays.back().description = description;
  };
  add("label", found.label, "The cluster of every point; -1 for noise.");
  if (request.is_dbscan()) add("is_core", found.is_core, "1 for core points.");
  if (!request.is_dbscan()) {
    add("probability", found.probability, "Strength of membership in the cluster, 0 to 1.");
    add("outlier_score", found.outlier_score, "GLOSH outlier score, 0 to 1.");
  }
  ranks().collect(
      arrays,
      [&](std::span<const ResultRows> all) {
        write_output(request, about_of(input, request), all, session);
      },
      session.execution());
}

void draw(Session& session, const Input& input, const Numbers& positions, const Request& request,
          const FoundClusters& found) {
  const std::string title =
      fmt::format("{} of {}: {}", request.method, counted(input.size(), "point", "points"),
                  counted(found.count, "cluster", "clusters"));
  write_drawing(request.picture, picture_of(found, input, positions, title), 2,
                session.execution());
  session.report().add("picture", request.picture);
  session.say(request.picture);
}

struct ClusterSize {
  std::size_t cluster = 0;
  std::uint64_t size = 0;
};

/// The largest clusters, as many as the table has rows. Those of dbscan are numbered by size.
std::vector<ClusterSize> largest_of(const FoundClusters& found, const Request& request) {
  const std::size_t rows = std::min(request.rows, found.count);
  std::vector<ClusterSize> largest;
  if (!request.is_dbscan()) {
    const std::vector<std::uint64_t> own = found.sizes();
    std::vector<std::int64_t> sum(own.begin(), own.end());
    ranks().sum(sum);
    const std::vector<std::uint64_t> size(sum.begin(), sum.end());
    for (const std::size_t cluster : largest_first(size))
      if (largest.size() < rows) largest.push_back({cluster, size[cluster]});
    return largest;
  }
  std::vector<std::int64_t> size(rows);
  for (const std::int32_t label : found.label)
    if (label >= 0 && static_cast<std::size_t>(label) < rows)
      ++size[static_cast<std::size_t>(label)];
  ranks().sum(size);
  for (const std::int64_t each : size)
    largest.push_back({largest.size(), static_cast<std::uint64_t>(each)});
  return largest;
}

void report_clusters(Session& session, const Input& input, const Request& request,
                     const FoundClusters& found) {
  const std::uint64_t noise = sum_of_all(
      static_cast<std::uint64_t>(std::count(found.label.begin(), found.label.end(), -1)));
  std::vector<Report> largest;
  Table table({"cluster", "size"});
  for (const ClusterSize& each : largest_of(found, request)) {
    largest.emplace_back().add_count("cluster", each.cluster);
    largest.back().add_count("size", each.size);
    table.add({std::to_string(each.cluster), grouped(each.size)});
  }
  session.report().add_count("clusters", found.count);
  session.report().add_count("noise", noise);
  session.report().add("largest", largest);
  session.say(fmt::format("{}; {} of {} are noise", counted(found.count, "cluster", "clusters"),
                          grouped(noise), counted(input.size(), "point", "points")));
  if (!largest.empty()) session.say("\n" + table.text());
}

void check_outputs(const Input& input, const Request& request) {
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::clusters);
    input.check_output(request.output);
  }
  if (request.picture.empty()) return;
  check_drawing_path(request.picture);
  input.check_output(request.picture);
}

void check_and_report(Request& request, Session& session, const Input& input) {
  if (request.is_dbscan()) request.dbscan.eps = input.length(request.dbscan.eps);
  check_outputs(input, request);
  session.say(input.describe());
  input.report(session.report());
  session.report().add("method", request.method);
  session.report().add_count("min_samples", request.min_samples);
  session.need_memory(tree_bytes(input) + kBytesPerPoint * static_cast<double>(input.size()));
}

void run(Request request) {
  if (request.is_shared() ? !share_work() : !is_first_rank()) return;
  Session session(request.common, request.output);
  const Input input = open_input(
      request.input, [&](const Input& made) { check_and_report(request, session, made); });
  Numbers positions;
  on_all_ranks([&] { positions = input.positions(session.execution()); });
  const FoundClusters found = request.is_dbscan() ? run_dbscan(input, positions, request, session)
                                                  : run_hdbscan(input, positions, request, session);
  report_clusters(session, input, request, found);
  if (!request.output.empty()) write(session, input, request, found);
  if (!request.picture.empty()) draw(session, input, positions, request, found);
  session.finish();
}

void add_dbscan(Command command, Request& request) {
  command.add_option("--eps", request.dbscan.eps, "dbscan: largest distance between neighbors")
      .positive();
  command
      .add_option("--border", request.border,
                  "dbscan: cluster of a border point: that of the nearest core point, as "
                  "scikit-learn chooses, or none")
      .shows_default()
      .one_of({name(Border::nearest), name(Border::sklearn), name(Border::none)});
  command
      .add_option("--border-links", request.dbscan.border_links,
                  "dbscan: number of core points of a cluster that a border point needs within eps")
      .shows_default()
      .positive();
}

void add_hdbscan(Command command, Request& request) {
  command
      .add_option("--min-cluster-size", request.hdbscan.min_cluster_size,
                  "hdbscan: smallest size of a cluster")
      .shows_default()
      .positive();
  command
      .add_option("--selection", request.selection,
                  "hdbscan: eom (largest stability) or leaf (clusters that do not split)")
      .shows_default()
      .one_of({name(ClusterSelection::eom), name(ClusterSelection::leaf)});
  command
      .add_option("--selection-epsilon", request.hdbscan.selection_epsilon,
                  "hdbscan: clusters that split off at a shorter distance stay together")
      .non_negative();
  command.add_flag("--allow-single-cluster", request.hdbscan.allow_single_cluster,
                   "hdbscan: allow all points to be one cluster");
  command.add_option("--max-cluster-size", request.hdbscan.max_cluster_size,
                     "hdbscan: largest size of a cluster with eom");
}

void add_options(Command command, Request& request) {
  command.add_option("--method", request.method, "dbscan or hdbscan")
      .required()
      .one_of({"dbscan", "hdbscan"});
  command
      .add_option("--min-samples", request.min_samples,
                  "dbscan: points within eps that make a core point (default 5); hdbscan: the "
                  "neighbor that defines the core distance (default --min-cluster-size); both "
                  "include the point itself")
      .positive();
  add_dbscan(command, request);
  add_hdbscan(command, request);
  command.add_option("--picture", request.picture, "picture to write: .png, .svg or .pdf");
  command
      .add_option("--rows", request.rows,
                  "clusters in the printed table and in --json: a number, or all")
      .shows_default()
      .or_all();
}

}  // namespace

void add_cluster(Command program) {
  Command command =
      program.add_subcommand("cluster", "finds clusters by density: DBSCAN or HDBSCAN*");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_sky(command, request->input);
  add_options(command, *request);
  command.callback([request, command] {
    check_method(command, *request);
    finish(*request);
    run(*request);
  });
}

}  // namespace kith::cli
