// The calls of the sky: the coordinates of the scene are angles of at most a degree.
#include <span>

#include "calls/calls.hpp"

namespace kith::test {

std::vector<Call> sky_calls(const Scene& s) {
  const std::size_t n = s.points.size();
  const sky::Positions at{.ra = std::span(s.points64).first(n),
                          .dec = std::span(s.points64).last(n)};
  return {
      {"sky::unit_vectors", [=](const Execution& e) { sky::unit_vectors(at, e); }},
      {"sky::knn", [=](const Execution& e) { sky::knn(at, {.k = 3}, e); }},
      {"sky::match", [=](const Execution& e) { sky::match(at, at, 0.1, e); }},
      {"sky::radius", [=](const Execution& e) { sky::radius(at, 0.001, e); }},
      {"sky::pairs", [=](const Execution& e) { sky::pairs(at, 0.001, e); }},
      {"sky::fof", [=](const Execution& e) { sky::fof(at, 0.001, 2, e); }},
      {"sky::dbscan", [=](const Execution& e) { sky::dbscan(at, {.eps = 0.001}, e); }},
      {"sky::hdbscan", [=](const Execution& e) { sky::hdbscan(at, {}, e); }},
      {"sky::spanning_tree", [=](const Execution& e) { sky::spanning_tree(at, 1, e).length(); }},
  };
}

}  // namespace kith::test
