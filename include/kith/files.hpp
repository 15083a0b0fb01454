// Writing points to files.
#pragma once

#include <string>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// Writes points row by row in the format that the file's ending names:
///   .npy         NumPy array, size x dimension, in the scalar type of the points
///   .raw         the bare numbers in the scalar type of the points
///   .f32, .f64   the bare numbers; the points must be of that type
/// Numbers are little-endian. The file appears under its name only when it is complete and on disk:
/// until then it has a temporary name in the same folder, and a failed or cancelled call leaves
/// nothing behind. Errors: invalid_argument (another ending, or points that do not fit it), io,
/// cancelled.
KITH_API void write_points(const std::string& path, PointsView points,
                           const Execution& execution = {});

/// Throws what write_points would throw for the ending of this path: to know before a long
/// computation.
KITH_API void check_points_path(const std::string& path, Scalar scalar);

}  // namespace kith
