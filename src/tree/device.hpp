// What the core asks of a device: plain data in, rows and labels out. kith_gpu implements it and
// registers itself; the core knows nothing else about devices.
//
// Everything that is a decision (options, limits, the linking length) is made here on the host, and
// so is the square root of every distance: a device delivers d2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kith/tree.hpp>

#include "base/function_ref.hpp"
#include "base/shared.hpp"
#include "parallel/workers.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

class DeviceTree {
 public:
  virtual ~DeviceTree() = default;
  /// Fills the arrays of `tree`, whose facts are there.
  virtual void copy_to(const Tree::Impl& tree) const = 0;
};

/// Points that are to be a packed tree.
template <class T>
struct DeviceInput {
  const PointsView& points;
  const TreeOptions& options;       ///< box, curve (not automatic), non_finite
  const Frame<T>* frame = nullptr;  ///< that of another tree; else fitted to the points
};

/// Some queries and their neighbors, by (d2, index), in the host's memory for the time of a call.
template <class T>
struct DeviceRows {
  std::size_t count = 0;                  ///< queries
  std::size_t first = 0;                  ///< position of the first one in the order of the queries
  const std::uint32_t* query = nullptr;   ///< original index of each
  const std::uint64_t* offset = nullptr;  ///< count + 1 values: where its neighbors begin
  const std::uint32_t* index = nullptr;   ///< kNoIndex at the end of a row that is not full (knn)
  const T* d2 = nullptr;
};

/// A search: who asks, and how far it looks.
template <class T>
struct DeviceSearch {
  const Tree::Impl& tree;
  const PointsView* queries = nullptr;  ///< null: the tree's own points
  bool exclude_self = false;
  T limit2 = 0;                ///< neighbors lie within; may be infinite
  const T* limits2 = nullptr;  ///< one per query index instead (radius alone)
};

/// Sets of linked points, in input order.
struct DeviceGroups {
  std::size_t min_size = 1;
  std::int32_t* label = nullptr;            ///< input_size of the tree
  std::int64_t* root = nullptr;             ///< the same, or null
  std::vector<std::uint32_t> size, lowest;  ///< of each group
};

/// The work of one device for one scalar type. Errors: unavailable, out_of_memory, too_large.
template <class T>
class DeviceCalls {
 public:
  virtual ~DeviceCalls() = default;

  /// A packed tree with the order and the bits of the CPU's; sets the facts (points, dimension,
  /// frame). Errors: non_finite, unless points may be dropped.
  virtual std::shared_ptr<const DeviceTree> build(const DeviceInput<T>& input, TreeData<T>& facts,
                                                  Workers& workers) = 0;

  /// Rows of k, in batches.
  virtual void knn(const DeviceSearch<T>& search, std::size_t k,
                   FunctionRef<void(const DeviceRows<T>&)> take, Workers& workers) = 0;

  /// Neighbors of each query within the limit: their number alone (`offset`), or all of them.
  virtual void radius(const DeviceSearch<T>& search, bool only_count,
                      FunctionRef<void(const DeviceRows<T>&)> take, Workers& workers) = 0;

  /// Friends of friends: points with d2 <= reach2 are linked.
  virtual void fof(const Tree::Impl& tree, T reach2, DeviceGroups& groups, Workers& workers) = 0;
};

/// All devices. Names are those of Execution::device.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual DeviceCalls<float>& float_calls(const char* call, const std::string& device) = 0;
  virtual DeviceCalls<double>& double_calls(const char* call, const std::string& device) = 0;
};

/// Called once by the library that has the devices, before the first call that uses one.
KITH_SHARED void set_device_backend(DeviceBackend* backend) noexcept;

/// Errors: unavailable if no library with devices is linked or it has no such device.
template <class T>
DeviceCalls<T>& device_calls(const char* call, const Execution& execution);

}  // namespace kith
