// A catalogue whose sums are made on a device.
#pragma once

#include <span>

#include "groups/sums.hpp"
#include "parallel/workers.hpp"
#include "tree/device.hpp"

namespace kith {

/// The points by group, or the group of each point; the other is null.
struct GroupedPoints {
  const std::uint32_t* order = nullptr;
  const std::int32_t* label = nullptr;
  std::span<const std::size_t> offset;
};

Catalogue catalogue_on(DeviceSums& device, const Source& from, const GroupedPoints& points,
                       const CatalogueOptions& options, Workers& workers);

}  // namespace kith
