// Where orphans are: the particles of vanished halos, in the snapshots of catalogues.
#pragma once

#include <span>
#include <vector>

#include <kith/detail/ranks.hpp>
#include <kith/io/halo_members.hpp>

namespace kith::io {

/// The properties of orphans, snapshot after snapshot.
class OrphanColumns {
 public:
  OrphanColumns(Ranks* ranks, const Execution& execution) : ranks_(ranks), execution_(execution) {}

  /// The orphans of the next snapshot: their particles, and the labels of their hosts.
  void add(const HaloMembers& halos, std::span<const std::uint64_t> ids,
           std::span<const std::int32_t> hosts);

  /// Adds their rows to those of all halos. They have no mass; what else is unknown is 0.
  void append_to(HaloColumns& columns, std::size_t halos) &&;

 private:
  void add_group(const HaloMembers& halos, std::span<const std::int32_t> hosts);
  void add_places(const HaloMembers& halos, std::span<const std::uint64_t> ids);

  Ranks* ranks_;
  const Execution& execution_;
  std::vector<std::uint64_t> id_;
  std::vector<std::int64_t> group_;
  std::vector<double> position_, velocity_;
};

}  // namespace kith::io
