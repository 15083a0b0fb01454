// Points larger than memory, as calls take them.
#pragma once

#include <memory>

#include <kith/io/stored_points.hpp>

namespace kith::python {

/// Points and the memory that calls on them may have.
struct OpenPoints {
  std::shared_ptr<const StoredPoints> points;
  DiskOptions disk;
};

}  // namespace kith::python
