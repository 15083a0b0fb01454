// Writing points to files.
#pragma once

#include <string>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// Writes points alone, in the format that the file's ending names; the same as write_snapshot with
/// nothing but positions.
KITH_API void write_points(const std::string& path, PointsView points,
                           const Execution& execution = {});

/// Throws what write_points would throw for the ending of this path: to know before a long
/// computation.
KITH_API void check_points_path(const std::string& path, Scalar scalar);

}  // namespace kith
