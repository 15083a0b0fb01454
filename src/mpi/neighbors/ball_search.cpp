#include <algorithm>
#include <numeric>

#include "mpi/neighbors/search.hpp"
#include "neighbors/parts.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

template <class T>
std::vector<std::int64_t> counts_of(RadiusJob<T> job, const char* stage, Workers& workers) {
  std::vector<std::int64_t> counts = filled<std::int64_t>(workers, job.queries.points);
  job.counts = counts.data();
  Parts<T>::search(job, stage, workers);
  return counts;
}

}  // namespace

/// The lists of far queries among the own points.
template <class T>
struct OwnLists {
  std::vector<std::int64_t> offset;
  Array<std::uint32_t> point;
  Array<T> d2;

  OwnLists(std::vector<std::int64_t> counts, std::size_t most, const Workers& workers)
      : offset(std::move(counts)) {
    if (most > 0)
      for (std::int64_t& count : offset) count = std::min(count, static_cast<std::int64_t>(most));
    offset.push_back(0);
    std::exclusive_scan(offset.begin(), offset.end(), offset.begin(), std::int64_t{0});
    point = Array<std::uint32_t>(static_cast<std::size_t>(offset.back()), workers.pool());
    d2 = Array<T>(point.size(), workers.pool());
  }
  void set(const Found<T>& found) const {
    std::copy_n(found.index, found.count, point.data() + offset[found.row]);
    std::copy_n(found.distance, found.count, d2.data() + offset[found.row]);
  }
  Row<T> row(std::size_t i) const {
    return {i, static_cast<std::size_t>(offset[i + 1] - offset[i]), point.data() + offset[i],
            d2.data() + offset[i]};
  }
};

template <class T>
BallSearch<T>::BallSearch(Call& call, const Queries<T>& asked, const Balls<T>& balls,
                          Sources<T>& sources)
    : asked_(asked), balls_(balls), sources_(sources) {
  call.phase([&](Workers& workers) { prepare(call.rank(), workers); });
  sources_.ghosts = import_ghosts(call, sources_.part, far_, sources_.value,
                                  sources.is_euclidean() ? GhostsOf::others : GhostsOf::all);
  call.phase([&](Workers& workers) { number_queries(workers); });
}

template <class T>
void BallSearch<T>::prepare(int rank, Workers& workers) {
  const std::size_t n = asked_.view.points;
  const NearBoxes<T> near(sources_.part, asked_.view, rank, workers);
  Array<T> reach2(n, workers.pool());
  is_far_ = Array<std::uint8_t>(n, workers.pool());
  if (balls_.limits2) limits2_ = Array<T>(n, workers.pool());
  workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T limit2 = balls_.limit_of(i);
      is_far_[i] = limit2 >= 0 && near.reaches_box(i, limit2) ? 1 : 0;
      reach2[i] = is_far_[i] ? limit2 : T(-1);
      if (balls_.limits2) limits2_[asked_.view.index(i)] = limit2;
    }
  });
  far_ = select_far(*asked_.points, reach2, workers);
}

template <class T>
void BallSearch<T>::number_queries(const Workers& workers) {
  numbered_ = number_far_queries(sources_, asked_, far_.queries.planes, workers);
  if (!balls_.limits) return;
  const std::size_t most = std::max(numbered_.points, sources_.ghosts.global.size());
  ghost_limits_ = Array<double>(most, workers.pool());
  for (std::size_t i = 0; i < numbered_.points; ++i)
    ghost_limits_[numbered_.index(i)] = balls_.limits[far_.queries.planes.index(i)];
}

template <class T>
RadiusJob<T> BallSearch<T>::own_job(const PlanesView<T>& queries) const {
  auto job = job_in<T, RadiusJob<T>>(sources_, sources_.part.view(), queries);
  job.limit2 = balls_.limit2;
  job.limit = balls_.limit;
  job.limits = balls_.limits;
  if (balls_.limits2) job.limits2 = limits2_.data();
  job.exclude_self = balls_.exclude_self;
  job.max_neighbors = balls_.max_neighbors;
  job.is_grouped = job.source.points / 32 <= queries.points;
  return job;
}

template <class T>
RadiusJob<T> BallSearch<T>::ghost_job() const {
  auto job = job_in<T, RadiusJob<T>>(sources_, sources_.ghosts.planes.view(), numbered_.view());
  job.limit2 = balls_.limit2;
  job.limit = balls_.limit;
  if (sources_.is_euclidean()) job.limits2 = far_.reach2.data();
  if (balls_.limits) job.limits = ghost_limits_.data();
  job.exclude_self = balls_.exclude_self && !sources_.is_euclidean();
  job.max_neighbors = balls_.max_neighbors;
  job.is_grouped = job.source.points / 32 <= job.queries.points;
  return job;
}

template <class T>
std::vector<std::int64_t> BallSearch<T>::count(Workers& workers) const {
  std::vector<std::int64_t> counts = counts_of(own_job(asked_.view), "count", workers);
  const std::vector<std::int64_t> more = counts_of(ghost_job(), "count ghosts", workers);
  for (std::size_t i = 0; i < more.size(); ++i) {
    std::int64_t& sum = counts[far_.queries.position[i]];
    sum = more[i] + (sources_.is_euclidean() ? sum : 0);
  }
  return counts;
}

template <class T>
void BallSearch<T>::search(Workers& workers, Deliver<T> deliver) const {
  const auto visit = [&](const Found<T>& found) {
    if (!is_far_[found.row]) deliver({found.row, found.count, found.index, found.distance});
  };
  const FunctionRef<void(const Found<T>&)> visitor(visit);
  RadiusJob<T> job = own_job(asked_.view);
  job.visit = &visitor;
  Parts<T>::search(job, "fill", workers);
  search_far(workers, deliver);
}

/// Those of far queries; without any neighbors where ghosts contain the own points.
template <class T>
OwnLists<T> BallSearch<T>::own_lists(Workers& workers) const {
  if (!sources_.is_euclidean())
    return OwnLists<T>(filled<std::int64_t>(workers, far_.queries.position.size()), 0, workers);
  RadiusJob<T> own = own_job(far_.queries.planes.view());
  OwnLists<T> lists(counts_of(own, "count near edges", workers), balls_.max_neighbors, workers);
  const auto set = [&](const Found<T>& found) { lists.set(found); };
  const FunctionRef<void(const Found<T>&)> setter(set);
  own.visit = &setter;
  Parts<T>::search(own, "fill near edges", workers);
  return lists;
}

template <class T>
void BallSearch<T>::search_far(Workers& workers, Deliver<T> deliver) const {
  const OwnLists<T> lists = own_lists(workers);
  Borrowed<MergedRow<T>> rows;
  const std::size_t most =
      balls_.max_neighbors ? balls_.max_neighbors : std::numeric_limits<std::size_t>::max();
  const auto merge = [&](std::size_t i, const Row<T>& ghosts) {
    const typename Borrowed<MergedRow<T>>::Loan row(rows);
    row->merge(sources_, lists.row(i), ghosts, most);
    deliver({far_.queries.position[i], row->point.size(), row->point.data(), row->d2.data()});
  };
  RadiusJob<T> ghosts = ghost_job();
  if (ghosts.source.points == 0) {
    for (std::size_t i = 0; i < far_.queries.position.size(); ++i) merge(i, {});
    return;
  }
  const auto visit = [&](const Found<T>& found) {
    merge(found.row, {found.row, found.count, found.index, found.distance});
  };
  const FunctionRef<void(const Found<T>&)> visitor(visit);
  ghosts.visit = &visitor;
  Parts<T>::search(ghosts, "fill ghosts", workers);
}

template class BallSearch<float>;
template class BallSearch<double>;

}  // namespace kith::mpi
