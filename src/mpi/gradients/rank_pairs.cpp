#include "mpi/gradients/rank_pairs.hpp"

#include <algorithm>

#include "base/checked_sort.hpp"
#include "mpi/domains/domain.hpp"
#include "neighbors/parts.hpp"

namespace kith::mpi {

template <class T>
RankPairs<T>::RankPairs(Call& call, const PairsOf& pairs) : call_(call), pairs_(pairs) {
  agree_on_frame();
  call_.work([&](Workers& workers) {
    check(workers);
    find_ghosts(workers);
  });
  import_ghosts();
}

/// One frame for all points, as in one process.
template <class T>
void RankPairs<T>::agree_on_frame() {
  const auto d = static_cast<std::size_t>(pairs_.points.dimension);
  const auto ranks = static_cast<std::size_t>(call_.ranks());
  std::vector<double> ends;
  std::vector<std::uint64_t> sizes;
  std::int64_t none = pairs_.queries.data ? 0 : 1;  // a rank may have no queries
  call_.communicator().least(&none, 1);
  has_queries_ = none == 0;
  call_.phase([&](Workers& workers) {
    check_view(call_.name(), pairs_.points, pairs_.box);
    const bool has_rows = pairs_.queries.data != nullptr;
    if (has_rows) check_view(call_.name(), pairs_.queries, pairs_.box);
    if (pairs_.points.scalar != scalar_of<T> || (has_rows && pairs_.queries.scalar != scalar_of<T>))
      refuse("{}: points and queries must be of the type of the result", call_.name());
    if (has_rows && pairs_.queries.dimension != pairs_.points.dimension)
      refuse("{}: queries of dimension {} for points of dimension {}", call_.name(),
             pairs_.queries.dimension, pairs_.points.dimension);
    if (!pairs_.lists.offset.empty())
      refuse("{}: lists of different lengths; over ranks, give lists of k neighbors", call_.name());
    const std::size_t queries = has_queries_ ? pairs_.queries.size : pairs_.points.size;
    if (rows() != queries)
      refuse("{}: {} lists for {} queries; give one for each", call_.name(), rows(), queries);
    const Extent<T> extent = Parts<T>::measure(pairs_.points, NonFinite::drop, workers).extent;
    for (std::size_t axis = 0; axis < d; ++axis)
      ends.push_back(static_cast<double>(extent.bounds.lo[axis]));
    for (std::size_t axis = 0; axis < d; ++axis)
      ends.push_back(-static_cast<double>(extent.bounds.hi[axis]));
    sizes.resize(2 * ranks);
    first_point_.assign(ranks + 1, 0);
    first_row_.assign(ranks + 1, 0);
  });
  call_.communicator().least(ends.data(), ends.size());
  const std::uint64_t mine[] = {points(), rows()};
  call_.communicator().gather_all(mine, sizeof mine, sizes.data());
  for (std::size_t r = 0; r < ranks; ++r) {
    first_point_[r + 1] = first_point_[r] + sizes[2 * r];
    first_row_[r + 1] = first_row_[r] + sizes[2 * r + 1];
  }
  Extent<T> extent;
  for (std::size_t axis = 0; axis < d; ++axis) {
    extent.bounds.lo[axis] = static_cast<T>(ends[axis]);
    extent.bounds.hi[axis] = static_cast<T>(-ends[d + axis]);
  }
  call_.prepare([&] { frame_ = Parts<T>::frame(pairs_.box, pairs_.points.dimension, extent); });
}

template <class T>
void RankPairs<T>::check(const Workers& workers) {
  const auto total = static_cast<std::int64_t>(first_point_.back());
  const ListsView& lists = pairs_.lists;
  workers.for_ranges(lists.pairs(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pair = begin; pair < end; ++pair)
      if (neighbor_of(lists, pair) >= total)
        refuse("{}: index {} in a list, but all ranks have {} points", call_.name(),
               neighbor_of(lists, pair), total);
  });
}

/// Points of other ranks in the lists, and the lists in local numbers.
template <class T>
void RankPairs<T>::find_ghosts(const Workers& workers) {
  const std::uint64_t begin = start(call_.rank()), end = start(call_.rank() + 1);
  const std::size_t pairs = pairs_.lists.pairs();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::int64_t index = neighbor_of(pairs_.lists, pair);
    const auto global = static_cast<std::uint64_t>(index);
    if (index >= 0 && (global < begin || global >= end)) global_.push_back(global);
  }
  checked_sort(global_.begin(), global_.end(), [&] { workers.check_cancelled(); });
  global_.erase(std::unique(global_.begin(), global_.end()), global_.end());
  if (points() + ghosts() > most_points)
    fail(ErrorCode::too_large,
         "{}: {} points on one rank, {} of them of other ranks; it holds at most {}", call_.name(),
         points() + ghosts(), ghosts(), most_points);
  local_.resize(pairs);
  workers.for_ranges(pairs, std::size_t{1} << 14, [&](std::size_t first, std::size_t last) {
    for (std::size_t pair = first; pair < last; ++pair) {
      const std::int64_t index = neighbor_of(pairs_.lists, pair);
      const auto global = static_cast<std::uint64_t>(index);
      if (index < 0) {
        local_[pair] = -1;
      } else if (global >= begin && global < end) {
        local_[pair] = static_cast<std::int64_t>(global - begin);
      } else {
        const auto at = std::lower_bound(global_.begin(), global_.end(), global) - global_.begin();
        local_[pair] = static_cast<std::int64_t>(points()) + at;
      }
    }
  });
  for (const std::uint64_t global : global_) in_.extend(owner(global), 1);
}

template <class T>
int RankPairs<T>::owner(std::uint64_t global) const {
  const auto after = std::upper_bound(first_point_.begin(), first_point_.end(), global);
  return static_cast<int>(after - first_point_.begin()) - 1;
}

template <class T>
void RankPairs<T>::import_ghosts() {
  const auto d = static_cast<std::size_t>(pairs_.points.dimension);
  std::vector<std::uint32_t> wanted;
  std::vector<T> packed;
  call_.work([&](Workers&) {
    for (const std::uint64_t global : global_)
      wanted.push_back(static_cast<std::uint32_t>(global - start(owner(global))));
  });
  Received<std::uint32_t> asked = call_.exchange(in_, wanted.data());
  call_.work([&](Workers&) {
    asked_ = std::move(asked.runs);
    asked_point_ = std::move(asked.values);
    const T* data = static_cast<const T*>(pairs_.points.data);
    packed.resize(points() * d);
    for (std::size_t i = 0; i < points(); ++i)
      std::copy_n(data + static_cast<std::ptrdiff_t>(i) * pairs_.points.stride, d,
                  packed.data() + i * d);
  });
  const std::vector<T> all = with_ghosts(packed.data(), d);
  call_.quick([&] {});
  call_.phase([&](Workers& workers) {
    const std::size_t count = points() + ghosts();
    lists_ = {local_.data(), true, rows(), pairs_.lists.k};
    Array<T> queries;
    if (pairs_.queries.data) queries = places_of(pairs_.queries, frame_, workers);
    const auto dimension = pairs_.points.dimension;
    places_.emplace(frame_,
                    places_of(PointsView{all.data(), count, dimension, dimension, scalar_of<T>},
                              frame_, workers),
                    count, std::move(queries), has_queries_, lists_);
  });
  call_.note_traffic("ghosts");
}

template class RankPairs<float>;
template class RankPairs<double>;

}  // namespace kith::mpi
