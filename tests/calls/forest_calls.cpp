// The public calls of forests and of the kd order.
#include <algorithm>

#include <kith/forest.hpp>
#include <kith/left_balanced.hpp>

#include "calls/calls.hpp"

namespace kith::test {
namespace {

/// A forest of several trees, some points of which are removed.
std::shared_ptr<Forest<float>> some_forest(const Scene& s) {
  auto forest = std::make_shared<Forest<float>>(s.points.dimension, ForestOptions{.box = s.box});
  const std::size_t n = s.points.size(), d = static_cast<std::size_t>(s.points.dimension);
  const float* rows = s.points.coordinates.data();
  forest->insert(view(rows, n / 2, s.points.dimension));
  forest->insert(view(rows + n / 2 * d, n - n / 2, s.points.dimension));
  std::vector<std::int64_t> gone;
  for (std::size_t i = 0; i < n; i += 5) gone.push_back(static_cast<std::int64_t>(i));
  forest->remove(gone);
  return forest;
}

}  // namespace

std::vector<Call> forest_calls(const Scene& s) {
  const PointsView points = s.points.view();
  // Each query allocates; a small scene, where every allocation fails once, has few of them.
  const std::size_t asked =
      points.size < 1000 ? std::min<std::size_t>(5, points.size) : points.size;
  const PointsView queries = view(s.points.coordinates.data(), asked, points.dimension);
  const RadiusOptions ball{.radius = s.radius};
  const auto forest = some_forest(s);
  const auto bytes = std::make_shared<std::vector<std::byte>>(forest->bytes());
  const auto gone = std::make_shared<std::vector<std::int64_t>>(forest->indices());
  const auto kd =
      std::make_shared<Tree<float>>(points, TreeOptions{.box = s.box, .curve = Curve::kd});
  return {
      {"Forest, made", [&s](const Execution&) { Forest<float>(3, {.box = s.box}); }},
      {"Forest, copied", [=](const Execution&) { Forest<float> copy(*forest); }},
      {"Forest::insert", [=](const Execution& e) { Forest<float>(*forest).insert(points, e); }},
      {"Forest::remove", [=](const Execution& e) { Forest<float>(*forest).remove(*gone, e); }},
      {"Forest::indices", [=](const Execution&) { forest->indices(); }},
      {"Forest::coordinates", [=](const Execution&) { forest->coordinates(); }},
      {"Forest::knn", [=](const Execution& e) { forest->knn(queries, {.k = 8}, e); }},
      {"Forest::radius", [=](const Execution& e) { forest->radius(queries, ball, e); }},
      {"Forest::radius_count", [=](const Execution& e) { forest->radius_count(points, ball, e); }},
      {"Forest::bytes", [=](const Execution&) { forest->bytes(); }},
      {"Forest::from_bytes", [=](const Execution& e) { Forest<float>::from_bytes(*bytes, e); }},
      {"Tree::splits", [=](const Execution&) { kd->splits(kd->planes() - 1, 0); }},
      {"left_balanced", [=](const Execution& e) { left_balanced(*kd, SplitAxis::variance, e); }},
  };
}

std::vector<Call> forest_file_calls(const Scene& s) {
  const auto forest = some_forest(s);
  const std::string first = s.file("f.forest"), second = s.file("f2.forest");
  save(*forest, first);
  return {
      {"save, forest", [=](const Execution& e) { save(*forest, second, e); }},
      {"load_forest", [=](const Execution& e) { load_forest<float>(first, e); }},
      {"forest_scalar", [=](const Execution&) { forest_scalar(first); }},
  };
}

}  // namespace kith::test
