// Clusters as `kith cluster` finds them by either method.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kith/io/figure.hpp>

#include "input.hpp"

namespace kith::cli {

struct FoundClusters {
  std::size_t count = 0;
  std::vector<std::int32_t> label;                 ///< of every point, -1 for noise
  std::vector<std::uint8_t> is_core;               ///< dbscan
  std::vector<double> probability, outlier_score;  ///< hdbscan

  std::vector<std::uint64_t> sizes() const;
};

/// Clusters of these sizes, the largest first; equal ones by number.
std::vector<std::size_t> largest_first(const std::vector<std::uint64_t>& size);

/// The first two coordinates of a sample of the points; the largest clusters have colors.
Drawing picture_of(const FoundClusters& found, const Input& input, const Numbers& positions,
                   const std::string& title);

}  // namespace kith::cli
