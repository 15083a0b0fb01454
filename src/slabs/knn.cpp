#include "slabs/knn.hpp"

#include <algorithm>
#include <cmath>

#include "neighbors/limits.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/grains.hpp"
#include "slabs/passes.hpp"

namespace kith::slabs {
namespace {

constexpr std::uint32_t kNear = 0xffffffff;

template <class T, class Index>
class SlabSearch {
 public:
  SlabSearch(const SlabStore<T>& store, const KnnOptions& options, const RowTargets<T>& targets,
             const Budget& budget, const Execution& execution, Workers& workers)
      : store_(store),
        options_(options),
        k_(options.k),
        targets_(targets),
        budget_(budget),
        execution_(execution),
        workers_(workers),
        limit2_(kith::limit2<T>(options.max_radius, options.strict, store.frame)) {}

  void run() {
    each_slab(store_, "search", execution_, workers_, kNoState,
              [&](std::size_t slab, Workers& inside) { search(slab, inside); });
  }

 private:
  /// The rows of a slab, by place.
  struct Rows {
    Array<std::uint32_t> count;
    Array<Index> index;  ///< by place in the slab, then of the input
    Array<T> distance;   ///< d2 at first
    Array<T> limit2;     ///< no neighbor is farther
  };

  void search(std::size_t slab, Workers& inside) {
    part_ = read_slab(store_, slab, inside);
    const std::size_t n = part_.planes.points;
    rows_ = {Array<std::uint32_t>(n), Array<Index>(n * k_), Array<T>(n * k_), Array<T>(n)};
    inside.for_ranges(n, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(rows_.count.begin() + begin, rows_.count.begin() + end, 0U);
      std::fill(rows_.limit2.begin() + begin, rows_.limit2.begin() + end, limit2_);
    });
    search_own(inside);
    select(inside);
    numbers_.clear();
    for (std::size_t r = 0; r < targets_.reductions.size(); ++r)
      numbers_.push_back(filled<double>(inside, n));
    finish(false, inside);
    each_ghosts<T>(store_, slab, far_, budget_, inside,
                   [&](const Ghosts<T>& ghosts) { search_ghosts(ghosts, inside); });
    finish(true, inside);
    write(store_.begin[slab], inside);
  }

  KnnJob<T> job(const PlanesView<T>& source, const PlanesView<T>& queries) const {
    KnnJob<T> job;
    set_slab_job(job, store_, source, queries, limit2_);
    job.k = k_;
    job.wants_d2 = true;
    return job;
  }

  void search_own(Workers& inside) {
    if (limit2_ < 0) return;
    const auto visit = [&](const Found<T>& found) {
      rows_.count[found.row] = static_cast<std::uint32_t>(found.count);
      Index* const index = rows_.index.data() + found.row * k_;
      for (std::size_t i = 0; i < found.count; ++i) index[i] = static_cast<Index>(found.index[i]);
      std::copy_n(found.distance, found.count, rows_.distance.data() + found.row * k_);
      shorten(found.row);
    };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    KnnJob<T> own = job(part_.planes.view(), part_.planes.view());
    own.exclude_self = options_.exclude_self;
    own.visit = &visitor;
    Parts<T>::search(own, "search", inside);
  }

  void shorten(std::size_t row) const {
    if (rows_.count[row] == k_) rows_.limit2[row] = rows_.distance[row * k_ + k_ - 1];
  }

  /// Finds the rows that look at other slabs, which get indices of the input, and masses.
  void select(Workers& inside) {
    const std::size_t n = part_.planes.points;
    Array<T> reach2(n, inside.pool());
    inside.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) reach2[i] = rows_.limit2[part_.planes.index(i)];
    });
    far_ = far_queries(store_, part_, reach2, inside);
    far_of_ = filled(inside, n, kNear);
    const std::size_t far = far_.queries.position.size();
    mass_ = filled<double>(inside, part_.mass.empty() ? 0 : far * k_);
    inside.for_ranges(far, 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = part_.planes.index(far_.queries.position[i]);
        far_of_[row] = static_cast<std::uint32_t>(i);
        for (std::size_t j = 0; j < rows_.count[row]; ++j) {
          const auto place = static_cast<std::size_t>(rows_.index[row * k_ + j]);
          if (!mass_.empty()) mass_[i * k_ + j] = part_.mass[place];
          rows_.index[row * k_ + j] = static_cast<Index>(part_.index[place]);
        }
      }
    });
  }

  // ---- points of other slabs

  /// A row and the masses of its neighbors while it is merged.
  struct Merged {
    std::vector<Index> index;
    std::vector<T> d2;
    std::vector<double> mass;
  };

  void search_ghosts(const Ghosts<T>& ghosts, Workers& inside) {
    Borrowed<Merged> scratch;
    const auto visit = [&](const Found<T>& found) {
      if (found.count == 0) return;
      const typename Borrowed<Merged>::Loan merged(scratch);
      merge(found, ghosts, *merged);
    };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    KnnJob<T> search = job(ghosts.planes.view(), far_.queries.planes.view());
    search.limits2 = rows_.limit2.data();
    search.visit = &visitor;
    Parts<T>::search(search, "search", inside);
    for (std::size_t i = 0; i < far_.reach2.size(); ++i) {
      const std::size_t row = part_.planes.index(far_.queries.position[i]);
      shorten(row);
      far_.reach2[i] = rows_.limit2[row];
    }
  }

  void merge(const Found<T>& found, const Ghosts<T>& ghosts, Merged& merged) const {
    const std::size_t own = rows_.count[found.row];
    Index* const index = rows_.index.data() + found.row * k_;
    T* const d2 = rows_.distance.data() + found.row * k_;
    double* const mass = mass_.empty() ? nullptr : mass_.data() + far_of_[found.row] * k_;
    merged = {};
    const auto ghost = [&](std::size_t i) {
      return static_cast<Index>(ghosts.index[found.index[i]]);
    };
    for (std::size_t a = 0, b = 0; merged.index.size() < k_ && (a < own || b < found.count);) {
      const bool is_own =
          b == found.count || (a < own && (d2[a] < found.distance[b] ||
                                           (d2[a] == found.distance[b] && index[a] < ghost(b))));
      merged.index.push_back(is_own ? index[a] : ghost(b));
      merged.d2.push_back(is_own ? d2[a] : found.distance[b]);
      if (mass) merged.mass.push_back(is_own ? mass[a] : ghosts.mass[found.index[b]]);
      ++(is_own ? a : b);
    }
    std::copy(merged.index.begin(), merged.index.end(), index);
    std::copy(merged.d2.begin(), merged.d2.end(), d2);
    std::copy(merged.mass.begin(), merged.mass.end(), mass);
    rows_.count[found.row] = static_cast<std::uint32_t>(merged.index.size());
  }

  // ---- results

  /// Makes results of the rows that are near, or far.
  void finish(bool is_far, const Workers& inside) {
    const T unscale = std::ldexp(T(1), -store_.frame.exponent);
    inside.for_ranges(far_of_.size(), 1024, [&](std::size_t begin, std::size_t end) {
      std::vector<double> masses(part_.mass.empty() ? 0 : k_);
      for (std::size_t row = begin; row < end; ++row) {
        if ((far_of_[row] != kNear) != is_far) continue;
        const std::size_t count = rows_.count[row];
        Index* const index = rows_.index.data() + row * k_;
        T* const distance = rows_.distance.data() + row * k_;
        for (std::size_t i = 0; i < count; ++i) distance[i] = std::sqrt(distance[i]) * unscale;
        for (std::size_t i = 0; i < count && !is_far; ++i) {
          const auto place = static_cast<std::size_t>(index[i]);
          if (!masses.empty()) masses[i] = part_.mass[place];
          index[i] = static_cast<Index>(part_.index[place]);
        }
        std::fill(index + count, index + k_, Index(-1));
        std::fill(distance + count, distance + k_, std::numeric_limits<T>::infinity());
        const double* mass = masses.empty() ? nullptr
                             : is_far       ? mass_.data() + far_of_[row] * k_
                                            : masses.data();
        for (std::size_t r = 0; r < numbers_.size(); ++r)
          numbers_[r][row] = targets_.reductions[r].value(count, distance, mass);
      }
    });
  }

  void write(std::uint64_t begin, const Workers& inside) const {
    if (targets_.index)
      targets_.index->write(begin, std::span<const Index>(rows_.index.data(), rows_.index.size()),
                            inside);
    if (targets_.distance)
      targets_.distance->write(
          begin, std::span<const T>(rows_.distance.data(), rows_.distance.size()), inside);
    for (std::size_t r = 0; r < numbers_.size(); ++r)
      targets_.reductions[r].to->write(begin, std::span<const double>(numbers_[r]), inside);
  }

  const SlabStore<T>& store_;
  const KnnOptions& options_;
  std::size_t k_;
  const RowTargets<T>& targets_;
  const Budget& budget_;
  const Execution& execution_;
  Workers& workers_;
  T limit2_;
  SlabPart<T> part_;
  Rows rows_;
  FarQueries<T> far_;
  std::vector<std::uint32_t> far_of_;  ///< of each place: its number among the far ones, or kNear
  mutable std::vector<double> mass_;   ///< of the neighbors of far queries
  std::vector<std::vector<double>> numbers_;
};

}  // namespace

std::uint64_t knn_bytes(const StoredPoints& points, const KnnOptions& options, bool has_mass) {
  const std::uint64_t index = points.size() > 0x7fffffff ? 8 : 4;
  const std::uint64_t distance = points.scalar() == Scalar::float32 ? 4 : 8;
  // Beside the rows: index, mass, limit, reach, number, and far queries under planes.
  return options.k * (index + distance + (has_mass ? 8 : 0)) + (has_mass ? 8 : 0) + 24 +
         6 * distance;
}

template <class T, class Index>
void search_slabs(const SlabStore<T>& store, const KnnOptions& options,
                  const RowTargets<T>& targets, const Budget& budget, const Execution& execution,
                  Workers& workers) {
  SlabSearch<T, Index>(store, options, targets, budget, execution, workers).run();
}

#define KITH_INSTANTIATE(T, Index)                                                            \
  template void search_slabs<T, Index>(const SlabStore<T>&, const KnnOptions&,                \
                                       const RowTargets<T>&, const Budget&, const Execution&, \
                                       Workers&);
KITH_INSTANTIATE(float, std::int32_t)
KITH_INSTANTIATE(float, std::int64_t)
KITH_INSTANTIATE(double, std::int32_t)
KITH_INSTANTIATE(double, std::int64_t)
#undef KITH_INSTANTIATE

}  // namespace kith::slabs
