// `kith density SNAPSHOT -k K`: the density at every point, from its nearest neighbors.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include <kith/density.hpp>
#include <kith/result_rows.hpp>

#include "neighbors.hpp"
#include "shared_input.hpp"

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
  together([&] {
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

Densities find_alone(const Input& input, const Request& request, const Session& session) {
  const Tree tree = build_tree(input, session);
  Densities found;
  found.density =
      densities(input, request, session.execution(), [&](const DensityOptions& options) {
        return sph_density(tree, options, session.on_device());
      });
  if (!request.output.empty())
    found.smoothing =
        kth_distance(tree, {.k = most_neighbors(request, tree.size())}, session.on_device());
  return found;
}

Densities find_together(const Input& input, const Request& request, const Session& session) {
  share_points(input, session.execution());
  Densities found;
  found.density =
      densities(input, request, session.execution(), [&](const DensityOptions& options) {
        return ranks()->sph_density(options, session.on_device());
      });
  if (!request.output.empty())
    found.smoothing = ranks()->kth_distance({.k = most_neighbors(request, ranks()->points())},
                                            session.on_device());
  return found;
}

void write(Session& session, const Input& input, const Request& request, const Densities& found,
           std::span<const RowAccess> access = {}) {
  if (request.output.empty()) return;
  ResultAbout about = input.about(ResultKind::density);
  about.k = request.k;
  about.kernel = request.kernel;
  ResultRows arrays[] = {{result_array("density", found.density.data(), input.size())},
                         {result_array("smoothing_length", found.smoothing.data(), input.size())}};
  for (std::size_t i = 0; i < access.size(); ++i) take_from_all(arrays[i], access[i]);
  arrays[0].description =
      "Sum of m W(r, h) over the k nearest neighbors, including the point itself.";
  arrays[0].unit = {.length = -input.dimension(), .mass = input.has(Field::mass) ? 1 : 0};
  arrays[1].description = "h: the distance of the k-th neighbor, where the kernel ends.";
  arrays[1].unit = {.length = 1};
  write_result(request.output, about, arrays, request.write, session.execution());
  session.report().add("output", request.output);
  session.say(request.output);
}

/// The least, the middle and the largest one.
struct Summary {
  double least = 0, median = 0, most = 0;
};

void show(Session& session, const Input& input, const Summary& summary) {
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

void show_summary(Session& session, const Input& input, std::vector<double> density) {
  std::erase_if(density, [](double value) { return !std::isfinite(value); });
  if (density.empty()) return;
  const auto middle = density.begin() + static_cast<std::ptrdiff_t>(density.size() / 2);
  std::nth_element(density.begin(), middle, density.end());
  const auto [least, most] = std::minmax_element(density.begin(), density.end());
  show(session, input, {*least, *middle, *most});
}

/// The same of the densities of all ranks.
void show_summary_together(Session& session, const Input& input, std::vector<double> density) {
  std::erase_if(density, [](double value) { return !std::isfinite(value); });
  const std::uint64_t count = sum_of_all(density.size());
  if (count == 0) return;
  const double least = ranks()->nth(density, 0), middle = ranks()->nth(density, count / 2);
  show(session, input, {least, middle, ranks()->nth(density, count - 1)});
}

void check_and_report(const Request& request, Session& session, const Input& input) {
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::density);
    input.check_output(request.output, request.write.files);
  }
  check_neighbors(request.k, input.size());
  session.say(input.describe());
  input.report(session.report());
  session.report().add_count("k", request.k);
  session.report().add("kernel", request.kernel);
  const double points = static_cast<double>(input.size());
  session.need_memory(tree_bytes(input) + 24 * points + 2 * input.mass_bytes());
}

void tell_together(const Request& request, Session& session, const Input& input,
                   const Densities& found) {
  show_summary_together(session, input, found.density);
  const SharedRows rows[] = {{found.density.data(), found.density.size(), sizeof(double)},
                             {found.smoothing.data(), found.smoothing.size(), sizeof(double)}};
  const auto write_all = [&](std::span<const RowAccess> access) {
    write(session, input, request, found, access);
  };
  ranks()->collect(rows, write_all, session.execution());
}

void run(const Request& request) {
  if (!share_work()) return;
  Session session(request.common);
  const Input input = open_together(
      request.input, [&](const Input& made) { check_and_report(request, session, made); });
  if (ranks()) {
    tell_together(request, session, input, find_together(input, request, session));
  } else {
    const Densities found = find_alone(input, request, session);
    show_summary(session, input, found.density);
    write(session, input, request, found);
  }
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
