#include "merger_files/orphan_columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "merger_files/history_columns.hpp"
#include "merger_files/members_reader.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

/// Three numbers for each particle with one of some IDs; 0 for particles of other parts.
struct Places {
  std::vector<double> position, velocity;
  std::vector<std::int64_t> found;  ///< how often

  explicit Places(std::size_t n) : position(3 * n), velocity(3 * n), found(n) {}
};

/// A particle that was found: its row, and its place in the list.
struct Hit {
  std::uint64_t row;
  std::size_t k;
};

/// Reads a field for particles that are found between the first and the last row.
void read_rows(const Snapshot& snapshot, Field field, const std::vector<int>& types,
               const std::vector<Hit>& hits, const Execution& execution, std::vector<double>& to) {
  const std::uint64_t first = hits.front().row, last = hits.back().row;
  std::vector<double> rows(3 * (last - first + 1));
  snapshot.read(field, first, std::span<double>(rows), types, execution);
  for (const Hit& hit : hits)
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(3 * (hit.row - first)), 3,
                to.begin() + static_cast<std::ptrdiff_t>(3 * hit.k));
}

using RowsOfIds = std::unordered_map<std::uint64_t, std::vector<std::size_t>>;

/// Looks for particles in the part of a snapshot that this process reads.
Places places_of(const HaloMembers& halos, std::span<const std::uint64_t> ids,
                 const HaloMembersOptions& part_of, const Execution& execution) {
  Places places(ids.size());
  RowsOfIds wanted;
  for (std::size_t k = 0; k < ids.size(); ++k) wanted[ids[k]].push_back(k);
  const Snapshot snapshot(halos.snapshot, {}, execution);
  if (snapshot.info().dimension != 3 || !snapshot.has(Field::id, halos.types)) return places;
  const PartOfRows part(snapshot.size(halos.types), part_of);
  std::vector<std::uint64_t> id;
  for (std::uint64_t begin = 0; begin < part.count; begin += kPiece) {
    id.resize(std::min(kPiece, part.count - begin));
    snapshot.read_id(part.begin + begin, id, halos.types, execution);
    std::vector<Hit> hits;
    for (std::size_t row = 0; row < id.size(); ++row)
      if (const auto found = wanted.find(id[row]); found != wanted.end())
        for (const std::size_t k : found->second) {
          hits.push_back({part.begin + begin + row, k});
          ++places.found[k];
        }
    if (hits.empty()) continue;
    read_rows(snapshot, Field::position, halos.types, hits, execution, places.position);
    if (snapshot.has(Field::velocity, halos.types))
      read_rows(snapshot, Field::velocity, halos.types, hits, execution, places.velocity);
  }
  for (double& v : places.velocity) v *= snapshot.info().velocity_factor;
  return places;
}

/// One rank has each number, the others have 0: their bits are added.
void sum_of_ranks(Ranks& ranks, std::vector<double>& values) {
  std::vector<std::int64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) bits.push_back(std::bit_cast<std::int64_t>(value));
  ranks.sum(bits);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<double>(bits[i]);
}

}  // namespace

void OrphanColumns::add(const HaloMembers& halos, std::span<const std::uint64_t> ids,
                        std::span<const std::int32_t> hosts) {
  id_.insert(id_.end(), ids.begin(), ids.end());
  add_group(halos, hosts);
  add_places(halos, ids);
}

void OrphanColumns::add_group(const HaloMembers& halos, std::span<const std::int32_t> hosts) {
  for (const std::int32_t host : hosts)
    group_.push_back(host < 0 || halos.columns.group.empty()
                         ? -1
                         : halos.columns.group[static_cast<std::size_t>(host)]);
}

void OrphanColumns::add_places(const HaloMembers& halos, std::span<const std::uint64_t> ids) {
  Places places(ids.size());
  const auto look = [&] {
    HaloMembersOptions part;
    if (ranks_) part.part = static_cast<std::uint64_t>(ranks_->rank());
    if (ranks_) part.parts = static_cast<std::uint64_t>(ranks_->size());
    if (!ids.empty() && !halos.snapshot.empty()) places = places_of(halos, ids, part, execution_);
  };
  if (ranks_) {
    ranks_->on_all_ranks(look);
    ranks_->sum(places.found);
    sum_of_ranks(*ranks_, places.position);
    sum_of_ranks(*ranks_, places.velocity);
  } else {
    look();
  }
  for (std::size_t k = 0; k < ids.size(); ++k)
    if (places.found[k] != 1)  // missing, or an ID that several particles have
      for (std::size_t axis = 0; axis < 3; ++axis)
        places.position[3 * k + axis] = places.velocity[3 * k + axis] = std::nan("");
  position_.insert(position_.end(), places.position.begin(), places.position.end());
  velocity_.insert(velocity_.end(), places.velocity.begin(), places.velocity.end());
}

void OrphanColumns::append_to(HaloColumns& columns, std::size_t halos) && {
  HaloColumns rows{.position = std::move(position_),
                   .velocity = std::move(velocity_),
                   .most_bound_id = id_,
                   .group = std::move(group_)};
  for_each_column(rows, [&](const char*, auto& column, std::size_t width) {
    if (column.empty()) column.resize(id_.size() * width);
  });
  append(columns, halos, std::move(rows), id_.size());
}

}  // namespace kith::io
