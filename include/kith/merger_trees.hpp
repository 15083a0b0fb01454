// Halos through time: descendants, merger trees, and questions to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/match.hpp>

namespace kith {

struct LinkOptions {
  MatchOptions match = {};
  int reach = 3;  ///< most snapshots from a halo to its descendant; 1: none is skipped
};

/// Descendants of the halos of consecutive snapshots. Halos are numbered snapshot after snapshot:
/// halo h of snapshot s is number first[s] + h.
///
/// A link is mutual if each halo is the best match of the other (kith::match) and no halo of a
/// snapshot in between has a mutual link to the same descendant. The descendant of a halo is that
/// of its mutual link to the nearest snapshot which has one. A halo without a mutual link has
/// merged: its descendant is its best match in the nearest snapshot in which it has a match.
struct KITH_API HaloLinks {
  std::vector<std::int64_t> first = {0};  ///< snapshot s has the halos [first[s], first[s + 1])
  std::vector<std::int64_t> descendant = {};
  std::vector<std::int64_t> second = {};  ///< second best match in the descendant's snapshot, or -1
  std::vector<double> score = {}, second_score = {};
  std::vector<std::uint8_t> is_mutual = {};
  /// The link is mutual and skips snapshots in which the halo was part of another one.
  std::vector<std::uint8_t> is_flyby = {};
  std::vector<std::int64_t> progenitor = {};  ///< best match in the snapshot before, or -1
  // With orphans, see OrphanFollower; else empty.
  std::vector<std::uint8_t> is_orphan = {};
  std::vector<std::int64_t> host = {};

  std::size_t snapshots() const { return first.size() - 1; }
  std::size_t size() const { return descendant.size(); }
};

namespace histories {
class HaloMatcher;
}

/// Links snapshots that are added one after the other, in order of time. It keeps the IDs of
/// `reach` snapshots, 20 bytes per member, and of the one that is added.
class KITH_API HaloLinker {
 public:
  explicit HaloLinker(const LinkOptions& options = {});
  /// For kith::mpi::halo_linker: with another way to match.
  HaloLinker(const LinkOptions& options, std::unique_ptr<histories::HaloMatcher> matcher);
  /// Continues links that were made before with the same options: `latest` are the halos of
  /// their last `reach` snapshots, or of all if there are fewer.
  HaloLinker(const LinkOptions& options, HaloLinks links, std::span<const LabeledIds> latest,
             const Execution& execution = {});
  /// The same for a linker to which nothing was added.
  void resume(HaloLinks links, std::span<const LabeledIds> latest, const Execution& execution = {});
  HaloLinker(HaloLinker&&) noexcept;
  HaloLinker& operator=(HaloLinker&&) noexcept;
  ~HaloLinker();

  /// Errors: those of kith::match, and invalid_argument for a reach below 1.
  void add(const LabeledIds& halos, const Execution& execution = {});
  const HaloLinks& links() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Which progenitor is the main one, and comes first. Equal ones are ordered by snapshot, the
/// latest first, then by label.
enum class MainBranch {
  history,  ///< the one with the most members, added along its main branch
  score,    ///< the one with a mutual link, then the one with the largest score
};
KITH_API const char* name(MainBranch rule);  ///< "history"

/// Merger trees. Rows are halos in depth-first order: after a halo comes its main progenitor with
/// all progenitors of that one, then the next progenitor. So the progenitors of row i, with itself,
/// are the rows [i, last_progenitor[i]], and its main branch is [i, main_leaf[i]]. Trees begin with
/// the halos that have no descendant, the latest snapshot first, then by label. -1: there is none.
struct KITH_API MergerTrees {
  std::size_t snapshots = 0;
  std::vector<std::int32_t> snapshot = {}, label = {};
  std::vector<std::int64_t> members = {};
  std::vector<std::int64_t> descendant = {};
  std::vector<std::int64_t> first_progenitor = {};  ///< the main one
  std::vector<std::int64_t> next_progenitor = {};   ///< of the same descendant
  std::vector<std::int64_t> last_progenitor = {};   ///< the row where all progenitors end
  std::vector<std::int64_t> main_leaf = {};         ///< the row where the main branch ends
  std::vector<std::int64_t> root = {};              ///< the first row of the tree
  std::vector<std::int64_t> second = {}, best_progenitor = {};  ///< as in HaloLinks
  std::vector<double> score = {}, second_score = {};
  std::vector<std::uint8_t> is_mutual = {}, is_flyby = {};
  /// The main progenitor is in the snapshot before, but another halo there matches better: two
  /// halos have exchanged their members, or mass grew by a merger with a larger halo.
  std::vector<std::uint8_t> is_swap = {};
  std::vector<std::int64_t> roots = {};  ///< the first rows of the trees
  /// An orphan, see OrphanFollower; empty without any.
  std::vector<std::uint8_t> is_orphan = {};
  /// Of an orphan, the halo that has its particle; of a halo that vanishes, the halo that it has
  /// merged with. Empty without orphans.
  std::vector<std::int64_t> host = {};

  std::size_t size() const { return snapshot.size(); }
  /// 1 - second_score / score of the link to the descendant; 0 without one.
  double margin(std::size_t row) const;
  /// The halo that a row was linked to: its descendant or, where it vanishes and an orphan follows,
  /// its host; -1 for orphans and where there is none.
  std::int64_t linked_to(std::size_t row) const;
};

/// Arranges halos with `members[i]` members in trees. Errors: invalid_argument for arrays of
/// different lengths and descendants that are not in a later snapshot.
KITH_API MergerTrees merger_trees(const HaloLinks& links, std::span<const std::int64_t> members,
                                  MainBranch rule = MainBranch::history,
                                  const Execution& execution = {});

/// Combines numbers of ranks among which the members of a snapshot are divided, in place; empty for
/// one process.
struct HaloRanks {
  int rank = 0;
  std::function<void(std::span<std::int64_t>)> sum = nullptr, least = nullptr;
};

/// Follows halos that vanish by their most bound members.
///
/// A halo vanishes if it is not the main progenitor of its descendant, or if it has none in spite
/// of later snapshots. In each later snapshot it has an orphan: the particle that was its first
/// member. The host of the orphan is the halo that has the particle as a member; of several, the
/// one with the fewest members, then the lowest label. The orphan of the next snapshot is the
/// descendant of the halo or orphan before; the halo's own descendant becomes its host, and keeps
/// the score of the link. So every branch ends in the last snapshot, and no other link changes.
///
/// Orphans have one member. They are numbered behind the halos of their snapshot, in the order of
/// the halos that they were.
class KITH_API OrphanFollower {
 public:
  /// Links of all snapshots, which are then added once more. Errors: as merger_trees.
  OrphanFollower(const HaloLinks& links, std::span<const std::int64_t> members,
                 MainBranch rule = MainBranch::history, const Execution& execution = {},
                 HaloRanks ranks = {});
  OrphanFollower(OrphanFollower&&) noexcept;
  OrphanFollower& operator=(OrphanFollower&&) noexcept;
  ~OrphanFollower();

  /// The next snapshot, as it was linked. Errors: invalid_argument if it has other halos.
  void add(const LabeledIds& halos, const Execution& execution = {});
  /// The particles of the orphans in that snapshot.
  std::span<const std::uint64_t> ids() const;
  /// The labels of their hosts, or -1.
  std::span<const std::int32_t> hosts() const;

  /// Halos and orphans, for merger_trees. All snapshots have been added.
  HaloLinks links() const;
  std::vector<std::int64_t> members() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Of each halo that merges, the largest mass on its main branch over the largest mass on the main
/// branch that it merges with; 0 for main progenitors and halos without a descendant.
KITH_API std::vector<double> merger_ratios(const MergerTrees& trees, std::span<const double> mass);

/// The earliest row on the main branch of `row` that has at least half of its mass.
KITH_API std::int64_t half_mass_row(const MergerTrees& trees, std::span<const double> mass,
                                    std::int64_t row);

/// The latest row on the main branch of `row` with a merger of at least this ratio; -1: none.
KITH_API std::int64_t last_merger_row(const MergerTrees& trees, std::span<const double> ratios,
                                      std::int64_t row, double least = 0.25);

}  // namespace kith
