#include "mpi/split_bodies.hpp"

#include <bit>
#include <limits>

#include "base/checked_sort.hpp"
#include "mpi/mail.hpp"
#include "parallel/pieces.hpp"

namespace kith::mpi {
namespace {

/// A body on its way along the curve, as numbers: place, number in the group, mass, coordinates.
constexpr std::size_t kPlace = 0, kNumber = 1, kMass = 2, kAt = 3;

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

void sort_by_place(std::vector<const double*>& rows, const Workers& workers) {
  std::vector<std::pair<Key, const double*>> sorted;
  sorted.reserve(rows.size());
  for (const double* row : rows)
    sorted.emplace_back(Key{bits_of(row[kPlace])} << 64 | bits_of(row[kNumber]), row);
  checked_sort(sorted.begin(), sorted.end(), [&] { workers.check_cancelled(); });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = sorted[i].second;
}

}  // namespace

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
  for (std::size_t i = 0; i < pieces()[p].size(); ++i)
    for (std::size_t kind = 0; kind < (members_.is_chosen(p, i) ? 2u : 1u); ++kind) {
      ++counts[2 * kind];
      if (members_.mass(p, i) > 0) ++counts[2 * kind + 1];
      double *lower = bounds + 2 * kind * d(), *upper = lower + d();
      for (std::size_t axis = 0; axis < d(); ++axis) {
        lower[axis] = std::min(lower[axis], members_.row(p, i)[axis]);
        upper[axis] = std::min(upper[axis], -members_.row(p, i)[axis]);
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

/// Of each part, in the order of members.
void SplitBodies::find_bodies(const Workers& workers) {
  bodies_.resize(pieces().size());
  number_.resize(pieces().size());
  for (std::size_t p = 0; p < pieces().size(); ++p) {
    const BodyOutline& of = outline(p);
    Bodies& bodies = bodies_[p];
    for_pieces(workers, pieces()[p].size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (!of.has_chosen || members_.is_chosen(p, i))
          number_[p].push_back(pieces()[p].before + i);
      bodies.block_end.push_back(number_[p].size());
    });
    bodies.d = d();
    bodies.count = number_[p].size();
    bodies.x.resize(d() * bodies.count);
    for_each_in_order(workers, bodies.count, [&](std::size_t k) {
      const auto i = static_cast<std::size_t>(number_[p][k] - pieces()[p].before);
      bodies.mass.push_back(of.has_mass ? members_.mass(p, i) : 1.0);
      for (std::size_t axis = 0; axis < d(); ++axis)
        bodies.x[axis * bodies.count + k] = members_.row(p, i)[axis];
    });
  }
}

void SplitBodies::sort_along_curve() {
  std::vector<std::vector<Key>> keys;  // by group, ascending
  std::vector<std::span<const Key>> sets;
  std::vector<WantedKey> wanted;
  call_.phase([&](Workers& workers) {
    keys.resize(outline_.size());
    for (std::size_t p = 0; p < pieces().size(); ++p)
      keys[split_.set_of(pieces()[p])] = sorted_keys(p, workers);
    for (const auto& each : keys) sets.emplace_back(each);
    for (std::size_t set = 0; set < outline_.size(); ++set)
      for (const std::uint64_t begin : outline_[set].cuts.begin)
        if (begin > 0 && begin < outline_[set].cuts.bodies) wanted.push_back({set, begin});
  });
  const std::vector<Key> bounds = Selection<Key>(call_, sets, wanted).run();
  std::vector<double> rows;
  Runs out;
  call_.work([&](Workers&) {
    for (std::size_t p = 0; p < pieces().size(); ++p)
      add_rows(p, keys[split_.set_of(pieces()[p])], {wanted, bounds}, rows, out);
    keys.clear();
  });
  const Arrived arrived = call_.exchange(out, reinterpret_cast<const std::byte*>(rows.data()));
  call_.phase([&](Workers& workers) {
    rows = {};
    take_rows(rows_of<double>(arrived.bytes), workers);
  });
}

std::vector<Key> SplitBodies::sorted_keys(std::size_t p, const Workers& workers) const {
  const std::vector<std::uint64_t> place =
      curve_places(bodies_[p], outline(p).lower.data(), outline(p).upper.data(), workers);
  std::vector<Key> keys;
  keys.reserve(place.size());
  for (std::size_t k = 0; k < place.size(); ++k)
    keys.push_back(Key{place[k]} << 64 | number_[p][k]);
  checked_sort(keys.begin(), keys.end(), [&] { workers.check_cancelled(); });
  return keys;
}

/// Rows of a part, by the ranks of their places. Runs to this rank of both parts are one.
void SplitBodies::add_rows(std::size_t p, const std::vector<Key>& keys, const FoundBounds& bounds,
                           std::vector<double>& rows, Runs& out) const {
  const std::size_t set = split_.set_of(pieces()[p]);
  const CurveCuts& cuts = outline_[set].cuts;
  std::size_t bound = 0;  // the first of this group
  while (bound < bounds.wanted.size() && bounds.wanted[bound].set < set) ++bound;
  auto from = keys.begin();
  for (std::size_t part = 0; part + 1 < cuts.begin.size(); ++part) {
    const std::uint64_t end = cuts.begin[part + 1];
    auto to = end == 0 ? keys.begin() : keys.end();
    if (end > 0 && end < cuts.bodies) to = std::lower_bound(from, keys.end(), bounds.key[bound++]);
    add_bytes(cuts.owner + static_cast<int>(part),
              static_cast<std::size_t>(to - from) * (kAt + d()) * sizeof(double), out);
    for (; from != to; ++from) add_row(p, *from, rows);
  }
}

void SplitBodies::add_row(std::size_t p, Key key, std::vector<double>& rows) const {
  const auto number = static_cast<std::uint64_t>(key);
  const auto k = static_cast<std::size_t>(
      std::lower_bound(number_[p].begin(), number_[p].end(), number) - number_[p].begin());
  rows.push_back(std::bit_cast<double>(static_cast<std::uint64_t>(key >> 64)));
  rows.push_back(std::bit_cast<double>(number));
  rows.push_back(bodies_[p].mass[k]);
  for (std::size_t axis = 0; axis < d(); ++axis) rows.push_back(bodies_[p].at(k, axis));
}

/// Rows of the first part's group come from ranks up to this one, those of the own group from this
/// one on; of those that come from this rank, the first part's are before.
void SplitBodies::take_rows(std::span<const double> rows, const Workers& workers) {
  const std::size_t width = kAt + d();
  part_.resize(pieces().size());
  std::size_t at = 0;
  for (std::size_t p = 0; p < part_.size(); ++p) {
    const std::uint64_t begin = cuts(p).begin_of(call_.rank()),
                        end = cuts(p).begin_of(call_.rank() + 1);
    std::vector<const double*> order;
    for (std::uint64_t i = begin; i < end; ++i, at += width) order.push_back(&rows[at]);
    sort_by_place(order, workers);
    CurvePart& part = part_[p];
    part.first = static_cast<std::size_t>(begin / kBranch);
    part.count = range_count(static_cast<std::size_t>(end - begin), kBranch);
    for (const double* row : order) {
      part.number.push_back(bits_of(row[kNumber]));
      part.mass.push_back(row[kMass]);
      part.x.insert(part.x.end(), row + kAt, row + width);
    }
  }
}

}  // namespace kith::mpi
