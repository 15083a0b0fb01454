// k nearest neighbors, kith against nanoflann, alternating in one process; best of several.
//
//   bench_knn_peers KIND N K [threads=1] [reps=5] [peer=1] [d=3] [box=0] [double=0] [queries=0]
//   [mode=all] [seed=1] [exclude=0]
//
// KIND: uniform, normal, halo, grid, same, or a file of raw float32 rows. Times are build + query +
// rows in input order, memory included. nanoflann is given its best light: points and queries
// sorted along the z-curve, the sort timed; "plain" uses default settings. mode: all (own points,
// or `queries` others), single (one query at a time), few (time of the queries alone). exclude:
// leave out each point itself (own points); nanoflann is asked for one neighbor more. Prints one
// line of JSON.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nanoflann.hpp>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <kith/kith.hpp>

#include "peers/memory.hpp"

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Settings {
  std::string kind;
  std::size_t n = 0, k = 16, queries = 0;
  int threads = 1, reps = 5, peer_reps = 1, d = 3;
  double box = 0;
  bool is_double = false, exclude_self = false;
  std::string mode = "all";
  unsigned seed = 1;
};

template <class T>
std::vector<T> make_points(const std::string& kind, std::size_t n, int d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<T> x;
  if (FILE* file = std::fopen(kind.c_str(), "rb")) {
    std::fseek(file, 0, SEEK_END);
    std::vector<float> raw(static_cast<std::size_t>(std::ftell(file)) / sizeof(float));
    std::rewind(file);
    if (std::fread(raw.data(), sizeof(float), raw.size(), file) != raw.size()) std::abort();
    std::fclose(file);
    return {raw.begin(), raw.end()};
  }
  x.reserve(n * static_cast<std::size_t>(d));
  const auto per_axis =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::pow(double(n), 1.0 / d)));
  for (std::size_t i = 0; i < n; ++i) {
    double radius = 0, direction[32], norm = 0;
    if (kind == "halo") {  // r from 10^-4 to 1 with density r^-2
      radius = std::pow(10.0, -4 * uniform(random));
      for (int axis = 0; axis < d; ++axis) {
        direction[axis] = normal(random);
        norm += direction[axis] * direction[axis];
      }
    }
    for (int axis = 0; axis < d; ++axis)
      x.push_back(static_cast<T>(kind == "uniform"  ? uniform(random)
                                 : kind == "normal" ? normal(random)
                                 : kind == "halo"   ? radius * direction[axis] / std::sqrt(norm)
                                 : kind == "grid"   ? double(random() % per_axis)
                                                    : 0.25));
  }
  return x;
}

/// body(begin, end) on some threads.
template <class F>
void parallel(int threads, std::size_t n, F body) {
  std::vector<std::thread> running;
  for (int t = 1; t < threads; ++t)
    running.emplace_back([&, t] {
      body(n * std::size_t(t) / std::size_t(threads),
           n * std::size_t(t + 1) / std::size_t(threads));
    });
  body(0, n / std::size_t(threads));
  for (auto& thread : running) thread.join();
}

/// Rows along the z-curve, as a user of nanoflann would sort them: 64-bit keys.
template <class T>
std::vector<std::uint32_t> z_order(const std::vector<T>& x, int d, int threads) {
  const std::size_t n = x.size() / std::size_t(d);
  std::vector<T> lo(std::size_t(d), std::numeric_limits<T>::infinity()),
      hi(std::size_t(d), -std::numeric_limits<T>::infinity());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t axis = 0; axis < std::size_t(d); ++axis) {
      lo[axis] = std::min(lo[axis], x[i * std::size_t(d) + axis]);
      hi[axis] = std::max(hi[axis], x[i * std::size_t(d) + axis]);
    }
  T width = std::numeric_limits<T>::min();
  for (std::size_t axis = 0; axis < std::size_t(d); ++axis)
    width = std::max(width, hi[axis] - lo[axis]);
  const int bits = std::min(20, 62 / d);
  const double scale = (std::ldexp(1.0, bits) - 1) / width;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(n), other(n);
  parallel(threads, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t key = 0;
      for (std::size_t axis = 0; axis < std::size_t(d); ++axis) {
        const auto cell =
            static_cast<std::uint64_t>((x[i * std::size_t(d) + axis] - lo[axis]) * scale);
        for (int bit = 0; bit < bits; ++bit)
          key |= (cell >> bit & 1) << (bit * d + d - 1 - int(axis));
      }
      keys[i] = {key, std::uint32_t(i)};
    }
  });
  // Buckets of the top 12 bits, then each bucket in cache.
  const int shift = std::max(0, bits * d - 12);
  std::vector<std::size_t> start(4097);
  for (const auto& key : keys) ++start[(key.first >> shift) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  auto at = start;
  for (const auto& key : keys) other[at[key.first >> shift]++] = key;
  parallel(threads, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      std::sort(other.begin() + std::ptrdiff_t(start[b]),
                other.begin() + std::ptrdiff_t(start[b + 1]));
  });
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = other[i].second;
  return order;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& x, const std::vector<std::uint32_t>& order, int d) {
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(&y[i * std::size_t(d)], &x[order[i] * std::size_t(d)], sizeof(T) * std::size_t(d));
  return y;
}

template <class T>
struct Cloud {
  const std::vector<T>& x;
  int d;
  std::size_t kdtree_get_point_count() const { return x.size() / std::size_t(d); }
  T kdtree_get_pt(std::size_t i, std::size_t axis) const { return x[i * std::size_t(d) + axis]; }
  template <class B>
  bool kdtree_get_bbox(B&) const {
    return false;
  }
};

template <class T, int D>
using Index = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<T, Cloud<T>>,
                                                  Cloud<T>, D, std::uint32_t>;

struct Times {
  double total = 1e9, query = 1e9;
  std::size_t peak_bytes = 0;  ///< of the process after the first run
  void add(double t, double q) {
    total = std::min(total, t);
    query = std::min(query, q);
  }
};

template <class T, int D>
void run_nanoflann(const Settings& s, const std::vector<T>& x, const std::vector<T>& q,
                   bool is_sorted, Times& times, std::vector<T>& distance) {
  const double t0 = now();
  const std::size_t d = std::size_t(s.d), m = q.size() / d;
  std::vector<std::uint32_t> order, query_order;
  std::vector<T> sorted_x, sorted_q;
  const bool is_own = &x == &q;
  if (is_sorted) {
    order = z_order(x, s.d, s.threads);
    sorted_x = permuted(x, order, s.d);
    if (!is_own) {
      query_order = z_order(q, s.d, s.threads);
      sorted_q = permuted(q, query_order, s.d);
    }
  }
  const std::vector<T>& points = is_sorted ? sorted_x : x;
  const std::vector<T>& queries = !is_sorted ? q : is_own ? sorted_x : sorted_q;
  const std::vector<std::uint32_t>& rows = is_own ? order : query_order;
  const Cloud<T> cloud{points, s.d};
  Index<T, D> index(s.d, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  index.buildIndex();
  const double t1 = now();
  std::unique_ptr<std::int32_t[]> ids(new std::int32_t[m * s.k]);
  distance.resize(m * s.k);
  parallel(s.mode == "single" ? 1 : s.threads, m, [&](std::size_t begin, std::size_t end) {
    const std::size_t asked = s.k + (s.exclude_self ? 1 : 0);
    std::vector<std::uint32_t> id(asked);
    std::vector<T> d2(asked);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t found = index.knnSearch(&queries[i * d], asked, id.data(), d2.data());
      const std::size_t row = (is_sorted ? rows[i] : i) * s.k;
      for (std::size_t j = 0, to = 0; j < found && to < s.k; ++j) {
        if (s.exclude_self && id[j] == i) continue;
        ids[row + to] = int(is_sorted ? order[id[j]] : id[j]);
        distance[row + to++] = std::sqrt(d2[j]);
      }
    }
  });
  const double t2 = now();
  times.add(t2 - t0, t2 - t1);
}

template <class T>
void run_kith(const Settings& s, const std::vector<T>& x, const std::vector<T>& q, Times& times,
              std::vector<T>& distance, kith::Statistics* statistics) {
  const kith::Execution execution{.threads = s.threads, .statistics = statistics};
  const double t0 = now();
  const auto points = kith::view(x.data(), x.size() / std::size_t(s.d), s.d);
  const auto box = s.box > 0 ? kith::Box::periodic(s.box) : kith::Box::open();
  const kith::AnyTree tree(points, {.box = box}, execution);
  const double t1 = now();
  if (s.mode == "single") {
    const std::size_t m = q.size() / std::size_t(s.d);
    std::vector<std::int32_t> id(s.k);
    std::vector<T> row(s.k);
    distance.resize(m * s.k);
    kith::KnnSearcher<T> searcher(tree, {.k = s.k});
    for (std::size_t i = 0; i < m; ++i) {
      searcher(q.data() + i * std::size_t(s.d), id.data(), row.data());
      std::copy(row.begin(), row.end(), distance.begin() + std::ptrdiff_t(i * s.k));
    }
    times.add(now() - t0, now() - t1);
    return;
  }
  const auto result =
      &x == &q ? kith::knn<T>(tree, {.k = s.k, .exclude_self = s.exclude_self}, execution)
               : kith::knn<T>(tree, kith::view(q.data(), q.size() / std::size_t(s.d), s.d),
                              {.k = s.k}, execution);
  const double t2 = now();
  times.add(t2 - t0, t2 - t1);
  if (times.peak_bytes == 0) times.peak_bytes = peers::peak_memory();
  distance.assign(result.distances(), result.distances() + result.size() * s.k);
}

template <class T>
int run(const Settings& s) {
  const std::vector<T> x = make_points<T>(s.kind, s.n, s.d, s.seed);
  const std::vector<T> others =
      s.queries ? make_points<T>("uniform", s.queries, s.d, s.seed + 1) : std::vector<T>();
  const std::vector<T>& q = s.queries ? others : x;
  Times kith_times, sorted_times, plain_times;
  std::vector<T> a, b;
  const std::size_t bytes_before = peers::peak_memory();
  std::size_t differing = 0;
  kith::Statistics statistics;
  for (int r = 0; r < std::max(s.reps, s.peer_reps); ++r) {
    statistics = {};
    if (r < s.reps) run_kith(s, x, q, kith_times, a, &statistics);
    if (r >= s.peer_reps) continue;
    const auto peer = [&](bool is_sorted, Times& times) {
      switch (s.d) {
        case 2: return run_nanoflann<T, 2>(s, x, q, is_sorted, times, b);
        case 3: return run_nanoflann<T, 3>(s, x, q, is_sorted, times, b);
        case 4: return run_nanoflann<T, 4>(s, x, q, is_sorted, times, b);
        case 6: return run_nanoflann<T, 6>(s, x, q, is_sorted, times, b);
        case 8: return run_nanoflann<T, 8>(s, x, q, is_sorted, times, b);
        default: return run_nanoflann<T, -1>(s, x, q, is_sorted, times, b);
      }
    };
    if (s.mode != "single") peer(true, sorted_times);
    if (s.mode == "single" || s.mode == "plain") peer(false, plain_times);
    if (r == 0 && s.box == 0)
      for (std::size_t i = 0; i < a.size(); ++i)
        differing += !(std::abs(a[i] - b[i]) <= 1e-5 * std::abs(b[i]));
  }
  const bool is_query_time = s.mode == "single" || s.mode == "few";
  const auto value = [&](const Times& t) { return is_query_time ? t.query : t.total; };
  std::printf(
      "{\"kind\": \"%s\", \"n\": %zu, \"k\": %zu, \"d\": %d, \"double\": %d, \"threads\": %d, "
      "\"queries\": %zu, \"mode\": \"%s\", \"box\": %g, \"kith\": %.4f, \"kith_query\": %.4f",
      s.kind.c_str(), x.size() / std::size_t(s.d), s.k, s.d, s.is_double, s.threads, s.queries,
      s.mode.c_str(), s.box, value(kith_times), kith_times.query);
  if (sorted_times.total < 1e9)
    std::printf(", \"nanoflann_sorted\": %.4f, \"ratio\": %.2f", value(sorted_times),
                value(sorted_times) / value(kith_times));
  if (plain_times.total < 1e9)
    std::printf(", \"nanoflann_plain\": %.4f, \"ratio_plain\": %.2f", value(plain_times),
                value(plain_times) / value(kith_times));
  if (kith_times.peak_bytes > 0) {  // beyond points and rows
    const std::size_t rows = q.size() / std::size_t(s.d) * s.k * (sizeof(T) + sizeof(std::int32_t));
    std::printf(", \"bytes_per_point\": %.1f", double(kith_times.peak_bytes - bytes_before - rows) /
                                                   double(x.size() / std::size_t(s.d)));
  }
  std::printf(", \"differing\": %zu", differing);
  for (const auto& stage : statistics.stages)
    std::printf(", \"%s\": %.4f", stage.name.c_str(), stage.seconds);
  for (const auto& count : statistics.counts)
    std::printf(", \"%s\": %llu", count.name.c_str(), static_cast<unsigned long long>(count.value));
  std::printf("}\n");
  return differing > a.size() / 1000 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(
        stderr,
        "usage: bench_knn_peers KIND N K [name=value ...]; see the top of bench/peers/knn.cpp\n");
    return 2;
  }
  Settings s;
  s.kind = argv[1];
  s.n = static_cast<std::size_t>(std::atof(argv[2]));
  s.k = static_cast<std::size_t>(std::atof(argv[3]));
  std::map<std::string, std::string> given;
  for (int i = 4; i < argc; ++i) {
    const std::string text = argv[i];
    given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  const auto number = [&](const char* name, double otherwise) {
    return given.count(name) ? std::atof(given[name].c_str()) : otherwise;
  };
  s.threads = int(number("threads", 1));
  s.reps = int(number("reps", 5));
  s.peer_reps = int(number("peer", 1));
  s.d = int(number("d", 3));
  s.box = number("box", 0);
  s.is_double = number("double", 0) > 0;
  s.exclude_self = number("exclude", 0) > 0;
  s.queries = std::size_t(number("queries", 0));
  s.seed = unsigned(number("seed", 1));
  if (given.count("mode")) s.mode = given["mode"];
  return s.is_double ? run<double>(s) : run<float>(s);
}
