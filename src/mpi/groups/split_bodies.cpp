#include "mpi/groups/split_bodies.hpp"

#include <bit>
#include <limits>

namespace kith::mpi {
void SplitBodies::find() {
  find_outlines();
  call_.phase([&](Workers& workers) { find_bodies(workers); });
  sort_along_curve();
}

void SplitBodies::find_outlines() {
  const std::size_t sets = split_.labels().size();
  std::vector<std::int64_t> counts;  // members; with mass; both again for the chosen ones
  std::vector<double> bounds;        // lower and -upper, of members and of the chosen ones
  call_.phase([&](Workers& workers) {
    counts.resize(sets * 4);
    bounds.resize(sets * 4 * d(), std::numeric_limits<double>::infinity());
    for (std::size_t p = 0; p < pieces().size(); ++p) {
      workers.check_cancelled();
      const std::size_t set = split_.set_of(pieces()[p]);
      measure(p, &counts[set * 4], &bounds[set * 4 * d()]);
    }
    outline_.resize(sets);
  });
  call_.communicator().sum(counts.data(), counts.size());
  call_.communicator().least(bounds.data(), bounds.size());
  call_.quick([&] {
    for (std::size_t set = 0; set < sets; ++set)
      outline_[set] = outlined(set, &counts[set * 4], &bounds[set * 4 * d()]);
  });
}

void SplitBodies::measure(std::size_t p, std::int64_t* counts, double* bounds) const {
  const MemberBlocks& blocks = team_.parts()[p];
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    const MemberBlock& block = blocks.block(b);
    for (std::size_t i = 0; i < block.size(); ++i)
      for (std::size_t kind = 0; kind < (team_.source().is_chosen(block.members[i]) ? 2u : 1u);
           ++kind) {
        ++counts[2 * kind];
        if (block.m[i] > 0) ++counts[2 * kind + 1];
        double *lower = bounds + 2 * kind * d(), *upper = lower + d();
        for (std::size_t axis = 0; axis < d(); ++axis) {
          lower[axis] = std::min(lower[axis], block.x[i * d() + axis]);
          upper[axis] = std::min(upper[axis], -block.x[i * d() + axis]);
        }
      }
  }
}

BodyOutline SplitBodies::outlined(std::size_t set, const std::int64_t* counts,
                                  const double* bounds) const {
  BodyOutline of;
  of.has_chosen = counts[2] > 0;
  const std::size_t kind = of.has_chosen ? 1 : 0;
  of.has_mass = counts[2 * kind + 1] > 0;
  const double *lower = bounds + 2 * kind * d(), *upper = lower + d();
  of.lower.assign(lower, upper);
  for (std::size_t axis = 0; axis < d(); ++axis) of.upper.push_back(-upper[axis]);
  CurveCuts& cuts = of.cuts;
  cuts.bodies = static_cast<std::uint64_t>(counts[2 * kind]);
  cuts.owner = split_.owners()[set];
  std::uint64_t parts = 1;
  for (const WantedKey& cut : split_.wanted()) parts += cut.set == set ? 1 : 0;
  cuts.begin.assign(parts + 1, cuts.bodies);
  cuts.begin.front() = 0;
  for (std::uint64_t part = 1; part < parts && !cuts.is_small(); ++part)
    cuts.begin[part] = cuts.bodies * part / parts / kBranch * kBranch;
  return of;
}

void SplitBodies::find_bodies(const Workers& workers) {
  for (std::size_t p = 0; p < pieces().size(); ++p) {
    const Chosen chosen = outline(p).has_chosen ? Chosen::by_type : Chosen::all;
    Bodies& bodies =
        bodies_.emplace_back(bodies_of(team_.source(), team_.parts()[p], chosen, workers));
    if (!outline(p).has_mass) bodies.weigh_equally();
    for (std::uint64_t& number : bodies.number) number += pieces()[p].before;
  }
}

void SplitBodies::sort_along_curve() {
  KeyedRows rows;
  RowCuts cuts;
  call_.work([&](Workers& workers) {
    rows = curve_rows(workers);
    for (const BodyOutline& of : outline_) cuts.push_back(of.cuts.begin);
  });
  sort_rows(call_, split_, cuts, rows);
  call_.phase([&](Workers&) {
    for (std::size_t p = 0; p < pieces().size(); ++p) part_.push_back(part_of(p, rows));
  });
}

/// Bodies by their place on the curve and number in the group, with mass and coordinates.
KeyedRows SplitBodies::curve_rows(const Workers& workers) const {
  KeyedRows rows{3 + d(), PieceRows(pieces().size())};
  for (std::size_t p = 0; p < pieces().size(); ++p) {
    const Bodies& bodies = bodies_[p];
    const std::vector<std::uint64_t> place =
        curve_places(bodies, outline(p).lower.data(), outline(p).upper.data(), workers);
    for_each_in_order(workers, bodies.count, [&](std::size_t i) {
      rows.add(p, place[i], bodies.number[i]);
      rows.values[p].push_back(bodies.mass[i]);
      for (std::size_t axis = 0; axis < d(); ++axis) rows.values[p].push_back(bodies.at(i, axis));
    });
  }
  return rows;
}

CurvePart SplitBodies::part_of(std::size_t p, const KeyedRows& rows) const {
  const std::uint64_t begin = cuts(p).begin_of(call_.rank());
  CurvePart part{.first = static_cast<std::size_t>(begin / kBranch),
                 .count = range_count(rows.count(p), kBranch)};
  for (const double *row = rows.values[p].data(), *end = row + rows.values[p].size(); row != end;
       row += rows.width) {
    part.number.push_back(std::bit_cast<std::uint64_t>(row[1]));
    part.mass.push_back(row[2]);
    part.x.insert(part.x.end(), row + 3, row + rows.width);
  }
  return part;
}

}  // namespace kith::mpi
