#include "mpi/domains/edge_search.hpp"

#include <algorithm>

#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

// Bits of a key that a round of the first or a later level looks at.
constexpr int kFirstBits = 12, kLaterBits = 8;

/// The sums before each bin, and that of all.
std::vector<std::uint64_t> sums_before(const std::int64_t* counts, std::size_t bins,
                                       std::uint64_t first) {
  std::vector<std::uint64_t> below(bins + 1, first);
  for (std::size_t i = 0; i < bins; ++i)
    below[i + 1] = below[i] + static_cast<std::uint64_t>(counts[i]);
  return below;
}

}  // namespace

std::uint32_t Section::edges_before(std::uint64_t key) const {
  // Edges ascend by key.
  const auto is_after = [&](const RankEdge& edge) {
    return edge.is_inside ? key > edge.key : key >= edge.key;
  };
  return static_cast<std::uint32_t>(std::partition_point(edges.begin(), edges.end(), is_after) -
                                    edges.begin());
}

void EdgeSearch::begin(const std::vector<Section>& sections, bool is_first) {
  is_first_ = is_first;
  cells_.clear();
  for (std::size_t s = 0; s < sections.size(); ++s)
    if (const std::size_t edges = sections[s].edges.size(); edges > 0)
      cells_.push_back({s, 0, sections[s].bits, 0, 0, edges});
  place_counts();
}

void EdgeSearch::run(std::vector<Section>& sections, const SectionKeys& keys) {
  while (!cells_.empty()) {
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "count keys", keys.count);
      count(sections, keys, workers);
    });
    call_.communicator().sum(counts_.data(), counts_.size());
    call_.quick([&] { open_cells(sections); });
  }
}

// ---- counting

void EdgeSearch::place_counts() {
  std::size_t total = 0;
  for (KeyCell& cell : cells_) {
    cell.step = static_cast<std::size_t>(std::min(cell.shift, is_first_ ? kFirstBits : kLaterBits));
    cell.counts = total;
    total += std::size_t{1} << cell.step;
  }
  counts_.assign(rule_.has_units ? 2 * total : total, 0);
}

void EdgeSearch::count(const std::vector<Section>& sections, const SectionKeys& keys,
                       Workers& workers) {
  for (std::size_t begin = 0; begin < cells_.size();) {
    std::size_t end = begin;
    while (end < cells_.size() && cells_[end].section == cells_[begin].section) ++end;
    count_section(sections[cells_[begin].section], keys, begin, end, workers);
    begin = end;
  }
}

/// Cells [first, last), those of one section. Ranges are few, since each has separate counts.
void EdgeSearch::count_section(const Section& section, const SectionKeys& keys, std::size_t first,
                               std::size_t last, Workers& workers) {
  const std::size_t n = section.end - section.begin;
  if (n == 0) return;
  const std::size_t base = cells_[first].counts;
  const std::size_t size =
      cells_[last - 1].counts + (std::size_t{1} << cells_[last - 1].step) - base;
  const std::size_t grain =
      std::max(kPointGrain, n / (8 * static_cast<std::size_t>(workers.threads())) + 1);
  std::vector<std::vector<std::int64_t>> parts(range_count(n, grain));
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int64_t>& part = parts[begin / grain];
    part.assign(rule_.has_units ? 2 * size : size, 0);
    const auto count = [&](auto add) {
      if (is_first_) {  // one cell has all keys
        for (std::size_t i = begin; i < end; ++i) add(keys.top[i], i);
        return;
      }
      for (std::size_t i = begin; i < end; ++i) {
        if (i % kPointGrain == 0) workers.check_cancelled();
        const std::uint64_t key = keys.full[section.begin + i];
        const KeyCell* cell = cell_of(key, first, last);
        if (!cell) continue;
        const int shift = cell->shift - static_cast<int>(cell->step);
        const std::uint64_t mask = (std::uint64_t{1} << cell->step) - 1;
        add(cell->counts - base + (key >> shift & mask), i);
      }
    };
    if (!rule_.has_units) return count([&](std::size_t bin, std::size_t) { ++part[bin]; });
    const std::uint64_t* units = keys.units + section.begin;
    count([&](std::size_t bin, std::size_t i) {
      ++part[bin];
      part[size + bin] += static_cast<std::int64_t>(units[i]);
    });
  });
  for (const auto& part : parts) {
    if (part.empty()) continue;
    for (std::size_t i = 0; i < size; ++i) counts_[base + i] += part[i];
    for (std::size_t i = size; i < part.size(); ++i)
      counts_[counts_.size() / 2 + base + i - size] += part[i];
  }
}

/// The cell of a key among those of its section, which ascend; null if it has none.
const EdgeSearch::KeyCell* EdgeSearch::cell_of(std::uint64_t key, std::size_t first,
                                               std::size_t last) const {
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = cells_.begin() + static_cast<std::ptrdiff_t>(last);
  auto at = std::upper_bound(begin, end, key, [](std::uint64_t k, const KeyCell& cell) {
    return k >> cell.shift < cell.prefix;
  });
  if (at == begin) return nullptr;
  --at;
  return key >> at->shift == at->prefix ? &*at : nullptr;
}

// ---- opening the cells that have edges

void EdgeSearch::open_cells(std::vector<Section>& sections) {
  std::vector<KeyCell> next;
  for (const KeyCell& cell : cells_) open(cell, sections[cell.section], next);
  cells_ = std::move(next);
  place_counts();
}

void EdgeSearch::open(const KeyCell& cell, Section& section, std::vector<KeyCell>& next) const {
  const std::int64_t* counts = counts_.data() + cell.counts;
  const std::size_t bins = std::size_t{1} << cell.step;
  const int shift = cell.shift - static_cast<int>(cell.step);
  const std::vector<std::uint64_t> points = sums_before(counts, bins, cell.below);
  const std::vector<std::uint64_t> units =
      rule_.has_units ? sums_before(counts + counts_.size() / 2, bins, cell.below)
                      : std::vector<std::uint64_t>();
  const std::vector<std::uint64_t>& below = rule_.has_units ? units : points;
  for (std::size_t e = cell.begin; e < cell.end; ++e) {
    RankEdge& edge = section.edges[e];
    // The last bin that begins at or before the edge, so that empty ones are passed.
    const auto bin = static_cast<std::size_t>(
        std::upper_bound(below.begin(), below.end() - 1, edge.at) - below.begin() - 1);
    const std::uint64_t inside = below[bin + 1] - below[bin];
    const std::uint64_t prefix = cell.prefix << cell.step | bin;
    const bool is_leaf = points[bin + 1] - points[bin] <= rule_.leaf;
    if (edge.at == below[bin] || inside <= rule_.tolerance || is_leaf) {
      edge.key = ((cell.prefix << cell.step) + nearer_end(bin, edge.at, below, points)) << shift;
    } else if (shift > 0) {
      if (next.empty() || next.back().section != cell.section || next.back().prefix != prefix ||
          next.back().shift != shift)
        next.push_back({cell.section, prefix, shift, below[bin], e, e});
      next.back().end = e + 1;
    } else {
      edge.key = prefix;
      edge.is_inside = true;
      edge.at -= below[bin];
    }
  }
}

/// The end of a bin that is nearer to the edge; for cells, of the leaf that the bin belongs to,
/// which is the largest Morton cell of few enough points.
std::size_t EdgeSearch::nearer_end(std::size_t bin, std::uint64_t at,
                                   const std::vector<std::uint64_t>& below,
                                   const std::vector<std::uint64_t>& points) const {
  std::size_t begin = bin, end = bin + 1;
  for (std::size_t size = 2; rule_.keeps_leaves && size < below.size(); size *= 2) {
    const std::size_t wider = bin / size * size;
    if (points[wider + size] - points[wider] > rule_.leaf) break;
    begin = wider;
    end = wider + size;
  }
  return below[end] - at < at - below[begin] ? end : begin;
}

}  // namespace kith::mpi
