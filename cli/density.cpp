// `kith density SNAPSHOT -k K`: the density at every point, from its nearest neighbors.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include <kith/density.hpp>

#include "neighbors.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith density snapshot.hdf5 -k 32 -o density.hdf5
  kith density points.npy -k 64 --kernel wendland_c2 --box 1 -o density.npz

The result has an array `density`, in the order of the file, and `smoothing_length`: the distance of
the k-th neighbor. Masses are those of the file; without masses, every point has mass 1.)";

struct Request : NeighborRequest {
  std::size_t k = 32;
  std::string kernel = name(SphKernel::cubic_spline);
};

SphKernel kernel_named(const std::string& word) {
  return word == name(SphKernel::wendland_c2) ? SphKernel::wendland_c2 : SphKernel::cubic_spline;
}

std::vector<double> mass_list(const Numbers& masses) {
  std::vector<double> list(masses.count());
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = masses[i];
  return list;
}

/// Densities and smoothing lengths of the points, or of those of this rank.
struct Densities {
  std::vector<double> density, smoothing;
};

/// Equal masses are a factor.
template <class Sum>
std::vector<double> densities(const Input& input, const Request& request,
                              const Execution& execution, Sum sum) {
  Numbers masses;
  std::vector<double> list;
  on_all_ranks([&] {
    masses = input.masses(execution);
    list = mass_list(masses);
  });
  std::vector<double> result =
      sum(DensityOptions{.k = request.k, .kernel = kernel_named(request.kernel), .mass = list});
  if (list.empty())
    for (double& density : result) density *= input.mass_values(masses).same;
  return result;
}

std::size_t most_neighbors(const Request& request, std::size_t points) {
  return std::min<std::size_t>(request.k, std::max<std::size_t>(1, points));
}

Densities find(const Input& input, const Request& request, const Session& session) {
  take_points(input, session);
  Densities found;
  found.density =
      densities(input, request, session.execution(), [&](const DensityOptions& options) {
        return ranks().sph_density(options, session.on_device());
      });
  if (!request.output.empty())
    found.smoothing =
        ranks().kth_distance({.k = most_neighbors(request, ranks().points())}, session.on_device());
  return found;
}

ResultAbout about_density(const Input& input, const Request& request) {
  ResultAbout about = input.about(ResultKind::density);
  about.k = request.k;
  about.kernel = request.kernel;
  return about;
}

/// Without data if the numbers are on disk.
std::vector<ResultArray> arrays_of(const Input& input, const double* density,
                                   const double* smoothing, std::size_t rows) {
  std::vector<ResultArray> own{result_array("density", density, rows),
                               result_array("smoothing_length", smoothing, rows)};
  own[0].description = "Sum of m W(r, h) over the k nearest neighbors, including the point itself.";
  own[0].unit = {.length = -input.dimension(), .mass = input.has(Field::mass) ? 1 : 0};
  own[1].description = "h: the distance of the k-th neighbor, where the kernel ends.";
  own[1].unit = {.length = 1};
  return own;
}

void write(Session& session, const Input& input, const Request& request, const Densities& found) {
  if (request.output.empty()) return;
  const std::vector<ResultArray> own =
      arrays_of(input, found.density.data(), found.smoothing.data(), found.density.size());
  ranks().collect(
      own,
      [&](std::span<const ResultRows> all) {
        write_output(request, about_density(input, request), all, session);
      },
      session.execution());
}

/// The least, the middle and the largest one.
struct Summary {
  double least = 0, median = 0, most = 0;
};

void report_summary(Session& session, const Input& input, const Summary& summary) {
  session.report().add("least", summary.least);
  session.report().add("median", summary.median);
  session.report().add("most", summary.most);
  const UnitPowers unit{.length = -input.dimension(), .mass = input.has(Field::mass) ? 1 : 0};
  const auto in_words = [&](double density) {
    return with_unit(density, input.info().units, unit);
  };
  const auto number = [&](double density) {
    const std::string words = in_words(density);
    return words.substr(0, words.find(' '));
  };
  session.say(fmt::format("density from {} to {}, median {}", number(summary.least),
                          number(summary.most), in_words(summary.median)));
}

/// Of the densities of all ranks.
void summarize(Session& session, const Input& input, std::vector<double> density) {
  std::erase_if(density, [](double value) { return !std::isfinite(value); });
  const std::uint64_t count = sum_of_all(density.size());
  if (count == 0) return;
  const double least = ranks().nth(density, 0), median = ranks().nth(density, count / 2);
  report_summary(session, input, {least, median, ranks().nth(density, count - 1)});
}

/// Densities that are finite, of densities on disk.
void summarize_stored(Session& session, const Input& input, const ResultRows& density) {
  std::uint64_t count = 0;
  for_each_value<double>(density, [&](double value) { count += std::isfinite(value) ? 1 : 0; });
  if (count == 0) return;
  // Without negative masses densities are positive. NaN becomes infinite, so that it is last.
  const ResultRows sortable =
      read_rows<double>("", density.rows, [&](std::uint64_t begin, std::span<double> out) {
        const auto* values = static_cast<const double*>(density.read(begin, out.size()));
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = std::isfinite(values[i]) ? values[i] : std::numeric_limits<double>::infinity();
      });
  const double least = nth_value(sortable, 0), median = nth_value(sortable, count / 2);
  report_summary(session, input, {least, median, nth_value(sortable, count - 1)});
}

void find_stored(Session& session, const Input& input, const Request& request) {
  const InputPoints points(input);
  const StoredDensity found =
      sph_density(points, {.k = request.k, .kernel = kernel_named(request.kernel)},
                  {.box = input.box(), .non_finite = input.non_finite()}, disk_options(session),
                  session.execution());
  const double mass = points.has(Field::mass) ? 1 : input.mass_values({}).same;
  const std::vector<ResultArray> arrays = arrays_of(input, nullptr, nullptr, found.density.size());
  const ResultRows all[] = {
      read_rows<double>(arrays[0],
                        [&](std::uint64_t begin, std::span<double> out) {
                          found.density.read(begin, out);
                          for (double& density : out) density *= mass;
                        }),
      read_rows<double>(arrays[1], [&](std::uint64_t begin, std::span<double> out) {
        found.smoothing_length.read(begin, out);
      })};
  summarize_stored(session, input, all[0]);
  write_output(request, about_density(input, request), all, session);
  report_disk(found.density.disk(), session);
  session.finish();
}

/// Whether the points stay on disk.
bool check_and_report(const Request& request, Session& session, const Input& input) {
  request.check_output(ResultKind::density, input);
  check_neighbors(request.k, input.size());
  session.say(input.describe());
  input.report(session.report());
  session.report().add_count("k", request.k);
  session.report().add("kernel", request.kernel);
  const double points = static_cast<double>(input.size());
  const double bytes = tree_bytes(input) + 24 * points + 2 * input.mass_bytes();
  const bool is_stored = goes_to_disk(bytes, session);
  if (!is_stored) {
    session.need_memory(bytes);
  } else {
    check_stored(request, 2);
    say_disk(bytes, session);
  }
  return is_stored;
}

void run(const Request& request) {
  if (!share_work()) return;
  Session session(request.common, request.output);
  bool is_stored = false;
  const Input input = open_input(request.input, [&](const Input& made) {
    is_stored = check_and_report(request, session, made);
  });
  if (is_stored) return find_stored(session, input, request);
  const Densities found = find(input, request, session);
  summarize(session, input, found.density);
  write(session, input, request, found);
  session.finish();
}

}  // namespace

void add_density(Command program) {
  Command command = program.add_subcommand("density", "computes the density at every point");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  add_device(command, request->common);
  command.add_option("-k", request->k, "number of neighbors, including the point itself")
      .shows_default()
      .positive();
  command.add_option("--kernel", request->kernel, "kernel: cubic_spline or wendland_c2")
      .shows_default()
      .one_of({name(SphKernel::cubic_spline), name(SphKernel::wendland_c2)});
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
