#include "mpi/domains/kd_cells.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "mpi/domains/key_search.hpp"
#include "parallel/grains.hpp"
#include "tree/kd.hpp"

namespace kith::mpi {
namespace {

constexpr int kMostStep = 10, kLeastStep = 4, kMostBins = 16;  // bits

/// Points for the ranks [begin, end).
struct Cell {
  int begin = 0, end = 0, depth = 0;
  std::size_t first = 0, last = 0;  ///< members on this rank
  int axis = 0;
  KeySearch search;

  int middle() const { return begin + (end - begin + 1) / 2; }
  std::size_t size() const { return last - first; }
};

template <class T>
class KdPartitioner {
 public:
  KdPartitioner(Call& call, const KdJob<T>& job)
      : call_(call), job_(job), axes_(job.input.dimension), d_(axes_.count()) {}

  KdCells run() {
    std::int64_t largest = 0;
    call_.phase([&](Workers& workers) { begin(workers, largest); });
    largest = -largest;
    call_.communicator().least(&largest, 1);
    index_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(-largest)));
    while (!cells_.empty()) {
      measure();
      choose_axes();
      search();
      divide();
    }
    return std::move(result_);
  }

 private:
  using Box = Bounds<kAnyDimension, T>;
  static constexpr int kCoordinateBits = 8 * sizeof(T);

  /// Points before those of a rank; products of 64-bit numbers, without overflow.
  std::uint64_t points_before(int rank) const {
    const auto ranks = static_cast<std::uint64_t>(call_.ranks()),
               r = static_cast<std::uint64_t>(rank);
    return job_.total / ranks * r + job_.total % ranks * r / ranks;
  }
  std::uint64_t points_of(int begin, int end) const {
    return points_before(end) - points_before(begin);
  }

  void begin(Workers& workers, std::int64_t& largest) {
    const std::size_t n = job_.input.size;
    members_ = Array<std::uint32_t>(n, workers.pool());
    other_ = Array<std::uint32_t>(n, workers.pool());
    side_ = Array<std::uint8_t>(n, workers.pool());
    result_.rank = Array<std::uint32_t>(n, workers.pool());
    largest = reduce(
        workers, n, kPointGrain, std::int64_t{0},
        [&](std::size_t begin, std::size_t end) {
          std::int64_t most = 0;
          for (std::size_t i = begin; i < end; ++i) {
            members_[i] = static_cast<std::uint32_t>(i);
            most = std::max(most, static_cast<std::int64_t>(job_.global(i)));
          }
          return most;
        },
        [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    Cell all;
    all.end = call_.ranks();
    all.last = n;
    add(std::move(all));
  }

  /// Queues a cell to be split, or assigns its points to their rank.
  void add(Cell cell) {
    if (cell.end - cell.begin > 1) {
      cell.search.wanted = points_of(cell.begin, cell.middle());
      cells_.push_back(std::move(cell));
      return;
    }
    for (std::size_t i = cell.first; i < cell.last; ++i)
      result_.rank[members_[i]] = static_cast<std::uint32_t>(cell.begin);
  }

  T coordinate(std::size_t i, int axis) const {
    const T x = job_.input.row(i)[axis];
    return job_.input.is_plain ? x + T(0) : job_.input.frame(x, axis);
  }
  Key key_of(T x, std::uint64_t index) const { return Key{ordered_bits(x)} << index_bits_ | index; }
  Key key(const Cell& cell, std::size_t member) const {
    const std::size_t i = members_[member];
    return key_of(coordinate(i, cell.axis), job_.global(i));
  }

  // ---- the boxes of cells

  void measure() {
    call_.phase([&](Workers& workers) {
      ends_.assign(cells_.size() * 2 * static_cast<std::size_t>(d_),
                   std::numeric_limits<double>::infinity());
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        const Box box = box_of(cells_[c], workers);
        for (int axis = 0; axis < d_; ++axis) {
          end_of(c, axis, false) = static_cast<double>(box.lo[axis]);
          end_of(c, axis, true) = -static_cast<double>(box.hi[axis]);
        }
      }
    });
    call_.communicator().least(ends_.data(), ends_.size());
  }

  /// Upper ends are stored with the other sign.
  double& end_of(std::size_t cell, int axis, bool is_upper) {
    return ends_[(2 * cell + (is_upper ? 1 : 0)) * static_cast<std::size_t>(d_) +
                 static_cast<std::size_t>(axis)];
  }

  Box box_of(const Cell& cell, const Workers& workers) const {
    return reduce(
        workers, cell.size(), kPointGrain, Box::empty(),
        [&](std::size_t begin, std::size_t end) {
          Box box = Box::empty();
          T x[kMaxDimension];
          for (std::size_t i = begin; i < end; ++i) {
            job_.input.load(members_[cell.first + i], axes_, x);
            box.add(x, axes_);
          }
          return box;
        },
        [&](Box all, const Box& more) {
          all.add(more, axes_);
          return all;
        });
  }

  Box box(std::size_t c) {
    Box box = Box::empty();
    for (int axis = 0; axis < d_; ++axis) {
      box.lo[axis] = static_cast<T>(end_of(c, axis, false));
      box.hi[axis] = static_cast<T>(-end_of(c, axis, true));
    }
    return box;
  }

  // ---- axes

  void choose_axes() {
    if (job_.rule == SplitAxis::variance) return choose_by_variance();
    for (std::size_t c = 0; c < cells_.size(); ++c)
      cells_[c].axis =
          job_.rule == SplitAxis::cyclic ? cells_[c].depth % d_ : widest_axis(box(c), axes_);
  }

  void choose_by_variance() {
    using Sums = VarianceSums<kAnyDimension, T>;
    std::vector<Sums> sums;
    std::vector<std::int64_t> numbers;
    call_.phase([&](Workers& workers) {
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        sums.push_back(variance_sums(cells_[c], Sums(box(c), axes_), workers));
        sums.back().for_each_sum(
            [&](std::uint64_t& sum) { numbers.push_back(static_cast<std::int64_t>(sum)); });
      }
    });
    call_.communicator().sum(numbers.data(), numbers.size());
    auto next = numbers.begin();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      sums[c].for_each_sum([&](std::uint64_t& sum) { sum = static_cast<std::uint64_t>(*next++); });
      cells_[c].axis = sums[c].axis();
    }
  }

  template <class Sums>
  Sums variance_sums(const Cell& cell, const Sums& none, const Workers& workers) const {
    return reduce(
        workers, cell.size(), kPointGrain, none,
        [&](std::size_t begin, std::size_t end) {
          Sums sums = none;
          T x[kMaxDimension];
          for (std::size_t i = begin; i < end; ++i) {
            job_.input.load(members_[cell.first + i], axes_, x);
            sums.add(x);
          }
          return sums;
        },
        [](Sums all, const Sums& more) {
          all.add(more);
          return all;
        });
  }

  // ---- where to split

  void search() {
    call_.phase([&](Workers& workers) {
      for (std::size_t c = 0; c < cells_.size(); ++c) begin_search(c, workers);
      place_counts();
    });
    while (!counts_.empty()) {
      call_.phase([&](Workers& workers) { count(workers); });
      call_.communicator().sum(counts_.data(), counts_.size());
      call_.quick([&] {
        for (Cell& cell : cells_)
          if (cell.search.is_open) cell.search.narrow(counts_.data() + cell.search.counts);
        place_counts();
      });
    }
  }

  void begin_search(std::size_t c, const Workers& workers) {
    Cell& cell = cells_[c];
    KeySearch& search = cell.search;
    const std::uint64_t points = points_of(cell.begin, cell.end);
    if (search.wanted == 0 || search.wanted == points) {  // one side is empty
      search.found = search.wanted == 0 ? Key{0} : ~Key{0};
      return;
    }
    const Box around = box(c);
    const std::uint64_t last = index_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - index_bits_);
    search.begin(key_of(around.lo[cell.axis], 0), key_of(around.hi[cell.axis], last));
    search.candidates.resize(range_count(cell.size(), kPointGrain));
    workers.for_ranges(cell.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<Key>& keys = search.candidates[begin / kPointGrain];
      keys.resize(end - begin);
      for (std::size_t i = begin; i < end; ++i) keys[i - begin] = key(cell, cell.first + i);
    });
  }

  /// Bins for the searches that are open; none at the end.
  void place_counts() {
    std::size_t open = 0, total = 0;
    for (const Cell& cell : cells_) open += cell.search.is_open ? 1 : 0;
    const int most =
        std::clamp(kMostBins - static_cast<int>(std::bit_width(open)), kLeastStep, kMostStep);
    for (Cell& cell : cells_) {
      if (!cell.search.is_open) continue;
      cell.search.step = std::min(cell.search.shift, most);
      cell.search.counts = total;
      total += std::size_t{1} << cell.search.step;
    }
    counts_.assign(total, 0);
  }

  void count(const Workers& workers) {
    for (Cell& cell : cells_) {
      KeySearch& search = cell.search;
      if (!search.is_open) continue;
      // Few pieces, since each has its own bins.
      const std::size_t bins = std::size_t{1} << search.step,
                        pieces = std::min(search.candidates.size(), kPieces);
      std::vector<std::int64_t> counts(pieces * bins);
      workers.for_each(pieces, [&](std::size_t piece) {
        for (std::size_t i = piece; i < search.candidates.size(); i += pieces) {
          workers.check_cancelled();
          search.count(search.candidates[i], counts.data() + piece * bins);
        }
      });
      for (std::size_t i = 0; i < counts.size(); ++i)
        counts_[search.counts + i % bins] += counts[i];
    }
  }
  static constexpr std::size_t kPieces = 64;

  // ---- both sides

  void divide() {
    call_.phase([&](Workers& workers) {
      least_.assign(cells_.size(), std::numeric_limits<double>::infinity());
      boundary_.resize(cells_.size());
      for (std::size_t c = 0; c < cells_.size(); ++c) divide(c, workers);
      std::swap(members_, other_);
    });
    call_.communicator().least(least_.data(), least_.size());
    call_.phase([&](Workers&) {
      std::vector<Cell> cells;
      cells.swap(cells_);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        add_split(cells[c], least_[c]);
        add(half(cells[c], cells[c].begin, cells[c].middle(), cells[c].first, boundary_[c]));
        add(half(cells[c], cells[c].middle(), cells[c].end, boundary_[c], cells[c].last));
      }
    });
  }

  static Cell half(const Cell& cell, int begin, int end, std::size_t first, std::size_t last) {
    Cell half;
    half.begin = begin;
    half.end = end;
    half.depth = cell.depth + 1;
    half.first = first;
    half.last = last;
    return half;
  }

  void add_split(const Cell& cell, double least) {
    const bool has_points = least < std::numeric_limits<double>::infinity();
    const auto& frame = job_.input.frame;
    result_.splits.push_back(
        {cell.begin, cell.middle(), cell.end, has_points ? cell.axis : -1,
         has_points ? static_cast<double>(frame.original(static_cast<T>(least), cell.axis)) : 0.0,
         points_of(cell.begin, cell.middle()), points_of(cell.middle(), cell.end)});
  }

  /// Members of the lesser side first, in the order that they had.
  void divide(std::size_t c, const Workers& workers) {
    const Cell& cell = cells_[c];
    std::vector<std::size_t> lesser(range_count(cell.size(), kPointGrain));
    std::vector<double> least(lesser.size(), std::numeric_limits<double>::infinity());
    workers.for_ranges(cell.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = cell.first + begin; i < cell.first + end; ++i) {
        const bool is_lesser = key(cell, i) < cell.search.found;
        side_[i] = is_lesser ? 0 : 1;
        lesser[begin / kPointGrain] += is_lesser ? 1 : 0;
        if (!is_lesser)
          least[begin / kPointGrain] = std::min(
              least[begin / kPointGrain], static_cast<double>(coordinate(members_[i], cell.axis)));
      }
    });
    for (const double value : least) least_[c] = std::min(least_[c], value);
    const std::size_t total = std::accumulate(lesser.begin(), lesser.end(), std::size_t{0});
    boundary_[c] = cell.first + total;
    std::exclusive_scan(lesser.begin(), lesser.end(), lesser.begin(), std::size_t{0});
    workers.for_ranges(cell.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      std::size_t at[2] = {cell.first + lesser[begin / kPointGrain],
                           boundary_[c] + begin - lesser[begin / kPointGrain]};
      for (std::size_t i = cell.first + begin; i < cell.first + end; ++i)
        other_[at[side_[i]]++] = members_[i];
    });
  }

  Call& call_;
  const KdJob<T>& job_;
  Axes<kAnyDimension> axes_;
  int d_;
  int index_bits_ = 0;
  KdCells result_;
  std::vector<Cell> cells_;               ///< of one level
  Array<std::uint32_t> members_, other_;  ///< points by cell
  Array<std::uint8_t> side_;              ///< of each member
  std::vector<double> ends_, least_;      ///< boxes; least coordinates of the greater sides
  std::vector<std::size_t> boundary_;     ///< first member of the greater side
  std::vector<std::int64_t> counts_;
};

}  // namespace

template <class T>
KdCells kd_cells(Call& call, const KdJob<T>& job) {
  return KdPartitioner<T>(call, job).run();
}

template KdCells kd_cells(Call&, const KdJob<float>&);
template KdCells kd_cells(Call&, const KdJob<double>&);

}  // namespace kith::mpi
