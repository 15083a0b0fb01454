// Clouds in cells: points painted on a periodic mesh, and the derivatives.
#include <cmath>

#include <kith/gradients.hpp>

#include "base/fail.hpp"
#include "geometry/frame.hpp"
#include "groups/columns.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/transpose.hpp"

namespace kith {
namespace {

constexpr int kMost = 4;  // dimensions

/// The mesh and where a point lies on it.
class Mesh {
 public:
  Mesh(const char* call, const PointsView& points, const ValuesView& weight,
       const MeshOptions& options)
      : position_(points), d_(points.dimension) {
    if (d_ < 1 || d_ > kMost) refuse("{}: {} dimensions; a mesh has 1 to {}", call, d_, kMost);
    if (options.cells.size() != static_cast<std::size_t>(d_))
      refuse("{}: {} numbers of cells for {} axes", call, options.cells.size(), d_);
    if (weight.data && weight.size != points.size)
      refuse("{}: {} weights for {} points; give one for each", call, weight.size, points.size);
    for (int axis = 0; axis < d_; ++axis) {
      cells_[axis] = options.cells[static_cast<std::size_t>(axis)];
      side_[axis] = options.box.side(axis);
      origin_[axis] = options.box.origin(axis);
      if (cells_[axis] == 0 || !(side_[axis] > 0))
        refuse("{}: axis {} has {} cells and side {}; a mesh is periodic and has cells", call, axis,
               cells_[axis], side_[axis]);
      // Neither factor reaches 2^32, so that the product does not wrap around.
      size_ = cells_[axis] < kNoTarget ? size_ * cells_[axis] : kNoTarget;
      if (size_ >= kNoTarget)
        fail(ErrorCode::too_large, "{}: a mesh of {} cells or more; use fewer", call, size_);
    }
  }

  int dimension() const { return d_; }
  int corners() const { return 1 << d_; }
  std::size_t size() const { return size_; }
  double per_length(int axis) const { return static_cast<double>(cells_[axis]) / side_[axis]; }

  /// The node below a point on each axis, and how far the point is above it, in cells.
  struct Place {
    std::size_t node[kMost];
    double above[kMost];
  };
  Place place(std::size_t i) const {
    Place place{};
    for (int axis = 0; axis < d_; ++axis) {
      const double u = wrapped(position_(i, axis), origin_[axis], side_[axis]) * per_length(axis);
      const double floor = std::floor(u);
      place.node[axis] = static_cast<std::size_t>(floor) % cells_[axis];
      place.above[axis] = u - floor;
    }
    return place;
  }

  /// The cell of a corner: bit `axis` of its number says whether it is the upper node.
  std::uint32_t cell(const Place& place, int corner) const {
    std::size_t cell = 0;
    for (int axis = 0; axis < d_; ++axis) {
      std::size_t node = place.node[axis] + static_cast<std::size_t>(corner >> axis & 1);
      if (node == cells_[axis]) node = 0;
      cell = cell * cells_[axis] + node;
    }
    return static_cast<std::uint32_t>(cell);
  }

  /// A corner's share of the weight; with `but`, the factors of all other axes.
  double share(const Place& place, int corner, int but = -1) const {
    double product = 1;
    for (int axis = 0; axis < d_; ++axis)
      if (axis != but) product *= corner >> axis & 1 ? place.above[axis] : 1 - place.above[axis];
    return product;
  }
  /// The derivative of a corner's share by a coordinate.
  double slope(const Place& place, int corner, int axis) const {
    const double product = share(place, corner, axis) * per_length(axis);
    return corner >> axis & 1 ? product : -product;
  }

 private:
  RowReader position_;
  int d_;
  std::size_t cells_[kMost] = {};
  double side_[kMost] = {}, origin_[kMost] = {};
  std::size_t size_ = 1;
};

/// Adds value(point, place, corner) to the corner's cell, for all points.
template <class Value>
std::vector<double> painted(const Mesh& mesh, std::size_t points, const Workers& workers,
                            Value value) {
  std::vector<double> out(mesh.size(), 0.0);
  Transpose<kAnyDimension, double> transpose(workers, mesh.size(), Axes<kAnyDimension>(1),
                                             out.data());
  const auto corners = static_cast<std::size_t>(mesh.corners());
  const std::size_t batch = transpose.kBatch / corners;
  std::vector<std::uint32_t> cell(std::min(points, batch) * corners);
  std::vector<double> amount(cell.size());
  for (std::size_t first = 0; first < points; first += batch) {
    const std::size_t count = std::min(batch, points - first);
    workers.for_ranges(count, kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Mesh::Place place = mesh.place(first + i);
        for (int corner = 0; corner < mesh.corners(); ++corner) {
          const std::size_t at = i * corners + static_cast<std::size_t>(corner);
          cell[at] = mesh.cell(place, corner);
          amount[at] = value(first + i, place, corner);
        }
      }
    });
    transpose.add(count * corners, cell.data(), amount.data());
  }
  return out;
}

}  // namespace

std::vector<double> paint(PointsView points, ValuesView weight, const MeshOptions& options,
                          const Execution& execution) {
  return public_call("paint", execution, [&](Workers& workers) {
    const Mesh mesh("paint", points, weight, options);
    const ValueReader read(weight);
    return painted(mesh, points.size, workers,
                   [&](std::size_t i, const Mesh::Place& place, int corner) {
                     return read(i) * mesh.share(place, corner);
                   });
  });
}

void paint_vjp(PointsView points, ValuesView weight, const MeshOptions& options,
               std::span<const double> cotangent, double* position, double* weight_gradient,
               const Execution& execution) {
  public_call("paint_vjp", execution, [&](Workers& workers) {
    const Mesh mesh("paint_vjp", points, weight, options);
    if (cotangent.size() != mesh.size())
      refuse("paint_vjp: {} cotangents for {} cells", cotangent.size(), mesh.size());
    const ValueReader read(weight);
    const auto d = static_cast<std::size_t>(mesh.dimension());
    workers.for_ranges(points.size, kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Mesh::Place place = mesh.place(i);
        double by_weight = 0, by_place[kMost] = {};
        for (int corner = 0; corner < mesh.corners(); ++corner) {
          const double g = cotangent[mesh.cell(place, corner)];
          by_weight += g * mesh.share(place, corner);
          for (int axis = 0; axis < mesh.dimension(); ++axis)
            by_place[axis] += g * mesh.slope(place, corner, axis);
        }
        if (weight_gradient) weight_gradient[i] = by_weight;
        if (!position) continue;
        for (std::size_t axis = 0; axis < d; ++axis)
          position[i * d + axis] = read(i) * by_place[axis];
      }
    });
  });
}

std::vector<double> paint_jvp(PointsView points, ValuesView weight, const MeshOptions& options,
                              const double* position, const double* weight_tangent,
                              const Execution& execution) {
  return public_call("paint_jvp", execution, [&](Workers& workers) {
    const Mesh mesh("paint_jvp", points, weight, options);
    const ValueReader read(weight);
    const auto d = static_cast<std::size_t>(mesh.dimension());
    return painted(
        mesh, points.size, workers, [&](std::size_t i, const Mesh::Place& place, int corner) {
          double sum = weight_tangent ? weight_tangent[i] * mesh.share(place, corner) : 0;
          if (position)
            for (int axis = 0; axis < mesh.dimension(); ++axis)
              sum += read(i) * mesh.slope(place, corner, axis) *
                     position[i * d + static_cast<std::size_t>(axis)];
          return sum;
        });
  });
}

}  // namespace kith
