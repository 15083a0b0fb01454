#include "mpi/search.hpp"

#include <algorithm>

#include "neighbors/limits.hpp"
#include "neighbors/parts.hpp"
#include "parallel/radix_sort.hpp"

namespace kith::mpi {
namespace {

template <class T>
bool has_others(const Part<T>& part, int mine) {
  const auto& owner = part.boxes.owner;
  return owner.size() > 0 && (owner[0] != static_cast<std::uint32_t>(mine) ||
                              owner[owner.size() - 1] != static_cast<std::uint32_t>(mine));
}

/// Rows of the far queries from the own points: k of each, so many of them filled.
template <class T>
struct OwnRows {
  std::size_t k = 0;
  Array<std::uint32_t> point, count;
  Array<T> d2;

  OwnRows(std::size_t rows, std::size_t most, const Workers& workers)
      : k(most),
        point(rows * most, workers.pool()),
        count(rows, workers.pool()),
        d2(rows * most, workers.pool()) {
    std::fill(count.begin(), count.end(), 0u);
  }
  void set(const Found<T>& found) {
    count[found.row] = static_cast<std::uint32_t>(found.count);
    std::copy_n(found.index, found.count, point.data() + found.row * k);
    std::copy_n(found.distance, found.count, d2.data() + found.row * k);
  }
  Row<T> row(std::size_t i) const { return {i, count[i], point.data() + i * k, d2.data() + i * k}; }
};

template <class T>
class KnnSearch {
 public:
  KnnSearch(Call& call, const Asked<T>& asked, const KnnOptions& options, Sources<T>& sources,
            Deliver<T> deliver)
      : call_(call), asked_(asked), options_(options), sources_(sources), deliver_(deliver) {
    limit2_ = kith::limit2<T>(options.max_radius, options.strict, sources.part.frame);
  }

  void run() {
    call_.phase([&](Workers& workers) { search_own(workers); });
    call_.phase([&](Workers& workers) { prepare(workers); });
    sources_.ghosts = import_ghosts(call_, sources_.part, far_, sources_.value);
    call_.phase([&](Workers& workers) { search_ghosts(workers); });
  }

 private:
  KnnJob<T> job(const PlanesView<T>& source, const PlanesView<T>& queries) const {
    auto job = job_in<T, KnnJob<T>>(sources_.part, source, queries);
    job.k = options_.k;
    job.limit2 = limit2_;
    job.is_grouped = source.points / 32 <= queries.points * (1 + options_.k / 64);
    return job;
  }

  /// Own points first; a query that may have neighbors elsewhere waits with its reach.
  void search_own(Workers& workers) {
    reach2_ = Array<T>(asked_.view.points, workers.pool());
    const bool is_hopeless = limit2_ < 0;
    const bool is_alone = is_hopeless || !has_others(sources_.part, call_.rank());
    const PlanesView<T> own = sources_.part.view();
    // What no search visits: nothing is here, so look as far as allowed.
    const bool is_searched = own.points > 0 && !is_hopeless;
    std::fill(reach2_.begin(), reach2_.end(), is_searched || is_alone ? T(-1) : limit2_);
    if (!is_searched) {
      if (is_alone) deliver_nothing();
      return;
    }
    if (!is_alone) nearest_ = nearest_boxes(sources_.part, asked_.view, call_.rank(), workers);
    const auto visit = [&](const Found<T>& found) {
      const T bound2 = found.count < options_.k ? limit2_ : found.distance[options_.k - 1];
      if (is_alone || bound2 < nearest_[found.row / kLanes].lower2)
        deliver_({found.row, found.count, found.index, found.distance});
      else
        reach2_[found.row] = bound2;
    };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    KnnJob<T> search = job(own, asked_.view);
    search.exclude_self = options_.exclude_self;
    search.visit = &visitor;
    Parts<T>::search(search, "search", workers);
  }

  void deliver_nothing() {
    for (std::size_t i = 0; i < asked_.view.points; ++i) deliver_({i, 0, nullptr, nullptr});
  }

  void prepare(Workers& workers) {
    far_ = reaching(asked_, reach2_, workers);
    reach2_ = {};
    nearest_ = {};
    const std::uint64_t need = options_.k + (options_.exclude_self ? 1 : 0);
    if (sources_.own() < need) shorten(sources_.part, need, workers, far_);
    workers.count("queries that look beyond their rank", far_.queries.position.size());
  }

  /// The far queries once more, now with all that is in their reach.
  void search_ghosts(Workers& workers) {
    Planes<T>& planes = far_.queries.planes;
    const std::size_t n = planes.points;
    OwnRows<T> own(n, std::min(options_.k, sources_.own()), workers);
    {
      const auto visit = [&](const Found<T>& found) { own.set(found); };
      const FunctionRef<void(const Found<T>&)> visitor(visit);
      KnnJob<T> search = job(sources_.part.view(), planes.view());
      search.exclude_self = options_.exclude_self;
      search.visit = &visitor;
      Parts<T>::search(search, "search near edges", workers);
    }
    const Planes<T> numbered = renumbered(planes, workers);
    Borrowed<MergedRow<T>> rows;
    const auto merge = [&](std::size_t i, const Row<T>& ghosts) {
      const typename Borrowed<MergedRow<T>>::Loan row(rows);
      row->merge(sources_, own.row(i), ghosts, options_.k);
      deliver_({far_.queries.position[i], row->point.size(), row->point.data(), row->d2.data()});
    };
    const PlanesView<T> ghosts = sources_.ghosts.planes.view();
    if (ghosts.points == 0) {
      for (std::size_t i = 0; i < n; ++i) merge(i, {});
      return;
    }
    const auto visit = [&](const Found<T>& found) {
      merge(found.row, {found.row, found.count, found.index, found.distance});
    };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    KnnJob<T> search = job(ghosts, numbered.view());
    search.limits2 = far_.reach2.data();
    search.visit = &visitor;
    Parts<T>::search(search, "search ghosts", workers);
  }

  Call& call_;
  const Asked<T>& asked_;
  const KnnOptions& options_;
  Sources<T>& sources_;
  Deliver<T> deliver_;
  T limit2_ = 0;
  Array<NearestBox<T>> nearest_;
  Array<T> reach2_;
  Reaching<T> far_;
};

}  // namespace

template <class T>
void MergedRow<T>::merge(const Sources<T>& sources, const Row<T>& own, const Row<T>& ghosts,
                         std::size_t most) {
  point.clear();
  d2.clear();
  const auto first_ghost = static_cast<std::uint32_t>(sources.own());
  std::size_t a = 0, b = 0;
  const auto is_own_next = [&] {
    if (a == own.count || b == ghosts.count) return b == ghosts.count;
    if (own.d2[a] != ghosts.d2[b]) return own.d2[a] < ghosts.d2[b];
    return sources.global(own.point[a]) < sources.ghosts.global[ghosts.point[b]];
  };
  while (point.size() < most && (a < own.count || b < ghosts.count)) {
    const bool is_own = is_own_next();
    point.push_back(is_own ? own.point[a] : first_ghost + ghosts.point[b]);
    d2.push_back(is_own ? own.d2[a] : ghosts.d2[b]);
    ++(is_own ? a : b);
  }
}

template <class T>
Planes<T> renumbered(const Planes<T>& planes, const Workers& workers) {
  Planes<T> copy;
  copy.dimension = planes.dimension;
  copy.points = planes.points;
  copy.blocks = Array<T>(planes.blocks.size(), workers.pool());
  std::copy(planes.blocks.begin(), planes.blocks.end(), copy.blocks.begin());
  for (std::size_t i = 0; i < copy.points; ++i) copy.index(i) = static_cast<std::uint32_t>(i);
  copy.planes = Parts<T>::packed(copy, workers);
  return copy;
}

template <class T>
void search_knn(Call& call, const Asked<T>& asked, const KnnOptions& options, Sources<T>& sources,
                Deliver<T> deliver) {
  KnnSearch<T>(call, asked, options, sources, deliver).run();
}

#define KITH_INSTANTIATE(T)                                        \
  template struct MergedRow<T>;                                    \
  template Planes<T> renumbered(const Planes<T>&, const Workers&); \
  template void search_knn(Call&, const Asked<T>&, const KnnOptions&, Sources<T>&, Deliver<T>);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
