#include "mpi/groups/rank_team.hpp"

namespace kith::mpi {

void RankTeam::begin() {
  std::vector<double> origin;
  PieceRows sizes;
  call_.prepare([&] {
    if (split_.is_owner()) origin = from_.at(first_row());
    for (const GroupPiece& piece : pieces()) sizes.push_back({static_cast<double>(piece.size())});
  });
  const PieceRows origins = split_.to_all_parts(origin);
  for (const double size : split_.to_owner(sizes).values) size_ += static_cast<std::size_t>(size);
  call_.phase([&](Workers&) {
    list_cuts();
    parts_.reserve(pieces().size());
    rows_.resize(pieces().size());
    for (std::size_t p = 0; p < pieces().size(); ++p) {
      rows_[p].resize(pieces()[p].size());
      std::iota(rows_[p].begin(), rows_[p].end(), static_cast<std::uint32_t>(pieces()[p].begin));
      parts_.emplace_back(from_, rows_[p], origins[p]);
    }
  });
}

void RankTeam::keep_blocks() {
  call_.phase([&](Workers& workers) {
    for (MemberBlocks& part : parts_) part.keep(workers);
  });
}

/// Where the total is not known here, nothing depends on it.
void RankTeam::list_cuts() {
  member_cuts_.assign(split_.labels().size(), {0});
  for (const WantedKey& cut : split_.wanted()) member_cuts_[cut.set].push_back(cut.below);
  for (auto& cuts : member_cuts_) cuts.push_back(~std::uint64_t{0});
  for (const GroupPiece& piece : pieces())
    if (piece.last == call_.rank())
      member_cuts_[split_.set_of(piece)].back() = piece.before + piece.size();
}

}  // namespace kith::mpi
