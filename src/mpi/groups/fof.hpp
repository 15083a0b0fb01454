// Friends of friends over ranks, inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <kith/cells.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/mpi.hpp>
#include <kith/redshift_space.hpp>

#include "mpi/domains/domain.hpp"
#include "mpi/groups/groups_impl.hpp"

namespace kith::mpi {

/// The options that all ranks must pass alike.
void add_linking(SameOptions& same, const FofOptions& options);

/// Whether the options have the length of all pairs.
enum class Lengths { one, of_points };

/// Options and box, which all ranks must pass alike. A body of the call.
void agree_on_groups(Call& call, const Domains& domains, const FofOptions& options, RowOrder order,
                     Lengths lengths = Lengths::one);

/// Numbers that belong to the points, as the caller gave them.
struct PointValues {
  std::size_t width = 0;             ///< of each point
  std::span<const double> of_local;  ///< by local index

  const double* of(std::size_t local) const { return of_local.data() + local * width; }
};

/// A length for each point, the values of the job.
struct LengthsHere {
  bool are_given = false;  ///< on all ranks
  LengthRule rule = LengthRule::mean;
  double largest = 0;  ///< of all ranks, rounded to the scalar type
};

/// Atoms in a periodic cell of any shape. The values of the job are their positions as they were
/// given, in three coordinates, and their lengths, or 0.
struct CellHere {
  const AtomSystem& system;  ///< its lattice and its dimension
  const kith::cells::FofOptions& options;
  bool has_lengths = false;
  double largest = 0;  ///< length of all ranks
  double reach = 0;    ///< friends are at most this far apart, by the points of the domains
};

struct LinkingJob {
  const FofOptions& options;
  std::span<const std::uint64_t> classes = {};  ///< see fof_in_classes
  /// Of the caller, for a label of each point that this rank gave, all of which are still here; or
  /// none.
  std::span<std::int64_t> room = {};
  const RedshiftSpace* sight = nullptr;  ///< lines of sight to midpoints; null: none
  PointValues values = {};               ///< sent along with the points
  LengthsHere lengths = {};              ///< instead of the length of the options
  const CellHere* cell = nullptr;
};

/// Rows of groups, and labels: in the room, or by position. Collective.
void link(Call& call, const Domains::Impl& domains, const LinkingJob& job, Groups::Impl& out);

/// The same as groups, with labels in this order. Collective.
Groups linked_groups(Call& call, const Domains::Impl& domains, const LinkingJob& job,
                     RowOrder order);

/// The class of an index; classes begin at these indices, which ascend.
inline std::uint64_t class_of(std::span<const std::uint64_t> classes, std::uint64_t index) {
  return static_cast<std::uint64_t>(std::upper_bound(classes.begin(), classes.end(), index) -
                                    classes.begin());
}

/// Groups of points of several classes, of which no two are friends: labels by the class of the
/// lowest member, then by size as usual. Collective.
Groups fof_in_classes(const Domains& domains, const FofOptions& options, RowOrder order,
                      std::span<const std::uint64_t> classes, const Execution& execution);

}  // namespace kith::mpi
