// Members of groups that lie on several ranks, with their places about the first member.
#pragma once

#include <optional>
#include <vector>

#include <kith/centers.hpp>

#include "groups/sums.hpp"
#include "mpi/group_columns.hpp"

namespace kith::mpi {

class SplitMembers {
 public:
  /// `options`: box, types and softening. Collective.
  SplitMembers(Call& call, const GroupColumns& columns, const SplitGroups& split,
               const CenterOptions& options)
      : call_(call),
        columns_(columns),
        split_(split),
        options_(options),
        scaled_(columns.scaled(options.box)) {}

  /// Reads what belongs to them. Collective.
  void read();

  const SplitGroups& split() const { return split_; }
  const std::vector<GroupPiece>& pieces() const { return split_.pieces(); }
  const CenterOptions& options() const { return options_; }
  std::size_t d() const { return from_->d; }

  // Member i of part p.
  const double* row(std::size_t p, std::size_t i) const { return &rows_[p][i * d()]; }
  double mass(std::size_t p, std::size_t i) const { return from_->mass(pieces()[p].begin + i); }
  bool is_chosen(std::size_t p, std::size_t i) const {
    return options_.types.empty() || is_chosen_[from_->type[pieces()[p].begin + i]];
  }

  /// Where the group that this rank owns is, from a place about its first member.
  std::vector<double> placed(const std::vector<double>& middle) const;

 private:
  void put_rows(const Workers& workers);

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  CenterOptions options_;   ///< in the scale of the columns
  PropertyColumns scaled_;  ///< positions and masses
  std::optional<Source> from_;
  std::vector<bool> is_chosen_;  ///< by type
  std::vector<double> own_;      ///< the first member of the group that this rank owns
  PieceRows origin_, rows_;      ///< of each part
};

}  // namespace kith::mpi
