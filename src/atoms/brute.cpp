#include "atoms/brute.hpp"

#include <algorithm>
#include <cmath>

#include "atoms/lattice.hpp"
#include "base/float_environment.hpp"

namespace kith {
namespace {

double coordinate(const PointsView& points, std::size_t i, int axis) {
  if (axis >= points.dimension) return 0;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * points.stride + axis;
  return points.scalar == Scalar::float32 ? double{static_cast<const float*>(points.data)[at]}
                                          : static_cast<const double*>(points.data)[at];
}

class BruteSystem {
 public:
  BruteSystem(const AtomSystem& system, const NeighborListOptions& options, std::size_t first,
              std::vector<BrutePair>& pairs)
      : system_(system),
        options_(options),
        lattice_("brute", system.lattice, system.positions.dimension),
        first_(first),
        pairs_(pairs) {}

  void run() {
    for (std::size_t i = 0; i < system_.positions.size; ++i) {
      const std::size_t first = pairs_.size();
      for (std::size_t j = 0; j < system_.positions.size; ++j) add_images(i, j);
      if (options_.max_neighbors > 0) keep_nearest(first);
    }
  }

 private:
  double cutoff(std::size_t i, std::size_t j) const {
    if (options_.radii.empty()) return options_.cutoff;
    return options_.radii[first_ + i] + options_.radii[first_ + j];
  }

  /// Of the pairs from `first` on, which are in order.
  void keep_nearest(std::size_t first) {
    const auto begin = pairs_.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<BrutePair> row(begin, pairs_.end());
    const auto d2 = [](const BrutePair& pair) {
      return pair.vector[0] * pair.vector[0] + pair.vector[1] * pair.vector[1] +
             pair.vector[2] * pair.vector[2];
    };
    std::stable_sort(row.begin(), row.end(),
                     [&](const BrutePair& a, const BrutePair& b) { return d2(a) < d2(b); });
    row.resize(std::min(row.size(), options_.max_neighbors));
    std::sort(row.begin(), row.end(), [](const BrutePair& a, const BrutePair& b) {
      return a.j != b.j ? a.j < b.j : a.shift < b.shift;
    });
    pairs_.erase(begin, pairs_.end());
    pairs_.insert(pairs_.end(), row.begin(), row.end());
  }

  /// All shifts that may bring j to i, and one more on either side.
  void add_images(std::size_t i, std::size_t j) {
    std::array<double, 3> difference;
    for (int axis = 0; axis < 3; ++axis)
      difference[static_cast<std::size_t>(axis)] =
          coordinate(system_.positions, j, axis) - coordinate(system_.positions, i, axis);
    int least[3] = {}, most[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      if (!lattice_.is_periodic(axis)) continue;
      const double middle = -lattice_.along(axis, difference);
      const double reach = cutoff(i, j) / lattice_.height(axis);
      least[axis] = static_cast<int>(std::floor(middle - reach)) - 1;
      most[axis] = static_cast<int>(std::ceil(middle + reach)) + 1;
    }
    for (int a = least[0]; a <= most[0]; ++a)
      for (int b = least[1]; b <= most[1]; ++b)
        for (int c = least[2]; c <= most[2]; ++c) add(i, j, {a, b, c}, difference);
  }

  void add(std::size_t i, std::size_t j, const std::array<std::int32_t, 3>& shift,
           const std::array<double, 3>& difference) {
    constexpr std::array<std::int32_t, 3> kNone = {};
    if (i == j && shift == kNone && !options_.self_interaction) return;
    if (options_.half && (j < i || (j == i && shift < kNone))) return;
    BrutePair pair{
        static_cast<std::int64_t>(first_ + i), static_cast<std::int64_t>(first_ + j), shift, 0, {}};
    double d2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double offset = 0;
      for (std::size_t k = 0; k < 3; ++k)
        if (system_.lattice.periodic[k]) offset += shift[k] * system_.lattice.vectors[k][axis];
      pair.vector[axis] = difference[axis] + offset;
      d2 += pair.vector[axis] * pair.vector[axis];
    }
    const double reach = cutoff(i, j);
    if (options_.strict ? !(d2 < reach * reach) : !(d2 <= reach * reach)) return;
    pair.distance = std::sqrt(d2);
    pairs_.push_back(pair);
  }

  const AtomSystem& system_;
  const NeighborListOptions& options_;
  PreparedLattice lattice_;
  std::size_t first_;
  std::vector<BrutePair>& pairs_;
};

}  // namespace

std::vector<BrutePair> brute_neighbor_list(std::span<const AtomSystem> systems,
                                           const NeighborListOptions& options) {
  const FloatEnvironment environment;
  std::vector<BrutePair> pairs;
  std::size_t first = 0;
  for (const AtomSystem& system : systems) {
    BruteSystem(system, options, first, pairs).run();
    first += system.positions.size;
  }
  return pairs;
}

}  // namespace kith
