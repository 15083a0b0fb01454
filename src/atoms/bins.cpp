#include "atoms/bins.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/fail.hpp"
#include "base/lanes.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"
#include "parallel/radix_sort.hpp"

namespace kith {
namespace {

constexpr double kFarthest = 1e100;
constexpr std::int64_t kMostBins = 1 << 20;  // along an axis
constexpr std::size_t kMostImages = 1 << 20;
constexpr double kMostCells = 1 << 28;  // between an atom and the cell
/// A part of a bin that is more than the rounding of an atom's place in it.
constexpr double kBlur = 1e-8;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

template <class T>
void read_rows(const char* call, const PointsView& from, double* to, const Workers& workers) {
  const auto* data = static_cast<const T*>(from.data);
  workers.for_ranges(from.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const double x = axis < from.dimension
                             ? double{data[static_cast<std::ptrdiff_t>(i) * from.stride + axis]}
                             : 0.0;
        to[3 * i + static_cast<std::size_t>(axis)] = x;
        if (std::abs(x) <= kFarthest) continue;
        if (!std::isfinite(x))
          fail(ErrorCode::non_finite, "{}: coordinate {} of atom {} is {}; give finite numbers",
               call, axis, i, x);
        refuse("{}: coordinate {} of atom {} is {}; give numbers up to 1e100", call, axis, i, x);
      }
  });
}

}  // namespace

AtomBins::AtomBins(const char* call, const AtomSystem& system, double reach, const Workers& workers)
    : lattice_(call, system.lattice, system.positions.dimension) {
  read(call, system.positions, workers);
  wrap(call, workers);
  fit_bins(reach, workers);
  add_images(call);
  make_lines();
  sort(workers);
}

void AtomBins::read(const char* call, const PointsView& positions, const Workers& workers) {
  given_ = Array<double>(3 * positions.size, workers.pool());
  if (positions.scalar == Scalar::float32)
    read_rows<float>(call, positions, given_.data(), workers);
  else
    read_rows<double>(call, positions, given_.data(), workers);
}

/// Moves atoms into the cell, by whole lattice vectors.
void AtomBins::wrap(const char* call, const Workers& workers) {
  const std::size_t n = given_.size() / 3;
  const auto cells_of = [&](const Vector3& x) {
    Shift3 cells = {};
    for (int k = 0; k < 3; ++k) {
      if (!lattice_.is_periodic(k)) continue;
      const double cell = std::floor(lattice_.along(k, x));
      if (!(std::abs(cell) <= kMostCells))
        fail(ErrorCode::too_large,
             "{}: an atom is {} cells away from the cell along axis {}; wrap the positions", call,
             cell, k);
      cells[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(cell);
    }
    return cells;
  };
  const auto place = [&](std::size_t i) { return Vector3{given(i)[0], given(i)[1], given(i)[2]}; };
  const std::size_t outside = reduce(
      workers, lattice_.is_open() ? 0 : n, kPointGrain, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::size_t count = 0;
        for (std::size_t i = begin; i < end; ++i) count += cells_of(place(i)) != Shift3{} ? 1 : 0;
        return count;
      },
      std::plus<>());
  is_inside_ = outside == 0;
  if (is_inside_) return;
  cells_ = Array<std::int32_t>(3 * n, workers.pool());
  wrapped_ = Array<double>(3 * n, workers.pool());
  workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Shift3 cells = {};
      Vector3 inside = place(i);
      // Far from the cell, the first step may miss it by a little.
      for (int step = 0; step < 3; ++step) {
        const Shift3 more = cells_of(inside);
        for (std::size_t k = 0; k < 3; ++k) cells[k] += more[k];
        const Vector3 offset = lattice_.offset(cells);
        for (std::size_t axis = 0; axis < 3; ++axis) inside[axis] = given(i)[axis] - offset[axis];
      }
      std::copy_n(cells.data(), 3, cells_.data() + 3 * i);
      std::copy_n(inside.data(), 3, wrapped_.data() + 3 * i);
    }
  });
}

/// Bins at least `width` wide, and how many of them a reach may cross.
void AtomBins::choose_bins(double reach, double width) {
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    const double size = lattice_.is_periodic(k) ? lattice_.height(k) : extent_[axis];
    // In parts of the extent.
    const double narrowest = width / size + 8 * lattice_.error();
    bins_[axis] = narrowest < 1 ? static_cast<std::int64_t>((1 - kBlur) / narrowest) : 1;
    bins_[axis] = std::clamp<std::int64_t>(bins_[axis], 1, kMostBins);
    const auto bins = static_cast<double>(bins_[axis]);
    const double crossed = std::min(bins * (reach / size) + kBlur, 1e15);
    // A shift by many cells carries the error of the inverse along.
    const double most = std::ceil(crossed + bins * lattice_.error() * (4 + 4 * crossed / bins));
    if (!lattice_.is_periodic(k))
      around_[axis] = static_cast<std::int64_t>(
          size > 0 ? std::min(most, static_cast<double>(bins_[axis] - 1)) : 0);
    else
      around_[axis] = static_cast<std::int64_t>(std::min(most, 1e15));
  }
}

void AtomBins::fit_bins(double reach, const Workers& workers) {
  const std::size_t n = given_.size() / 3;
  const double* places = is_inside_ ? given_.data() : wrapped_.data();
  struct Bounds3 {
    Vector3 low, high;
    double largest;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Bounds3 none{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}, 0};
  const Bounds3 bounds = reduce(
      workers, n, kPointGrain, none,
      [&](std::size_t begin, std::size_t end) {
        Bounds3 found = none;
        for (std::size_t i = begin; i < end; ++i) {
          const Vector3 x = {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
          for (int k = 0; k < 3; ++k) {
            const auto axis = static_cast<std::size_t>(k);
            found.low[axis] = std::min(found.low[axis], lattice_.along(k, x));
            found.high[axis] = std::max(found.high[axis], lattice_.along(k, x));
            found.largest = std::max({found.largest, std::abs(x[axis]), std::abs(given(i)[axis])});
          }
        }
        return found;
      },
      [](const Bounds3& a, const Bounds3& b) {
        Bounds3 both = a;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          both.low[axis] = std::min(a.low[axis], b.low[axis]);
          both.high[axis] = std::max(a.high[axis], b.high[axis]);
        }
        both.largest = std::max(a.largest, b.largest);
        return both;
      });
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    low_[axis] = lattice_.is_periodic(k) || n == 0 ? 0 : bounds.low[axis];
    extent_[axis] = lattice_.is_periodic(k) ? 1 : n == 0 ? 0 : bounds.high[axis] - bounds.low[axis];
  }
  // Vectors are differences of numbers of this size: their rounding is far below 2^-40 of it. The
  // last term is for squares that vanish.
  const double size = bounds.largest + 4 * lattice_.largest() + 4 * reach;
  reach_ = reach * (1 + 1e-12) + std::ldexp(size, -40) + 1e-150;
  choose_bins(reach_, reach_);
  const double bins =
      static_cast<double>(bins_[0]) * static_cast<double>(bins_[1]) * static_cast<double>(bins_[2]);
  constexpr double kCrowd = 6;  // atoms per bin; measured
  if (static_cast<double>(n) > kCrowd * bins && n > 64) choose_bins(reach_, reach_ / 2);
}

/// The lines of bins that a sphere may meet: along the third axis, where bins are adjacent in
/// memory.
void AtomBins::make_lines() {
  std::array<Vector3, 3> edge;
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    const double part = extent_[axis] / static_cast<double>(bins_[axis]);
    for (std::size_t i = 0; i < 3; ++i) edge[axis][i] = part * lattice_.basis(k)[i];
  }
  double diagonal2 = 0;
  for (int signs = 0; signs < 4; ++signs) {
    Vector3 sum;
    for (std::size_t i = 0; i < 3; ++i)
      sum[i] = edge[0][i] + (signs & 1 ? -1 : 1) * edge[1][i] + (signs & 2 ? -1 : 1) * edge[2][i];
    diagonal2 = std::max(diagonal2, dot(sum, sum));
  }
  const double far = (reach_ + std::sqrt(diagonal2)) * (1 + 1e-6);
  const double along2 = dot(edge[2], edge[2]);
  for (auto a = -static_cast<int>(around_[0]); a <= around_[0]; ++a)
    for (auto b = -static_cast<int>(around_[1]); b <= around_[1]; ++b) {
      Vector3 line;
      for (std::size_t i = 0; i < 3; ++i) line[i] = a * edge[0][i] + b * edge[1][i];
      double begin = -static_cast<double>(around_[2]), end = static_cast<double>(around_[2]);
      if (along2 > 0) {
        const double middle = -dot(line, edge[2]) / along2;
        Vector3 nearest;
        for (std::size_t i = 0; i < 3; ++i) nearest[i] = line[i] + middle * edge[2][i];
        const double half2 = (far * far - dot(nearest, nearest) * (1 - 1e-6)) / along2;
        if (half2 < 0) continue;
        const double half = std::sqrt(half2) * (1 + 1e-6) + 1e-6;
        begin = std::max(begin, std::ceil(middle - half));
        end = std::min(end, std::floor(middle + half));
      }
      if (begin <= end) lines_.push_back({a, b, static_cast<int>(begin), static_cast<int>(end)});
    }
}

void AtomBins::add_images(const char* call) {
  double count = 1;
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    images_around_[axis] =
        lattice_.is_periodic(k) ? (around_[axis] + bins_[axis] - 1) / bins_[axis] : 0;
    count *= static_cast<double>(2 * images_around_[axis] + 1);
  }
  if (count > static_cast<double>(kMostImages))
    fail(ErrorCode::too_large,
         "{}: the cutoff reaches {} images of the cell; choose a smaller one, or repeat the cell",
         call, count);
  const auto most = [&](std::size_t axis) { return static_cast<int>(images_around_[axis]); };
  images_.reserve(static_cast<std::size_t>(count));
  for (int a = -most(0); a <= most(0); ++a)
    for (int b = -most(1); b <= most(1); ++b)
      for (int c = -most(2); c <= most(2); ++c)
        images_.push_back({{a, b, c}, lattice_.offset({a, b, c})});
}

std::uint64_t AtomBins::key_of(const double* wrapped) const {
  std::uint64_t key = 0;
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    const double place = lattice_.along(k, {wrapped[0], wrapped[1], wrapped[2]}) - low_[axis];
    const auto bins = static_cast<double>(bins_[axis]);
    const double bin = extent_[axis] > 0 ? place * bins / extent_[axis] : 0;
    key = key * static_cast<std::uint64_t>(bins_[axis]) +
          static_cast<std::uint64_t>(std::clamp(bin, 0.0, bins - 0.5));
  }
  return key;
}

/// Ties keep the order of the input.
void AtomBins::sort(const Workers& workers) {
  const std::size_t n = given_.size() / 3;
  const double* places = is_inside_ ? given_.data() : wrapped_.data();
  Array<KeyIndex> keys(n, workers.pool());
  workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      keys[i] = {key_of(places + 3 * i), static_cast<std::uint32_t>(i)};
  });
  constexpr std::size_t kFew = 2048;
  if (n <= kFew)
    std::sort(keys.begin(), keys.end());
  else
    sort_keys(workers, keys.data(), n);
  index_ = Array<std::uint32_t>(n + kLanes, workers.pool());
  std::fill(index_.begin() + n, index_.end(), 0u);
  key_ = Array<std::uint64_t>(n, workers.pool());
  for (Array<double>& column : columns_.x) {
    column = Array<double>(n + kLanes, workers.pool());
    std::fill(column.begin() + n, column.end(), 0.0);
  }
  workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      index_[at] = keys[at].index;
      key_[at] = keys[at].key;
      for (std::size_t axis = 0; axis < 3; ++axis)
        columns_.x[axis][at] = places[3 * std::size_t{keys[at].index} + axis];
    }
  });
  const auto bins = static_cast<std::uint64_t>(bins_[0]) * static_cast<std::uint64_t>(bins_[1]) *
                    static_cast<std::uint64_t>(bins_[2]);
  if (bins > 4 * n + 64) return;
  first_in_ = Array<std::uint32_t>(bins + 1, workers.pool());
  std::size_t at = 0;
  for_each_in_order(workers, bins + 1, [&](std::size_t bin) {
    while (at < n && key_[at] < bin) ++at;
    first_in_[bin] = static_cast<std::uint32_t>(at);
  });
}

std::uint32_t AtomBins::first_at(std::uint64_t key) const {
  if (!first_in_.empty()) return first_in_[key];
  return static_cast<std::uint32_t>(std::lower_bound(key_.begin(), key_.end(), key) - key_.begin());
}

/// Of one line: bins [begin, end] of the third axis, which may be in several images.
void AtomBins::add_runs(std::uint64_t line_key, int begin, int end, int code,
                        std::vector<Run>& runs) const {
  const std::int64_t bins = bins_[2];
  const std::int64_t last = lattice_.is_periodic(2) ? floor_divide(end, bins) : 0;
  for (std::int64_t image = lattice_.is_periodic(2) ? floor_divide(begin, bins) : 0; image <= last;
       ++image) {
    const std::int64_t from = std::max<std::int64_t>(begin - image * bins, 0);
    const std::int64_t to = std::min<std::int64_t>(end - image * bins, bins - 1);
    if (from > to) continue;
    const std::uint32_t first = first_at(line_key + static_cast<std::uint64_t>(from));
    const std::uint32_t past = first_at(line_key + static_cast<std::uint64_t>(to) + 1);
    if (first < past)
      runs.push_back(
          {first, past,
           static_cast<std::uint32_t>(code + static_cast<int>(image + images_around_[2]))});
  }
}

void AtomBins::runs_around(std::size_t at, std::vector<Run>& runs) const {
  runs.clear();
  const auto bins = [&](std::size_t axis) { return static_cast<std::uint64_t>(bins_[axis]); };
  const std::int64_t own[3] = {static_cast<std::int64_t>(key_[at] / bins(2) / bins(1)),
                               static_cast<std::int64_t>(key_[at] / bins(2) % bins(1)),
                               static_cast<std::int64_t>(key_[at] % bins(2))};
  for (const Line& line : lines_) {
    const std::int64_t place[2] = {own[0] + line.first, own[1] + line.second};
    std::int64_t code = 0;
    std::uint64_t key = 0;
    bool is_there = true;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      std::int64_t image = 0;
      if (lattice_.is_periodic(static_cast<int>(axis)))
        image = floor_divide(place[axis], bins_[axis]);
      else
        is_there = is_there && place[axis] >= 0 && place[axis] < bins_[axis];
      code = code * (2 * images_around_[axis] + 1) + image + images_around_[axis];
      key = key * bins(axis) + static_cast<std::uint64_t>(place[axis] - image * bins_[axis]);
    }
    if (!is_there) continue;
    code *= 2 * images_around_[2] + 1;
    add_runs(key * bins(2), static_cast<int>(own[2]) + line.begin,
             static_cast<int>(own[2]) + line.end, static_cast<int>(code), runs);
  }
}

}  // namespace kith
