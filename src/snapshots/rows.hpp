// Rows of points that are written to a file.
#pragma once

#include <cstddef>

#include <kith/io/snapshot.hpp>
#include <kith/points.hpp>

#include "base/function_ref.hpp"
#include "files/number.hpp"
#include "parallel/workers.hpp"

namespace kith::io {

inline Number number_of(Scalar scalar) {
  return scalar == Scalar::float32 ? Number::f32 : Number::f64;
}

inline std::size_t row_bytes(const PointsView& points) {
  return static_cast<std::size_t>(points.dimension) * bytes_of(number_of(points.scalar));
}

/// The rows of a view, some megabytes at a time, packed one after the other and multiplied by
/// `factor`, in the view's scalar type. Advances the stage by one for every row and checks the
/// cancel token in between.
void for_packed_rows(const PointsView& points, double factor, const Workers& workers,
                     FunctionRef<void(const char* rows, std::size_t begin, std::size_t count)> use);

/// The same for the positions of a content, which may be made now.
void for_positions(const SnapshotContent& content, const Workers& workers,
                   FunctionRef<void(const char* rows, std::size_t begin, std::size_t count)> use);
inline bool has_ids(const SnapshotContent& content) { return content.id || content.first_id > 0; }
/// And its ids.
void for_ids(const SnapshotContent& content, const Workers& workers,
             FunctionRef<void(const std::uint64_t* id, std::size_t begin, std::size_t count)> use);

/// For n items that need no packing: use(begin, count).
void for_pieces(std::size_t n, std::size_t item_bytes, const Workers& workers,
                FunctionRef<void(std::size_t begin, std::size_t count)> use);

}  // namespace kith::io
