#include "mpi/groups/split_groups.hpp"

#include <algorithm>

#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

std::vector<double> flat(const PieceRows& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

}  // namespace

void list_cuts(const GroupCuts& cuts, std::vector<std::uint64_t>& labels,
               std::vector<WantedKey>& wanted) {
  for (const GroupCut& cut : cuts.cut) {
    if (!cut.is_inside()) continue;
    if (labels.empty() || labels.back() != cut.label) labels.push_back(cut.label);
    wanted.push_back({labels.size() - 1, cut.before});
  }
}

SplitGroups::SplitGroups(Call& call, const GroupCuts& cuts, const std::vector<std::size_t>& offset,
                         std::size_t count)
    : call_(call) {
  call.quick([&] {
    list_cuts(cuts, labels_, wanted_);
    for (const std::uint64_t label : labels_) owners_.push_back(cuts.owner(label));
    find_pieces(cuts, offset, count);
  });
}

void SplitGroups::find_pieces(const GroupCuts& cuts, const std::vector<std::size_t>& offset,
                              std::size_t count) {
  const GroupCut &first = cuts.of(call_.rank()), &next = cuts.of(call_.rank() + 1);
  const auto add = [&](std::uint64_t label, std::uint64_t before, std::size_t begin,
                       std::size_t end) {
    pieces_.push_back({label, before, cuts.owner(label), cuts.last(label), begin, end});
  };
  whole_begin_ = offset.front();
  whole_end_ = count;
  whole_groups_ = offset.size() - 1;
  if (first.is_inside()) add(first.label, first.before, 0, offset.front());
  if (!next.is_inside() || cuts.owner(next.label) != call_.rank()) return;
  whole_end_ = offset[--whole_groups_];
  add(next.label, 0, whole_end_, count);
}

std::size_t SplitGroups::set_of(const GroupPiece& piece) const {
  return static_cast<std::size_t>(std::lower_bound(labels_.begin(), labels_.end(), piece.label) -
                                  labels_.begin());
}

SplitGroups::Gathered SplitGroups::to_owner(const PieceRows& rows) const {
  Runs out;
  std::vector<double> values;
  call_.prepare([&] {
    for (std::size_t p = 0; p < rows.size(); ++p)
      if (!rows[p].empty()) out.add(pieces_[p].owner, rows[p].size());
    values = flat(rows);
  });
  const Received<double> arrived = call_.exchange(out, values.data());
  Gathered gathered;
  call_.prepare([&] {
    if (!is_owner()) return;
    gathered.values.assign(arrived.all().begin(), arrived.all().end());
    gathered.offset.assign(static_cast<std::size_t>(own().last - own().owner) + 2, 0);
    for (std::size_t i = 0; i < arrived.runs.size(); ++i)
      gathered.offset[static_cast<std::size_t>(arrived.runs.rank[i] - own().owner) + 1] =
          arrived.runs.length(i);
    for (std::size_t i = 1; i < gathered.offset.size(); ++i)
      gathered.offset[i] += gathered.offset[i - 1];
  });
  return gathered;
}

PieceRows SplitGroups::to_parts(const PieceRows& rows, bool* has_values) const {
  Runs out;
  std::vector<double> values;
  call_.prepare([&] {
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].empty()) out.add(own().owner + static_cast<int>(i), rows[i].size());
    values = flat(rows);
  });
  const Received<double> arrived = call_.exchange(out, values.data());
  if (has_values) *has_values = !arrived.is_empty_everywhere;
  PieceRows parts;
  call_.prepare([&] {
    parts.resize(pieces_.size());
    for (std::size_t i = 0; i < arrived.runs.size(); ++i)
      for (std::size_t p = 0; p < pieces_.size(); ++p)
        if (pieces_[p].owner == arrived.runs.rank[i])
          parts[p].assign(arrived.run(i).begin(), arrived.run(i).end());
  });
  return parts;
}

PieceRows SplitGroups::to_all_parts(const std::vector<double>& row, bool* has_values) const {
  PieceRows rows;
  call_.prepare([&] {
    if (is_owner()) rows.assign(static_cast<std::size_t>(own().last - own().owner) + 1, row);
  });
  return to_parts(rows, has_values);
}

}  // namespace kith::mpi
