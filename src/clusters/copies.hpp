// The hierarchy of points with weights, in which a point of weight w counts w times.
//
// Let every point p of whole weight w be w points. They have the same distances, so their spanning
// tree is that of one copy each, and of every other copy g the edge (c, a, g): c is p's core
// distance, a the lowest point with an edge of that length to p, or p itself (clusters/
// spanning_parts.cpp has the proof). These copies come one after the other in the order of edges,
// and each leaves its cluster by itself, so they are one leaf here, of weight w - 1: a bundle,
// which is never a cluster. Other weights are treated in the same way: a point keeps at most 1, and
// its bundle has the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "clusters/hierarchy_impl.hpp"
#include "parallel/workers.hpp"

namespace kith {

struct WithCopies {
  explicit WithCopies(const SpanningTree& tree) : hierarchy(tree) {}

  Hierarchy::Impl hierarchy;         ///< leaves: the input points, then the bundles
  std::vector<double> weight;        ///< per leaf
  std::vector<std::uint32_t> point;  ///< per bundle: whose copies they are
};

/// Of a spanning tree with weights. Errors: too_large for 2^31 leaves.
WithCopies with_copies(const SpanningTree& tree, const Workers& workers);

}  // namespace kith
