// Rows of a catalogue whose sums are computed on a device.
#pragma once

#include <span>

#include "groups/catalogue_rows.hpp"
#include "parallel/workers.hpp"
#include "tree/device.hpp"

namespace kith {

/// The points by group, or the group of each point; the other is null.
struct GroupedPoints {
  const std::uint32_t* order = nullptr;
  const std::int32_t* label = nullptr;
  std::span<const std::size_t> offset;
};

/// Puts the columns that follow from sums.
void add_rows_on(DeviceSums& device, const Source& from, const GroupedPoints& points,
                 CatalogueMaker& rows, Workers& workers);

}  // namespace kith
