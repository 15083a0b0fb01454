// Subhalos of point sets larger than memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/io/stored_points.hpp>
#include <kith/subhalos.hpp>

namespace kith {

/// Subhalos of stored groups, exactly as subhalos in memory. Copies share a result.
class KITH_API StoredSubhalos {
 public:
  /// All but the members: `members` and `by_binding` are empty; `most_bound` are indices of points.
  const Subhalos& rows() const;
  /// [subhalo * parts + part]: members of each subhalo among the points of type number `part`.
  std::span<const std::int64_t> type_sizes() const;
  /// Of bound subhalos, the ids of the most bound members, if the points have ids.
  std::span<const std::uint64_t> most_bound_ids() const;

  /// The subhalos of the points from `begin` on; -1: none.
  void read_labels(std::uint64_t begin, std::span<std::int32_t> out) const;
  /// As StoredCatalogue::read_order, but inside a group by subhalo, the rest of the group last.
  /// Members of bound subhalos are in the order of binding, others ascend.
  void read_order(std::size_t part, std::uint64_t begin, std::span<std::uint64_t> out) const;
  /// Ids of the members of groups in the same order, if the points have ids.
  void read_member_ids(std::uint64_t begin, std::span<std::uint64_t> out) const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit StoredSubhalos(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Options as those of subhalos in memory, less the columns: velocities and masses are those of the
/// points; `mass` may give the same mass for all; `type_numbers` as for the catalogue. Members are
/// brought together on disk, and some whole groups at a time are searched in memory. All groups
/// must fit: about 400 bytes for each member; the rows of all subhalos stay there. Errors: those of
/// subhalos and DiskOptions; out_of_memory, before the search begins, for a group that does not
/// fit, with the bytes that would do; thermal energies for each point are refused.
KITH_API StoredSubhalos subhalos(const StoredPoints& points, const StoredGroups& groups,
                                 const SubhaloOptions& options, std::span<const int> type_numbers,
                                 const DiskOptions& disk, const Execution& execution = {});

}  // namespace kith
