// Shared by knn, radius and density: options, memory, and the result file.
#pragma once

#include <string>
#include <vector>

#include <kith/detail/result_rows.hpp>

#include "input.hpp"

namespace kith::cli {

struct NeighborRequest {
  Common common;
  InputOptions input;
  std::string output;
  ResultWriteOptions write;

  void check_output(ResultKind kind, const Input& points) const;
};
void add_neighbor_request(Command command, NeighborRequest& request);

/// Bytes of the tree at the peak of its build and of the points beside it.
double tree_bytes(const Input& input);

/// Throws Error (invalid_argument) if k exceeds the number of points.
void check_neighbors(std::uint64_t k, std::uint64_t points);

inline double index_bytes(const Input& input) { return input.size() > 0x7fffffffu ? 8 : 4; }
inline double scalar_bytes(const Input& input) { return input.scalar() == Scalar::float32 ? 4 : 8; }

/// Throws Error (invalid_argument) for options that need all points in memory.
void check_stored(const NeighborRequest& request, double p);

/// Neighbors whose distances are angles in degrees, on the sky.
class Angles {
 public:
  Angles(const Input& input, detail::NeighborArrays& near, const Execution& execution);

 private:
  std::vector<double> angle_;
};

/// Writes the result on rank 0, if one is wanted, and reports its path.
void write_output(const NeighborRequest& request, const ResultAbout& about,
                  std::span<const ResultRows> arrays, Session& session);

}  // namespace kith::cli
