// Interaction lists of receivers of 64 queries, made on a device for a batch of receivers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/packed_tree.hpp"

namespace kith::gpu {

/// For each receiver the run source[first, first + size) of nodes of plane 1, and the least
/// distance of each. There may be gaps between the runs.
template <class T>
struct Lists {
  Ulongs first;
  Uints size, source;
  Buffer<T> lower;
};

template <class T>
struct WalkGoal {
  std::size_t k = 0;  ///< as many points must be certain within the bound; 0: limits alone
  T limit2 = 0;
  const Buffer<T>* limits2 = nullptr;  ///< one per query index
  bool has_reach = false;              ///< of receivers, see Walk::reach
};

template <class T>
class Walk {
 public:
  Walk(const PackedTree<T>& receivers, const PackedTree<T>& sources, const Buffer<T>& sides,
       const WalkGoal<T>& goal);

  /// Receivers of the batch: nodes of plane 1.
  std::uint32_t receivers() const { return receivers_.plane(1).nodes; }

  /// The search radius of each receiver, if the goal sets it: written by the caller for a batch,
  /// before lift_reach and run.
  Buffer<T>& reach() { return reach_; }
  /// From the receivers [begin, end) to the nodes above.
  void lift_reach(std::uint32_t begin, std::uint32_t end);

  /// Lists of the receivers [begin, end); nothing if they would take more than `room` bytes.
  std::optional<Lists<T>> run(std::uint32_t begin, std::uint32_t end, std::size_t room) const;

 private:
  struct Level;
  bool step(std::uint32_t begin, std::uint32_t end, std::size_t room, Level& level) const;
  void make_reach();
  bool has_reach() const { return goal_.limits2 || goal_.has_reach; }

  const PackedTree<T>&receivers_, &sources_;
  const Buffer<T>& sides_;
  WalkGoal<T> goal_;
  OpenDevice& device_;
  Buffer<T> reach_;  // per plane from 1 on
  std::vector<std::uint64_t> reach_at_;
};

}  // namespace kith::gpu
