// What knn, radius and density share: points, tree, and a result that is written.
#pragma once

#include <string>

#include <kith/results.hpp>
#include <kith/tree.hpp>

#include "input.hpp"

namespace kith::cli {

struct NeighborRequest {
  Common common;
  InputOptions input;
  std::string output;
  ResultWriteOptions write;
};
void add_neighbor_request(Command command, NeighborRequest& request);

/// Bytes of the tree at the peak of its build and of the points beside it.
double tree_bytes(const Input& input);

/// Throws Error (invalid_argument) if there are fewer points than neighbors are asked for.
void check_neighbors(std::uint64_t k, std::uint64_t points);

/// Reads the points and builds their tree.
Tree build_tree(const Input& input, const Session& session);

/// A call with the types that fit: work.template operator()<T, Index>().
template <class Work>
void with_types(const Input& input, const Work& work) {
  const bool is_wide = input.size() > 0x7fffffffu;
  if (input.scalar() == Scalar::float32) {
    if (is_wide)
      work.template operator()<float, std::int64_t>();
    else
      work.template operator()<float, std::int32_t>();
  } else {
    if (is_wide)
      work.template operator()<double, std::int64_t>();
    else
      work.template operator()<double, std::int32_t>();
  }
}

inline double index_bytes(const Input& input) { return input.size() > 0x7fffffffu ? 8 : 4; }
inline double scalar_bytes(const Input& input) { return input.scalar() == Scalar::float32 ? 4 : 8; }

}  // namespace kith::cli
