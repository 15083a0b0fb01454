#include "mpi/domains/splitters.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/domains/edge_search.hpp"
#include "neighbors/parts.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

template <class T>
class Splitter {
 public:
  Splitter(Call& call, const SplitJob<T>& job)
      : call_(call),
        job_(job),
        edges_(call,
               {tolerance(job, call.ranks()), job.leaf, job.keeps_leaves, job.units.has_value()}) {}

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
      section.edges.push_back({job_.sum() / ranks * r + job_.sum() % ranks * r / ranks});
    return section;
  }

  /// Points or units that may lie on the wrong side of an edge.
  static std::uint64_t tolerance(const SplitJob<T>& job, int ranks) {
    return std::max<std::uint64_t>(job.sum() / static_cast<std::uint64_t>(ranks) / 50, job.leaf);
  }

  std::size_t member(std::size_t i) const { return is_first_ ? i : members_[i]; }

  void run_level() {
    reduce_bounds();
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "keys", job_.input.size);
      make_keys(workers);
    });
    edges_.run(sections_, {top_keys_.data(), keys_.data(), job_.input.size, units_.data()});
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
        workers, section.end - section.begin, kPointGrain, Box::empty(),
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
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      Section& section = sections_[s];
      const Bounds<kAnyDimension, T> bounds = bounds_of(s);
      const int bits = bits_of(bounds);
      section.bits = bits == 0 ? (is_first_ ? 1 : 63) : std::min(bits, 63);
      section.is_by_index = bits == 0 && !is_first_;
      workers.for_ranges(section.end - section.begin, kPointGrain,
                         [&](std::size_t begin, std::size_t end) {
                           fill_keys(section.begin + begin, section.begin + end, bounds, bits);
                         });
    }
    if (job_.units) list_units(members, workers);
    edges_.begin(sections_, is_first_);
  }

  void list_units(std::size_t members, const Workers& workers) {
    units_ = Array<std::uint64_t>(members, workers.pool());
    workers.for_ranges(members, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        units_[i] = (*job_.units)(job_.input.index(member(i)));
    });
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
        rank_[member(i)] = section.first + section.edges_before(keys_[i]);
    }
    sections_ = std::move(next);
    members_ = std::move(members);
    is_first_ = false;
    top_keys_ = {};
    units_ = {};
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
    for (std::size_t key = 0; key < rank.size(); ++key) rank[key] = section.edges_before(key);
    workers.for_ranges(job_.input.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) rank_[i] = rank[top_keys_[i]];
    });
  }

  static std::uint64_t inner_key(const Section& outer, const Section& inner) {
    return outer.edges[inner.first - outer.first].key;
  }

  /// Edges inside the points of one key belong to one section. Many points with one index go to one
  /// rank: the caller's ids are wrong, which check_unique_ids finds.
  static void add_inner(const Section& section, std::size_t e, std::size_t before,
                        std::vector<Section>& next) {
    const RankEdge& edge = section.edges[e];
    if (!edge.is_inside || section.is_by_index) return;
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
  Array<std::uint64_t> units_;     ///< by member; none without weights
  EdgeSearch edges_;
};

}  // namespace

template <class T>
Array<std::uint32_t> destinations(Call& call, const SplitJob<T>& job) {
  return Splitter<T>(call, job).run();
}

template Array<std::uint32_t> destinations(Call&, const SplitJob<float>&);
template Array<std::uint32_t> destinations(Call&, const SplitJob<double>&);

}  // namespace kith::mpi
