#include "mpi/neighbors/ghosts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "neighbors/parts.hpp"
#include "walk/against_boxes.hpp"
#include "walk/in_reach.hpp"

namespace kith::mpi {
namespace {

// ---- requests

/// A request is a box of queries and how far they reach.
std::size_t scalars_of_request(int dimension) {
  return 2 * static_cast<std::size_t>(dimension) + 1;
}

template <class T>
struct Requests {
  Runs runs;
  std::vector<T> numbers;
};

template <class T>
std::vector<std::uint32_t> blocks_for(const Part<T>& part, const PlanesView<T>& view,
                                      const ReachOfNodes<T>& reach, const IndexRange& boxes) {
  std::vector<std::uint32_t> from(boxes.size());
  std::iota(from.begin(), from.end(), static_cast<std::uint32_t>(boxes.begin));
  std::vector<std::uint32_t> blocks;
  with_dimension(view.dimension, [&]<int D>() {
    each_block_near(view, part.template metric<D>(), part.boxes, from, reach,
                    [&](std::size_t block, const std::vector<std::uint32_t>&) {
                      blocks.push_back(static_cast<std::uint32_t>(block));
                    });
  });
  return blocks;
}

template <class T>
void append_request(const PlanesView<T>& view, std::size_t block, T reach2,
                    std::vector<T>& numbers) {
  const Bounds<kAnyDimension, T> box = view.box(0, block, view.any_axes());
  numbers.insert(numbers.end(), box.lo, box.lo + view.dimension);
  numbers.insert(numbers.end(), box.hi, box.hi + view.dimension);
  numbers.push_back(reach2);
}

/// The runs of boxes that belong to one rank each.
template <class T>
std::vector<IndexRange> owners(const RankBoxes<T>& boxes) {
  std::vector<IndexRange> runs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i == 0 || boxes.owner[i] != boxes.owner[i - 1]) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

template <class T>
Requests<T> make_requests(const Part<T>& part, const FarQueries<T>& queries, int except,
                          const Workers& workers) {
  Requests<T> requests;
  const PlanesView<T> view = queries.queries.planes.view();
  if (view.points == 0) return requests;
  const ReachOfNodes<T> reach(view, queries.reach2.data());
  const std::vector<IndexRange> ranks = owners(part.boxes);
  std::vector<std::vector<std::uint32_t>> blocks(ranks.size());
  workers.for_each(ranks.size(), [&](std::size_t i) {
    if (part.boxes.owner[ranks[i].begin] != static_cast<std::uint32_t>(except))
      blocks[i] = blocks_for(part, view, reach, ranks[i]);
  });
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (blocks[i].empty()) continue;
    requests.runs.add(static_cast<int>(part.boxes.owner[ranks[i].begin]), blocks[i].size());
    for (const std::uint32_t block : blocks[i])
      append_request(view, block, reach(0, block), requests.numbers);
  }
  return requests;
}

// ---- answers

/// A point in a message: coordinates, global index, numbers of the caller.
struct GhostRow {
  std::size_t coordinates;  ///< bytes
  std::size_t width;        ///< numbers
  std::size_t bytes() const { return numbers() + width * sizeof(double); }
  std::size_t numbers() const { return coordinates + sizeof(std::uint64_t); }
};

/// Marks and packs the points that one rank asked for.
template <class T>
class Server {
 public:
  Server(const Part<T>& part, const GhostValues& values, GhostRow row, Workers& workers)
      : part_(part), values_(values), row_(row), workers_(workers), view_(part.view()) {
    numbers_.resize(row.width);
  }

  void serve(const T* requests, std::size_t count, std::vector<std::byte>& out) {
    marks_.assign(view_.block_count(), 0);
    with_dimension(view_.dimension, [&]<int D>() { mark<D>(requests, count); });
    std::size_t points = 0;
    for (const std::uint8_t mask : marks_) points += static_cast<std::size_t>(std::popcount(mask));
    std::size_t at = out.size();
    out.resize(at + points * row_.bytes());
    for (std::size_t block = 0; block < marks_.size(); ++block)
      for (std::size_t lane = 0; marks_[block] != 0 && lane < kLanes; ++lane)
        if (marks_[block] >> lane & 1) {
          write(block * kLanes + lane, out.data() + at);
          at += row_.bytes();
        }
  }

 private:
  template <int D>
  void mark(const T* requests, std::size_t count) {
    const Metric<D, T> metric = part_.template metric<D>();
    const auto d = static_cast<std::size_t>(view_.dimension);
    workers_.for_ranges(count, 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i % 16 == 0) workers_.check_cancelled();
        const T* at = requests + i * (2 * d + 1);
        Bounds<D, T> box;
        std::copy_n(at, d, box.lo);
        std::copy_n(at + d, d, box.hi);
        const T reach2 = at[2 * d];
        const auto leaf = [&](std::size_t block) { mark_block(block, box, reach2, metric); };
        InReach<D, T, decltype(leaf)>(view_, metric, leaf).run(box, reach2);
      }
    });
  }

  template <int D>
  void mark_block(std::size_t block, const Bounds<D, T>& box, T reach2,
                  const Metric<D, T>& metric) {
    std::uint8_t mask = 0;
    for (std::size_t lane = 0; lane < view_.points_of_block(block); ++lane) {
      Bounds<D, T> point;
      load_lane(view_.block(block, metric.axes), lane, metric.axes, point.lo);
      std::copy_n(point.lo, metric.axes.count(), point.hi);
      if (metric.lower2(box, point) <= reach2) mask |= static_cast<std::uint8_t>(1u << lane);
    }
    // Relaxed: bits are only set here, and read after the loop.
    if (mask) std::atomic_ref(marks_[block]).fetch_or(mask, std::memory_order_relaxed);
  }

  void write(std::size_t position, std::byte* to) {
    T x[kMaxDimension];
    view_.load(position, view_.any_axes(), x);
    std::memcpy(to, x, row_.coordinates);
    std::memcpy(to + row_.coordinates, &part_.global[view_.index(position)], sizeof(std::uint64_t));
    if (row_.width == 0) return;
    values_.write(position, numbers_.data());
    std::memcpy(to + row_.numbers(), numbers_.data(), row_.width * sizeof(double));
  }

  const Part<T>& part_;
  const GhostValues& values_;
  GhostRow row_;
  Workers& workers_;
  PlanesView<T> view_;
  std::vector<std::uint8_t> marks_;
  std::vector<double> numbers_;  ///< of one point
};

/// Rows in the order of their global indices, under a tree.
template <class T>
Ghosts<T> sort_ghosts(std::span<const std::byte> bytes, GhostRow row, int dimension,
                      Workers& workers) {
  const std::size_t n = bytes.size() / row.bytes();
  Array<KeyIndex> order(n, workers.pool());
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(&order[i].key, bytes.data() + i * row.bytes() + row.coordinates,
                sizeof(std::uint64_t));
    order[i].index = static_cast<std::uint32_t>(i);
  }
  Parts<T>::sort(order.data(), n, workers);
  Ghosts<T> ghosts;
  ghosts.global = Array<std::uint64_t>(n, workers.pool());
  ghosts.value = Array<double>(n * row.width, workers.pool());
  const auto d = static_cast<std::size_t>(dimension);
  Array<T> rows(n * d, workers.pool());
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte* from = bytes.data() + order[i].index * row.bytes();
    std::memcpy(rows.data() + i * d, from, row.coordinates);
    ghosts.global[i] = order[i].key;
    if (row.width > 0)
      std::memcpy(&ghosts.value[i * row.width], from + row.numbers(), row.width * sizeof(double));
  }
  ghosts.planes = Parts<T>::planes_of_rows(rows.data(), n, dimension, TreeOptions{}, workers);
  return ghosts;
}

template <class T>
Ghosts<T> import_points(Call& call, const Part<T>& part, const FarQueries<T>& queries,
                        const GhostValues& values, GhostsOf from = GhostsOf::others) {
  Requests<T> requests;
  const int dimension = part.planes.dimension;
  call.work([&](Workers& workers) {
    const int except = from == GhostsOf::others ? call.rank() : -1;
    requests = make_requests(part, queries, except, workers);
  });
  const Received<T> asked =
      call.exchange(requests.runs, requests.numbers.data(), scalars_of_request(dimension));
  call.note_traffic("requests");
  const GhostRow row{static_cast<std::size_t>(dimension) * sizeof(T), values.width};
  std::vector<std::byte> answers;
  Runs runs;
  call.work([&](Workers& workers) {
    const Stage stage(workers, "serve", asked.runs.size());
    Server<T> server(part, values, row, workers);
    for (std::size_t i = 0; i < asked.runs.size(); ++i) {
      const std::size_t before = answers.size();
      server.serve(asked.run(i).data(), asked.runs.length(i), answers);
      runs.add(asked.runs.rank[i], (answers.size() - before) / row.bytes());
    }
  });
  const Received<std::byte> received = call.exchange<std::byte>(runs, answers.data(), row.bytes());
  Ghosts<T> ghosts;
  call.work([&](Workers& workers) {
    const std::size_t n = received.runs.total();
    if (n + part.global.size() > most_points)
      fail(ErrorCode::too_large,
           "{}: {} points of other ranks beside {} here; one rank holds at most {}: use more ranks",
           call.name(), n, part.global.size(), most_points);
    const Stage stage(workers, "ghosts", n);
    ghosts = sort_ghosts<T>(received.all(), row, dimension, workers);
    workers.count("ghosts", n);
  });
  call.note_traffic("ghosts");
  return ghosts;
}

}  // namespace

template <class T>
void shorten_reach(const Part<T>& part, std::uint64_t need, double p, const Workers& workers,
                   FarQueries<T>& queries) {
  const PlanesView<T> view = queries.queries.planes.view();
  // Between the Euclidean norm and that of p lies a factor of d^|1/2 - 1/p|.
  const auto stretch2 =
      static_cast<T>(p == 2 ? 1 : 1.01 * std::pow(view.dimension, std::abs(1 - 2 / p)));
  // Squares vanish where differences do not.
  const T vanishing2 = p == 2 ? 0 : 2048 * std::numeric_limits<T>::denorm_min();
  const Metric<kAnyDimension, T> metric = part.template metric<kAnyDimension>();
  workers.for_ranges(view.block_count(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<T, std::uint64_t>> uppers(part.boxes.size());
    for (std::size_t block = begin; block < end; ++block) {
      const auto receiver = view.box(0, block, metric.axes);
      for (std::size_t i = 0; i < uppers.size(); ++i)
        uppers[i] = {metric.upper2(receiver, part.boxes.box(i, metric.axes)), part.boxes.points[i]};
      std::sort(uppers.begin(), uppers.end());
      T bound = std::numeric_limits<T>::infinity();
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < uppers.size() && sum < need; ++i) {
        sum += uppers[i].second;
        if (sum >= need) bound = uppers[i].first * stretch2 + vanishing2;
      }
      for (std::size_t i = 0; i < view.points_of_block(block); ++i) {
        T& reach2 = queries.reach2[block * kLanes + i];
        reach2 = std::min(reach2, bound);
      }
    }
  });
}

template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const FarQueries<T>& queries,
                        const double* value, GhostsOf from) {
  const PlanesView<T> view = part.view();
  const auto write = [&](std::size_t position, double* to) { *to = value[view.index(position)]; };
  return import_points(call, part, queries, {value ? std::size_t{1} : 0, write}, from);
}

template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const FarQueries<T>& queries,
                        const GhostValues& values) {
  return import_points(call, part, queries, values);
}

#define KITH_INSTANTIATE(T)                                                                    \
  template void shorten_reach(const Part<T>&, std::uint64_t, double, const Workers&,           \
                              FarQueries<T>&);                                                 \
  template Ghosts<T> import_ghosts(Call&, const Part<T>&, const FarQueries<T>&, const double*, \
                                   GhostsOf);                                                  \
  template Ghosts<T> import_ghosts(Call&, const Part<T>&, const FarQueries<T>&, const GhostValues&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
