// `kith density SNAPSHOT -k K`: the density at every point, from its nearest neighbours.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include <kith/density.hpp>

#include "neighbors.hpp"

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

/// Equal masses are a factor.
std::vector<double> densities(const Input& input, const Tree& tree, const Request& request,
                              const Execution& execution) {
  const Numbers masses = input.masses(execution);
  const std::vector<double> list = mass_list(masses);
  std::vector<double> result = sph_density(
      tree, {.k = request.k, .kernel = kernel_named(request.kernel), .mass = list}, execution);
  if (list.empty())
    for (double& density : result) density *= input.mass_values(masses).same;
  return result;
}

void write(Session& session, const Input& input, const Request& request,
           const std::vector<double>& density, const std::vector<double>& smoothing) {
  ResultAbout about = input.about(ResultKind::density);
  about.k = request.k;
  about.kernel = request.kernel;
  ResultArray arrays[] = {result_array("density", density.data(), density.size()),
                          result_array("smoothing_length", smoothing.data(), smoothing.size())};
  arrays[0].description =
      "Sum of m W(r, h) over the k nearest neighbors, including the point itself.";
  arrays[0].unit = {.length = -input.dimension(), .mass = input.has(Field::mass) ? 1 : 0};
  arrays[1].description = "h: the distance of the k-th neighbor, where the kernel ends.";
  arrays[1].unit = {.length = 1};
  write_result(request.output, about, arrays, request.write, session.execution());
  session.report().add("output", request.output);
  session.say(request.output);
}

void show_summary(Session& session, const Input& input, std::vector<double> density) {
  std::erase_if(density, [](double value) { return !std::isfinite(value); });
  if (density.empty()) return;
  const auto middle = density.begin() + static_cast<std::ptrdiff_t>(density.size() / 2);
  std::nth_element(density.begin(), middle, density.end());
  const auto [least, most] = std::minmax_element(density.begin(), density.end());
  session.report().add("least", *least);
  session.report().add("median", *middle);
  session.report().add("most", *most);
  const UnitPowers unit{.length = -input.dimension(), .mass = input.has(Field::mass) ? 1 : 0};
  session.say(fmt::format("density from {:.4g} to {:.4g}, median {}", *least, *most,
                          with_unit(*middle, input.info().units, unit)));
}

void run(const Request& request) {
  Session session(request.common);
  const Input input(request.input);
  if (!request.output.empty()) {
    check_result_path(request.output, request.write, ResultKind::density);
    input.check_output(request.output);
  }
  check_neighbors(request.k, input.size());
  session.say(input.describe());
  input.report(session.report());
  session.report().add_count("k", request.k);
  session.report().add("kernel", request.kernel);
  const double points = static_cast<double>(input.size());
  session.need_memory(tree_bytes(input) + 24 * points + 2 * input.mass_bytes());
  const Tree tree = build_tree(input, session.execution());
  const std::vector<double> density = densities(input, tree, request, session.execution());
  show_summary(session, input, density);
  if (!request.output.empty()) {
    const std::size_t k = std::min<std::size_t>(request.k, std::max<std::size_t>(1, tree.size()));
    write(session, input, request, density, kth_distance(tree, {.k = k}, session.execution()));
  }
  session.finish();
}

}  // namespace

void add_density(Command program) {
  Command command = program.add_subcommand("density", "computes the density at every point");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_neighbor_request(command, *request);
  command.add_option("-k", request->k, "neighbors, including the point itself")
      .shows_default()
      .positive();
  command.add_option("--kernel", request->kernel, "cubic_spline or wendland_c2")
      .shows_default()
      .one_of({name(SphKernel::cubic_spline), name(SphKernel::wendland_c2)});
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
