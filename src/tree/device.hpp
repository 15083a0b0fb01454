// The interface of a device to the core: plain data in, rows and labels out. kith_gpu implements it
// and registers itself; the core contains nothing else about devices.
//
// All decisions (options, limits, the linking length) are made on the host, which also takes the
// square root of every distance: a device delivers d2. The exception are rows that stay there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
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
  virtual void copy_to(const AnyTree::Impl& tree) const = 0;
};

/// Points for a packed tree.
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

/// A search: its queries and its limits.
template <class T>
struct DeviceSearch {
  const AnyTree::Impl& tree;
  const PointsView* queries = nullptr;  ///< null: the tree's own points, or those of query_tree
  bool exclude_self = false;
  T limit2 = 0;                               ///< neighbors lie within; may be infinite
  const T* limits2 = nullptr;                 ///< one per query index instead (radius alone)
  const AnyTree::Impl* query_tree = nullptr;  ///< other points in the frame of the tree
};

/// Where rows of neighbors go: arrays of the caller in the memory of the device.
template <class T>
struct RowsOnDevice {
  void* index = nullptr;  ///< or null
  bool is_long = false;   ///< indices of 64 bits
  T* distance = nullptr;  ///< or null
  std::size_t rows = 0;
  bool in_tree_order = false;
  T unscale = 1;  ///< from the tree's lengths to the caller's
};

/// Sets of linked points, in input order.
struct DeviceGroups {
  std::size_t min_size = 1;
  std::int32_t* label = nullptr;            ///< input_size of the tree
  std::int64_t* root = nullptr;             ///< the same, or null
  std::vector<std::uint32_t> size, lowest;  ///< of each group
};

/// Points with their masses, velocities and types, sorted by group or not yet.
struct DeviceMembers {
  PointsView position, velocity;  ///< velocity: without data if there is none
  ValuesView mass;
  std::span<const std::uint8_t> type;
  std::size_t types = 0;
  std::span<const double> side;          ///< of the box; 0 on open axes
  const std::uint32_t* order = nullptr;  ///< the points, by group, then by index; or instead
  const std::int32_t* label = nullptr;   ///< the group of each point, -1 without one
  std::span<const std::size_t> offset;   ///< where groups begin in that order; groups + 1 values
  std::size_t block = 0;                 ///< members that are summed in one go
};

/// The columns of the sums over a group; each is as in groups/sums.hpp.
struct SumColumns {
  std::size_t d, types, components;  ///< components: of the angular momentum

  static constexpr std::size_t kMass = 0, kWeight = 1, kPosition = 2;
  std::size_t velocity() const { return kPosition + d; }
  std::size_t lower() const { return kPosition + 2 * d; }
  std::size_t upper() const { return kPosition + 3 * d; }
  std::size_t type_mass() const { return kPosition + 4 * d; }
  std::size_t type_size() const { return type_mass() + types; }
  std::size_t sums() const { return type_size() + types; }

  static constexpr std::size_t kRadius2 = 0, kInertia = 1, kDispersion = 2, kTensor = 3;
  std::size_t angular_momentum() const { return kTensor + d * (d + 1) / 2; }
  std::size_t moments() const { return angular_momentum() + components; }
};

/// Sums of the groups [begin, end), one group after the other.
struct DeviceSumRows {
  std::size_t begin, end;
  const std::uint32_t* first;  ///< the member about which each group is unwrapped
  const double *sums, *moments;
};

/// Sums over the members of groups, in float64 and in the order that groups/sums.hpp fixes.
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;
  virtual void run(const DeviceMembers& members, const SumColumns& columns,
                   FunctionRef<void(const DeviceSumRows&)> take, Workers& workers) = 0;
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

  /// Whether the array is in the memory of the device. Errors: unavailable, if it is in that of
  /// another one.
  virtual bool has(const void* array) const = 0;

  /// Rows of k, all of them, with distances. Those that are not full end in -1 and infinity.
  virtual void knn_into(const DeviceSearch<T>& search, std::size_t k, const RowsOnDevice<T>& rows,
                        Workers& workers) = 0;

  /// Neighbors of each query within the limit: their number alone (`offset`), or all of them.
  virtual void radius(const DeviceSearch<T>& search, bool only_count,
                      FunctionRef<void(const DeviceRows<T>&)> take, Workers& workers) = 0;

  /// Friends of friends: points with d2 <= reach2 are linked.
  virtual void fof(const AnyTree::Impl& tree, T reach2, DeviceGroups& groups, Workers& workers) = 0;

  /// Friends of friends without labels: for every position, `parent` has the position of the first
  /// point of its set.
  virtual void join(const AnyTree::Impl& tree, T reach2, std::uint32_t* parent,
                    Workers& workers) = 0;
};

/// All devices. Names are those of Execution::device.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual DeviceCalls<float>& float_calls(const char* call, const std::string& device) = 0;
  virtual DeviceCalls<double>& double_calls(const char* call, const std::string& device) = 0;
  /// Null if the device has no float64.
  virtual DeviceSums* sums(const char* call, const std::string& device) = 0;
  /// The name of the device for a process, by its number among those of its machine.
  virtual std::string device_of(const char* call, std::size_t process) = 0;
};

/// Called once by the library that has the devices, before the first call that uses one.
KITH_SHARED void set_device_backend(DeviceBackend* backend) noexcept;

/// Errors: unavailable if no library with devices is linked or it has no such device.
template <class T>
KITH_SHARED DeviceCalls<T>& device_calls(const char* call, const Execution& execution);

/// One device for each of several processes on a machine: "gpu" becomes the name of one, other
/// names stay. Errors: unavailable if no library with devices is linked or it has no such device.
KITH_SHARED std::string device_of_process(const char* call, const std::string& device,
                                          std::size_t process);

/// Null on the CPU, and for a device without float64: then the host adds.
DeviceSums* sums_of_device(const char* call, const Execution& execution);

}  // namespace kith
