// Groups that lie on several ranks. The rank of the first member owns such a group: sums of the
// parts go to it in the order of members, and what it makes of them comes back. A rank owns at most
// one, the last that begins there, and may have a part of another at its beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/domains/key_selection.hpp"
#include "mpi/groups/members.hpp"

namespace kith::mpi {

/// The part of a split group that a rank has.
struct GroupPiece {
  std::uint64_t label = 0;
  std::uint64_t before = 0;        ///< members on the ranks before
  int owner = 0, last = 0;         ///< of the ranks that have parts
  std::size_t begin = 0, end = 0;  ///< among the members of this rank

  std::size_t size() const { return end - begin; }
};

/// A number of values for each part here, in the order of pieces().
using PieceRows = std::vector<std::vector<double>>;

class SplitGroups {
 public:
  /// `count`: members of this rank.
  SplitGroups(Call& call, const GroupCuts& cuts, const std::vector<std::size_t>& offset,
              std::size_t count);

  /// On any rank; the same on all.
  bool any() const { return !labels_.empty(); }
  const std::vector<GroupPiece>& pieces() const { return pieces_; }
  bool is_owner() const { return !pieces_.empty() && pieces_.back().owner == call_.rank(); }
  const GroupPiece& own() const { return pieces_.back(); }  ///< if is_owner()

  // Members and groups that are here as a whole.
  std::size_t whole_begin() const { return whole_begin_; }
  std::size_t whole_end() const { return whole_end_; }
  std::size_t whole_groups() const { return whole_groups_; }

  /// The values of all parts, in order, on the owner.
  struct Gathered {
    std::vector<double> values;
    std::vector<std::size_t> offset;  ///< of each rank from the owner to the last
  };
  Gathered to_owner(const PieceRows& rows) const;
  /// Values for each rank from the owner to the last; returns those for the parts of this rank.
  /// `has_values`: some owner had values.
  PieceRows to_parts(const PieceRows& rows, bool* has_values = nullptr) const;
  /// The same values for all.
  PieceRows to_all_parts(const std::vector<double>& row, bool* has_values = nullptr) const;

  /// Of all split groups, and where they are cut: ranks in order.
  const std::vector<std::uint64_t>& labels() const { return labels_; }
  const std::vector<WantedKey>& wanted() const { return wanted_; }
  const std::vector<int>& owners() const { return owners_; }
  /// The place of a part's group among labels().
  std::size_t set_of(const GroupPiece& piece) const;

 private:
  void find_pieces(const GroupCuts& cuts, const std::vector<std::size_t>& offset,
                   std::size_t count);

  Call& call_;
  std::vector<std::uint64_t> labels_;
  std::vector<WantedKey> wanted_;
  std::vector<int> owners_;
  std::vector<GroupPiece> pieces_;
  std::size_t whole_begin_ = 0, whole_end_ = 0, whole_groups_ = 0;
};

/// Labels of the groups that are cut, and the cuts; the same on all ranks.
void list_cuts(const GroupCuts& cuts, std::vector<std::uint64_t>& labels,
               std::vector<WantedKey>& wanted);

}  // namespace kith::mpi
