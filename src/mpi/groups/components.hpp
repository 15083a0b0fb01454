// Connected components of a graph whose vertices belong to ranks.
//
// In each round every vertex hooks itself to its neighbor of the lowest priority, a hash of its
// name. Two vertices may choose each other, but no longer cycle exists: on the way from v over its
// choice to that one's choice, the priority never rises, since v itself could be chosen. So each
// round leaves at most half of the vertices that have neighbors, and at most log2(vertices) rounds
// follow, whatever the graph and the order of ranks are. Inside a round, paths to the root of a
// tree are shortened by halves; since priorities are random, paths are short. Then edges move to
// the ranks of the roots, and those inside a tree vanish.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// The rank and the number of a vertex there.
using Vertex = std::uint64_t;
inline Vertex vertex_of(int rank, std::size_t number) {
  return std::uint64_t(rank) << 32 | std::uint64_t(number);
}
inline int rank_of(Vertex v) { return static_cast<int>(v >> 32); }
inline std::uint32_t number_of(Vertex v) { return static_cast<std::uint32_t>(v); }

/// From a vertex of this rank to any.
struct Edge {
  Vertex from, to;
  auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};

/// How long it took.
struct ComponentRounds {
  std::uint64_t hooking = 0, shortcutting = 0;
};

/// The root of each vertex of this rank: one vertex of its component. It is enough if one end of
/// an edge knows it. Collective.
std::vector<Vertex> components(Call& call, std::size_t vertices, std::vector<Edge> edges,
                               ComponentRounds& rounds);

}  // namespace kith::mpi
