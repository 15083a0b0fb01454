// Friends by lines of sight to midpoints, among rows in the frame of a rank's tree.
#pragma once

#include <cmath>

#include "groups/redshift.hpp"
#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// `options`: with the linking length in the scalar type.
template <class T>
class MidpointJoin {
 public:
  MidpointJoin(const Part<T>& part, int dimension, const FofOptions& options,
               const RedshiftSpace& space)
      : part_(part), dimension_(dimension), options_(options), space_(space) {}

  /// Parents of a union-find over the points of the rank, by position.
  Array<std::uint32_t> own(const Execution& execution) const {
    const auto d = static_cast<std::size_t>(dimension_);
    const Axes<kAnyDimension> axes(dimension_);
    Array<T> rows(part_.planes.points * d);
    for (std::size_t i = 0; i < part_.planes.points; ++i)
      part_.view().load(i, axes, rows.data() + i * d);
    return of(std::move(rows), execution);
  }

  /// The same over any rows. The definition is for points as the caller gave them.
  Array<std::uint32_t> of(Array<T> rows, const Execution& execution) const {
    for (T& x : rows) x = std::ldexp(x, -part_.frame.exponent);
    const std::size_t count = rows.size() / static_cast<std::size_t>(dimension_);
    return join_to_midpoints<T>(kith::view(static_cast<const T*>(rows.data()), count, dimension_),
                                options_, space_, {}, execution);
  }

 private:
  const Part<T>& part_;
  int dimension_;
  const FofOptions& options_;
  const RedshiftSpace& space_;
};

}  // namespace kith::mpi
