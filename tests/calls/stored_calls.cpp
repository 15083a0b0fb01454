// The calls on stored points.
#include <cmath>

#include "calls.hpp"

namespace kith::test {

std::vector<Call> stored_calls(const Scene& scene) {
  std::vector<Call> calls;
  const DiskOptions disk{.max_memory = 80'000'000, .scratch = scene.folder};
  const TreeOptions tree{.box = scene.box};
  const std::shared_ptr<const StoredPoints> points = stored_points(scene.points.view());
  calls.push_back({"fof from disk", [&scene, points, disk](const Execution& execution) {
                     fof(*points, scene.fof_options, disk, execution);
                   }});
  calls.push_back({"knn from disk", [points, tree, disk](const Execution& execution) {
                     knn(*points, {.k = 4}, tree, disk, execution);
                   }});
  calls.push_back({"sph_density from disk", [points, tree, disk](const Execution& execution) {
                     sph_density(*points, {.k = 8}, tree, disk, execution);
                   }});
  calls.push_back(
      {"radius_count from disk", [&scene, points, tree, disk](const Execution& execution) {
         radius_count(*points, {.radius = scene.radius}, tree, disk, execution);
       }});
  calls.push_back(
      {"pair_counts from disk", [&scene, points, tree, disk](const Execution& execution) {
         const double radii[] = {scene.radius / 2, scene.radius};
         pair_counts(*points, {.radii = radii}, tree, disk, execution);
       }});
  // Made here: inside the calls, it is their allocations that fail.
  const auto pairs = std::make_shared<CorrelationOptions>(
      CorrelationOptions{.bins = {.edges = {0, scene.radius}}, .box = scene.box});
  calls.push_back({"correlation from disk", [pairs, points, disk](const Execution& execution) {
                     correlation(*points, *pairs, disk, execution);
                   }});
  const auto spheres = std::make_shared<OverdensityOptions>(OverdensityOptions{
      .density = {100 / std::pow(scene.radius, 3)}, .within = {.same = scene.radius}});
  const auto kind = std::make_shared<CenterOptions>(CenterOptions{.box = scene.box});
  const auto folder = std::make_shared<DiskOptions>(disk);
  calls.push_back({"centers and spheres from disk",
                   [&scene, points, folder, tree, spheres, kind](const Execution& execution) {
                     FofOptions large = scene.fof_options;
                     large.min_size = 8;
                     const StoredGroups groups = fof(*points, large, *folder, execution);
                     const std::vector<double> center =
                         centers(*points, groups, *kind, {}, *folder, execution);
                     overdensities(*points, center, *spheres, tree, *folder, execution);
                   }});
  return calls;
}

}  // namespace kith::test
