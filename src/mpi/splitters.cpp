#include "mpi/splitters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "neighbors/parts.hpp"

namespace kith::mpi {
namespace {

constexpr int kFirstStep = 12,
              kStep = 8;  // bits of a key that a round of the first or a later level looks at
constexpr std::size_t kSplitterGrain = std::size_t{1} << 14;

/// An edge between two ranks: so many points of the section come before it.
struct Edge {
  std::uint64_t at = 0;
  std::uint64_t key = 0;   ///< what the search found: points from this key on come after
  bool is_inside = false;  ///< among the points of this key, who make a section of their own
};

/// Points of one key, all of them at first, with the edges that fall among them.
struct Section {
  std::uint32_t first = 0;  ///< rank of the points before its first edge
  std::vector<Edge> edges;
  std::size_t begin = 0, end = 0;  ///< its members on this rank
  int bits = 0;                    ///< of its keys
};

/// Keys of a section that begin with the same bits, and contain edges.
struct KeyCell {
  std::size_t section = 0;
  std::uint64_t prefix = 0;  ///< key >> shift
  int shift = 0;
  std::uint64_t below = 0;           ///< points of the section before the cell
  std::size_t begin = 0, end = 0;    ///< edges
  std::size_t counts = 0, step = 0;  ///< where its counts begin, and log2 of their number
};

template <class T>
class Splitter {
 public:
  Splitter(Call& call, const SplitJob<T>& job) : call_(call), job_(job) {}

  Array<std::uint32_t> run() {
    call_.quick([&] {
      rank_ = Array<std::uint32_t>(job_.input.size, pool_of(call_.execution()));
      sections_ = {whole()};
    });
    while (!sections_.empty()) run_level();
    return std::move(rank_);
  }

 private:
  Section whole() const {
    Section section{0, {}, 0, job_.input.size, 0};
    const auto ranks = static_cast<std::uint64_t>(call_.ranks());
    // Products of 64-bit numbers, without overflow.
    for (std::uint64_t r = 1; r < ranks; ++r)
      section.edges.push_back({job_.total / ranks * r + job_.total % ranks * r / ranks});
    return section;
  }

  /// Points that may lie on the wrong side of an edge.
  std::uint64_t tolerance() const {
    const auto mean = job_.total / static_cast<std::uint64_t>(call_.ranks());
    return std::max<std::uint64_t>(mean / 50, job_.leaf);
  }

  std::size_t member(std::size_t i) const { return is_first_ ? i : members_[i]; }
  std::uint64_t key(std::size_t i) const { return is_first_ ? top_keys_[i] : keys_[i]; }

  void run_level() {
    reduce_bounds();
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "keys", job_.input.size);
      make_keys(workers);
    });
    while (!cells_.empty()) {
      call_.phase([&](Workers& workers) {
        const Stage stage(workers, "count keys", job_.input.size);
        count(workers);
      });
      call_.communicator().sum(counts_.data(), counts_.size());
      call_.quick([&] { open_cells(); });
    }
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "assign", job_.input.size);
      assign(workers);
    });
  }

  // ---- bounds and keys

  void reduce_bounds() {
    const auto d = static_cast<std::size_t>(job_.input.dimension);
    call_.phase([&](Workers& workers) {
      ends_.assign(sections_.size() * 2 * d, std::numeric_limits<double>::infinity());
      if (is_first_ && job_.input.size > 0) return set_ends(0, job_.input.bounds);
      for (std::size_t s = 0; s < sections_.size(); ++s) measure(sections_[s], s, workers);
    });
    call_.communicator().least(ends_.data(), ends_.size());
  }

  void measure(const Section& section, std::size_t s, Workers& workers) {
    const Axes<kAnyDimension> axes(job_.input.dimension);
    using Box = Bounds<kAnyDimension, T>;
    const Box box = reduce(
        workers, section.end - section.begin, kSplitterGrain, Box::empty(),
        [&](std::size_t begin, std::size_t end) {
          Box part = Box::empty();
          T x[kMaxDimension];
          for (std::size_t i = begin; i < end; ++i) {
            job_.input.load(member(section.begin + i), axes, x);
            part.add(x, axes);
          }
          return part;
        },
        [&](Box sum, const Box& part) {
          sum.add(part, axes);
          return sum;
        });
    set_ends(s, box);
  }

  void set_ends(std::size_t s, const Bounds<kAnyDimension, T>& box) {
    const auto d = static_cast<std::size_t>(job_.input.dimension);
    for (std::size_t axis = 0; axis < d; ++axis) {
      ends_[(2 * s) * d + axis] = static_cast<double>(box.lo[axis]);
      ends_[(2 * s + 1) * d + axis] = -static_cast<double>(box.hi[axis]);
    }
  }

  Bounds<kAnyDimension, T> bounds_of(std::size_t s) const {
    const auto d = static_cast<std::size_t>(job_.input.dimension);
    auto bounds = Bounds<kAnyDimension, T>::empty();
    for (std::size_t axis = 0; axis < d; ++axis) {
      bounds.lo[axis] = static_cast<T>(ends_[(2 * s) * d + axis]);
      bounds.hi[axis] = static_cast<T>(-ends_[(2 * s + 1) * d + axis]);
    }
    return bounds;
  }

  void make_keys(Workers& workers) {
    std::size_t members = 0;
    for (const Section& section : sections_) members = std::max(members, section.end);
    if (is_first_)
      top_keys_ = Array<std::uint16_t>(members, workers.pool());
    else
      keys_ = Array<std::uint64_t>(members, workers.pool());
    cells_.clear();
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      Section& section = sections_[s];
      const Bounds<kAnyDimension, T> bounds = bounds_of(s);
      const int bits = bits_of(bounds);
      section.bits = bits == 0 ? (is_first_ ? 1 : 63) : std::min(bits, 63);
      workers.for_ranges(section.end - section.begin, kSplitterGrain,
                         [&](std::size_t begin, std::size_t end) {
                           fill_keys(section.begin + begin, section.begin + end, bounds, bits);
                         });
      if (!section.edges.empty()) {
        KeyCell cell{s, 0, section.bits, 0, 0, section.edges.size()};
        cells_.push_back(cell);
      }
    }
    place_counts();
  }

  /// Of keys within these bounds; 0 where they part nothing.
  int bits_of(const Bounds<kAnyDimension, T>& bounds) const {
    if (!(bounds.lo[0] <= bounds.hi[0])) return 0;
    const int d = job_.input.dimension;
    return is_first_ ? Parts<T>::top_keys(bounds, d, job_.curve, nullptr, 0, nullptr).count
                     : Parts<T>::keys(bounds, d, job_.curve, nullptr, 0, nullptr).count;
  }

  /// The first level has short keys of all points; where no key parts them they have the same.
  /// Later levels have long keys of few points, and global indices where no key parts them.
  void fill_keys(std::size_t begin, std::size_t end, const Bounds<kAnyDimension, T>& bounds,
                 int bits) {
    constexpr std::size_t kRoom = 2048;
    const int dimension = job_.input.dimension;
    const auto d = static_cast<std::size_t>(dimension);
    T rows[kRoom];
    const std::size_t step = kRoom / d;
    for (std::size_t i = begin; i < end; i += step) {
      const std::size_t n = std::min(step, end - i);
      if (bits == 0) {
        for (std::size_t j = i; j < i + n; ++j) set_key_of_equals(j);
        continue;
      }
      with_dimension(dimension, [&]<int D>() {
        const Axes<D> axes(dimension);
        for (std::size_t j = 0; j < n; ++j) job_.input.load(member(i + j), axes, rows + j * d);
      });
      if (is_first_)
        Parts<T>::top_keys(bounds, dimension, job_.curve, rows, n, top_keys_.data() + i);
      else
        Parts<T>::keys(bounds, dimension, job_.curve, rows, n, keys_.data() + i);
      // Keys of 64 bits lose the last one: an edge after the last key has to fit, too.
      for (std::size_t j = 0; bits > 63 && j < n; ++j) keys_[i + j] >>= bits - 63;
    }
  }

  void set_key_of_equals(std::size_t i) {
    if (is_first_)
      top_keys_[i] = 0;
    else
      keys_[i] = job_.global(job_.input.index(member(i)));
  }

  // ---- counting

  void place_counts() {
    std::size_t total = 0;
    for (KeyCell& cell : cells_) {
      cell.step = static_cast<std::size_t>(std::min(cell.shift, is_first_ ? kFirstStep : kStep));
      cell.counts = total;
      total += std::size_t{1} << cell.step;
    }
    counts_.assign(total, 0);
  }

  void count(Workers& workers) {
    for (std::size_t begin = 0; begin < cells_.size();) {
      std::size_t end = begin;
      while (end < cells_.size() && cells_[end].section == cells_[begin].section) ++end;
      count_section(begin, end, workers);
      begin = end;
    }
  }

  /// Cells of one section. Ranges are few, since each has counts of its own.
  void count_section(std::size_t first, std::size_t last, Workers& workers) {
    const Section& section = sections_[cells_[first].section];
    const std::size_t n = section.end - section.begin;
    if (n == 0) return;
    const std::size_t base = cells_[first].counts;
    const std::size_t size =
        cells_[last - 1].counts + (std::size_t{1} << cells_[last - 1].step) - base;
    const std::size_t grain =
        std::max(kSplitterGrain, n / (8 * static_cast<std::size_t>(workers.threads())) + 1);
    std::vector<std::vector<std::int64_t>> parts(range_count(n, grain));
    workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
      std::vector<std::int64_t>& part = parts[begin / grain];
      part.assign(size, 0);
      if (is_first_) {  // one cell has all keys
        for (std::size_t i = begin; i < end; ++i) ++part[top_keys_[i]];
        return;
      }
      for (std::size_t i = begin; i < end; ++i) {
        if (i % kSplitterGrain == 0) workers.check_cancelled();
        const std::uint64_t key = this->key(section.begin + i);
        const KeyCell* cell = cell_of(key, first, last);
        if (!cell) continue;
        const int shift = cell->shift - static_cast<int>(cell->step);
        const std::uint64_t mask = (std::uint64_t{1} << cell->step) - 1;
        ++part[cell->counts - base + (key >> shift & mask)];
      }
    });
    for (const auto& part : parts)
      for (std::size_t i = 0; i < part.size(); ++i) counts_[base + i] += part[i];
  }

  /// The cell of a key among those of its section, which ascend; null if it has none.
  const KeyCell* cell_of(std::uint64_t key, std::size_t first, std::size_t last) const {
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

  void open_cells() {
    std::vector<KeyCell> next;
    for (const KeyCell& cell : cells_) open(cell, next);
    cells_ = std::move(next);
    place_counts();
  }

  void open(const KeyCell& cell, std::vector<KeyCell>& next) {
    Section& section = sections_[cell.section];
    const std::int64_t* counts = counts_.data() + cell.counts;
    const std::size_t bins = std::size_t{1} << cell.step;
    const int shift = cell.shift - static_cast<int>(cell.step);
    std::vector<std::uint64_t> below(bins + 1, cell.below);
    for (std::size_t i = 0; i < bins; ++i)
      below[i + 1] = below[i] + static_cast<std::uint64_t>(counts[i]);
    for (std::size_t e = cell.begin; e < cell.end; ++e) {
      Edge& edge = section.edges[e];
      // The last bin that begins at or before the edge, so that empty ones are passed.
      const auto bin = static_cast<std::size_t>(
          std::upper_bound(below.begin(), below.end() - 1, edge.at) - below.begin() - 1);
      const std::uint64_t inside = below[bin + 1] - below[bin];
      const std::uint64_t prefix = cell.prefix << cell.step | bin;
      if (edge.at == below[bin] || inside <= tolerance()) {
        edge.key = ((cell.prefix << cell.step) + nearer_end(bin, edge.at, below)) << shift;
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
  std::size_t nearer_end(std::size_t bin, std::uint64_t at,
                         const std::vector<std::uint64_t>& below) const {
    std::size_t begin = bin, end = bin + 1;
    for (std::size_t size = 2; job_.keeps_leaves && size < below.size(); size *= 2) {
      const std::size_t wider = bin / size * size;
      if (below[wider + size] - below[wider] > job_.leaf) break;
      begin = wider;
      end = wider + size;
    }
    return below[end] - at < at - below[begin] ? end : begin;
  }

  // ---- ranks of points, and the sections of the next level

  void assign(const Workers& workers) {
    std::vector<Section> next;
    std::vector<std::uint32_t> members;
    for (const Section& section : sections_) {
      const std::size_t before = next.size();
      for (std::size_t e = 0; e < section.edges.size(); ++e) add_inner(section, e, before, next);
      if (next.size() > before) add_members(section, before, next, members);
      if (is_first_) {
        assign_all(section, workers);
        continue;
      }
      for (std::size_t i = section.begin; i < section.end; ++i)
        rank_[member(i)] = section.first + edges_before(section, key(i));
    }
    sections_ = std::move(next);
    members_ = std::move(members);
    is_first_ = false;
    top_keys_ = {};
  }

  /// The members of the sections [before, ...) that begin inside another, in the order of input.
  void add_members(const Section& outer, std::size_t before, std::vector<Section>& next,
                   std::vector<std::uint32_t>& members) const {
    std::vector<std::uint64_t> inner;  // ascending
    for (std::size_t s = before; s < next.size(); ++s) inner.push_back(inner_key(outer, next[s]));
    const auto search = [&](std::uint64_t key) {
      const auto at = std::lower_bound(inner.begin(), inner.end(), key);
      return at != inner.end() && *at == key ? static_cast<std::size_t>(at - inner.begin())
                                             : inner.size();
    };
    std::vector<std::size_t> table(is_first_ ? std::size_t{1} << outer.bits : 0);
    for (std::size_t key = 0; key < table.size(); ++key) table[key] = search(key);
    const auto inner_of = [&](std::size_t i) {
      return is_first_ ? table[top_keys_[i]] : search(keys_[i]);
    };
    std::vector<std::size_t> at(inner.size() + 1);
    for (std::size_t i = outer.begin; i < outer.end; ++i) ++at[inner_of(i)];
    at.back() = 0;  // those outside
    std::size_t sum = members.size();
    for (std::size_t s = 0; s < inner.size(); ++s) {
      next[before + s].begin = sum;
      sum += std::exchange(at[s], sum);
      next[before + s].end = sum;
    }
    members.resize(sum);
    for (std::size_t i = outer.begin; i < outer.end; ++i)
      if (const std::size_t s = inner_of(i); s < inner.size())
        members[at[s]++] = static_cast<std::uint32_t>(member(i));
  }

  /// All points, by a table of their short keys.
  void assign_all(const Section& section, const Workers& workers) {
    std::vector<std::uint32_t> rank(std::size_t{1} << section.bits);
    for (std::size_t key = 0; key < rank.size(); ++key) rank[key] = edges_before(section, key);
    workers.for_ranges(job_.input.size, kSplitterGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) rank_[i] = rank[top_keys_[i]];
    });
  }

  static std::uint32_t edges_before(const Section& section, std::uint64_t key) {
    std::uint32_t count = 0;
    std::size_t begin = 0, end = section.edges.size();
    while (begin < end) {  // edges ascend by key
      const std::size_t middle = (begin + end) / 2;
      const Edge& edge = section.edges[middle];
      if (edge.is_inside ? key > edge.key : key >= edge.key) {
        begin = middle + 1;
        count = static_cast<std::uint32_t>(begin);
      } else {
        end = middle;
      }
    }
    return count;
  }

  static std::uint64_t inner_key(const Section& outer, const Section& inner) {
    return outer.edges[inner.first - outer.first].key;
  }

  /// Edges inside the points of one key belong to one section.
  static void add_inner(const Section& section, std::size_t e, std::size_t before,
                        std::vector<Section>& next) {
    const Edge& edge = section.edges[e];
    if (!edge.is_inside) return;
    const auto first = section.first + static_cast<std::uint32_t>(e);
    if (next.size() == before || inner_key(section, next.back()) != edge.key)
      next.push_back({first, {}, 0, 0, 0});
    next.back().edges.push_back({edge.at});
  }

  Call& call_;
  const SplitJob<T>& job_;
  Array<std::uint32_t> rank_;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> members_;  ///< of all sections but the first
  bool is_first_ = true;
  std::vector<double> ends_;
  Array<std::uint16_t> top_keys_;  ///< of the first level
  Array<std::uint64_t> keys_;      ///< of the others
  std::vector<KeyCell> cells_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

template <class T>
Array<std::uint32_t> destinations(Call& call, const SplitJob<T>& job) {
  return Splitter<T>(call, job).run();
}

template Array<std::uint32_t> destinations(Call&, const SplitJob<float>&);
template Array<std::uint32_t> destinations(Call&, const SplitJob<double>&);

}  // namespace kith::mpi
