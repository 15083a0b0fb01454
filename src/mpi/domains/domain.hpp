// A rank's view of a distributed point set: a tree of its own part, a few boxes of every other
// rank, and the route back to the ranks that gave the points.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <variant>

#include <kith/mpi.hpp>

#include "base/access.hpp"
#include "geometry/distance.hpp"
#include "geometry/frame.hpp"
#include "mpi/transport/call.hpp"
#include "mpi/transport/communicator.hpp"
#include "tree/input.hpp"
#include "tree/planes.hpp"
#include "tree/tree_impl.hpp"
#include "walk/against_boxes.hpp"

namespace kith::mpi {

/// Points that a rank can hold, its own and imported ones. Tests lower it.
inline std::size_t most_points = kMaxPoints;

/// The route of rows from the ranks that gave them to those that have them.
struct Route {
  Runs out;                  ///< rows by destination
  Array<std::uint32_t> row;  ///< the input row of each; empty: they are in that order
  Runs in;                   ///< rows by origin
  /// The local index of each row that arrived; empty: they arrived in the order of local indices.
  Array<std::uint32_t> local;

  std::size_t size() const { return out.total(); }
  std::size_t row_of(std::size_t i) const { return row.empty() ? i : row[i]; }
  std::uint32_t local_of(std::size_t arrival) const {
    return local.empty() ? static_cast<std::uint32_t>(arrival) : local[arrival];
  }
};

/// At most 64 boxes of each rank, with the number of points in each.
template <class T>
struct RankBoxes {
  static constexpr std::size_t kMost = 64;

  int dimension = 0;
  Array<T> ends;                ///< per box: lower, then upper ends
  Array<std::uint32_t> owner;   ///< per box, ascending
  Array<std::uint64_t> points;  ///< per box

  std::size_t size() const { return owner.size(); }
  template <int D>
  Bounds<D, T> box(std::size_t i, Axes<D> axes) const {
    return box_at(ends.data(), i, axes);
  }
};

/// The part of one rank. The local index of a point is its place in the order of global indices
/// among the points of its rank, so that ties are broken as in one process.
template <class T>
struct Part {
  Frame<T> frame;
  Planes<T> planes;
  std::vector<Plane<T>> packed;  ///< for cells: packed planes over the same blocks
  Array<std::uint64_t> global;   ///< by local index
  RankBoxes<T> boxes;
  mutable std::shared_ptr<AnyTree::Impl> device_tree;  ///< see device_part.hpp

  /// As searches see it.
  PlanesView<T> view() const { return packed.empty() ? planes.view() : planes.view(packed); }
  template <int D>
  Metric<D, T> metric() const {
    Metric<D, T> metric{Axes<D>(planes.dimension)};
    std::copy_n(frame.side, metric.axes.count(), metric.side);
    return metric;
  }
};

/// How points are distributed.
enum class Distribution { curve, kd, keep };

inline const char* name_of(RowOrder order) { return order == RowOrder::tree ? "tree" : "input"; }

/// An error of this thread before its domains. They are made nevertheless, so that all ranks throw
/// it.
inline thread_local std::exception_ptr pending_error;

class Domains::Impl {
 public:
  DomainOptions options;
  std::size_t input_size = 0;
  std::uint64_t total = 0;
  std::optional<std::uint64_t> first;  ///< global index of the first input row; none with ids
  Scalar scalar = Scalar::float32;
  int dimension = 0;
  bool is_kept = false;  ///< all points are where they were given, on all ranks
  Route route;
  std::vector<DomainSplit> splits;  ///< of kd cells
  std::variant<Part<float>, Part<double>> part;
  mutable std::optional<Communicator> communicator;

  template <class T>
  const Part<T>& as() const {
    return std::get<Part<T>>(part);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), part);
  }
};

/// Rows of `bytes` from where they were given to where they are; to local indices.
Array<std::byte> send_values(Call& call, const Route& route, const void* from, std::size_t bytes);
/// Rows of `bytes` by local index, back to input rows.
void return_values(Call& call, const Route& route, FunctionRef<const void*(std::size_t)> row,
                   std::size_t bytes, void* to);
/// The same from rows in the order in which they arrived.
void return_rows_of(Call& call, const Route& route, const void* from, std::size_t bytes, void* to);

/// Boxes of every rank; collective.
template <class T>
RankBoxes<T> gather_boxes(Call& call, const PlanesView<T>& view);

}  // namespace kith::mpi
