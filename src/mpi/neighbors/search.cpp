#include "mpi/neighbors/search.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "mpi/neighbors/device_part.hpp"
#include "mpi/neighbors/row_writer.hpp"
#include "neighbors/limits.hpp"
#include "neighbors/on_device.hpp"
#include "neighbors/parts.hpp"
#include "parallel/borrowed.hpp"

namespace kith::mpi {
namespace {

template <class T>
bool has_others(const Part<T>& part, int mine) {
  const auto& owner = part.boxes.owner;
  return owner.size() > 0 && (owner[0] != static_cast<std::uint32_t>(mine) ||
                              owner[owner.size() - 1] != static_cast<std::uint32_t>(mine));
}

/// Rows of k own points for queries that also search other ranks, added by several threads.
template <class T>
class FarRows {
 public:
  explicit FarRows(std::size_t k) : k_(k) {}

  void add(const Found<T>& found) {
    Shard& shard = shards_[found.row / kShardRows % kShards];
    const std::lock_guard lock(shard.mutex);
    shard.position.push_back(static_cast<std::uint32_t>(found.row));
    shard.count.push_back(static_cast<std::uint32_t>(found.count));
    shard.point.insert(shard.point.end(), found.index, found.index + found.count);
    shard.d2.insert(shard.d2.end(), found.distance, found.distance + found.count);
    shard.point.resize(shard.count.size() * k_);
    shard.d2.resize(shard.count.size() * k_);
  }

  /// Finds the row of each of these positions, which ascend; some may have none.
  void number(const Array<std::uint32_t>& positions, const Workers& workers) {
    place_ = Array<Place>(positions.size(), workers.pool());
    std::fill(place_.begin(), place_.end(), Place{kShards, 0});
    workers.for_each(kShards, [&](std::size_t s) {
      const auto& found = shards_[s].position;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto at = std::lower_bound(positions.begin(), positions.end(), found[i]);
        place_[static_cast<std::size_t>(at - positions.begin())] = {static_cast<std::uint32_t>(s),
                                                                    static_cast<std::uint32_t>(i)};
      }
    });
  }
  /// The row of the i-th of them.
  Row<T> row(std::size_t i) const {
    const Place place = place_[i];
    if (place.shard == kShards) return {i, 0, nullptr, nullptr};
    const Shard& shard = shards_[place.shard];
    return {i, shard.count[place.row], shard.point.data() + place.row * k_,
            shard.d2.data() + place.row * k_};
  }

 private:
  // Ranges of queries of different threads seldom share a shard.
  static constexpr std::uint32_t kShards = 64, kShardRows = 1024;
  struct Shard {
    std::mutex mutex;
    std::vector<std::uint32_t> position, count, point;
    std::vector<T> d2;
  };
  struct Place {
    std::uint32_t shard, row;
  };

  std::size_t k_;
  Shard shards_[kShards];
  Array<Place> place_;
};

/// Receives rows.
template <class T>
struct RowSink {
  /// A row that is complete after the search of the own points.
  Deliver<T> own;
  /// The two parts of any other row: own points and ghosts.
  FunctionRef<void(std::size_t position, const Row<T>& own, const Row<T>& ghosts)> merge;
  /// After the own rows of these positions, those with reach2 < 0, were delivered; may be null.
  const FunctionRef<void(std::size_t begin, std::size_t end, const T* reach2)>* finished = nullptr;
  /// Where the search itself writes most of the complete rows, if its indices are global.
  const NeighborRows<T, std::int64_t>* rows = nullptr;
};

template <class T>
class KnnSearch {
 public:
  KnnSearch(Call& call, const Queries<T>& asked, const KnnOptions& options, Sources<T>& sources,
            const RowSink<T>& sink)
      : call_(call),
        asked_(asked),
        options_(options),
        sources_(sources),
        sink_(sink),
        rows_(std::min(options.k, sources.own())) {
    const Frame<T>& frame = sources.part.frame;
    limit_ = key_limit<T>(options.max_radius, options.strict, options.p, frame);
    limit2_ = sources.is_euclidean() ? kith::limit2<T>(options.max_radius, options.strict, frame)
              : limit_ < 0           ? T(-1)
                                     : sources.sphere2(static_cast<T>(options.max_radius));
  }

  /// `name` may replace the views of the own points and of the queries by views of the same points
  /// with other indices, which are then those of rows.
  void run(FunctionRef<void(Workers&, PlanesView<T>& own, PlanesView<T>& queries)> name) {
    call_.phase([&](Workers& workers) {
      PlanesView<T> own = sources_.part.view(), queries = asked_.view;
      name(workers, own, queries);
      search_own(own, queries, workers);
    });
    call_.phase([&](Workers& workers) { prepare(workers); });
    sources_.ghosts = import_ghosts(call_, sources_.part, far_, sources_.value,
                                    sources_.is_euclidean() ? GhostsOf::others : GhostsOf::all);
    call_.phase([&](Workers& workers) { search_ghosts(workers); });
  }

 private:
  KnnJob<T> job(const PlanesView<T>& source, const PlanesView<T>& queries) const {
    auto job = job_in<T, KnnJob<T>>(sources_, source, queries);
    job.k = options_.k;
    job.limit2 = limit2_;
    job.limit = limit_;
    job.is_grouped = source.points / 32 <= queries.points * (1 + options_.k / 64);
    return job;
  }

  /// Searches the own points, and notes the reach of queries that may have neighbors elsewhere.
  void search_own(const PlanesView<T>& own, const PlanesView<T>& queries, Workers& workers) {
    if (call_.uses_device()) check_device_norm(call_.name(), options_.p);
    reach2_ = Array<T>(queries.points, workers.pool());
    const bool has_no_result = limit2_ < 0;
    const bool is_alone = has_no_result || !has_others(sources_.part, call_.rank());
    // Queries that no search visits have no neighbor here: they reach as far as allowed.
    const bool is_searched = own.points > 0 && !has_no_result;
    std::fill(reach2_.begin(), reach2_.end(), is_searched || is_alone ? T(-1) : limit2_);
    if (!is_searched) {
      if (is_alone) deliver_nothing();
      return;
    }
    if (!is_alone) {
      const Stage stage(workers, "near boxes", queries.points);
      near_ = NearBoxes<T>(sources_.part, queries, call_.rank(), workers);
    }
    const auto visit = [&](const Found<T>& found) { deliver_or_keep(found); };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    const auto finish = [&](std::size_t begin, std::size_t end) {
      (*sink_.finished)(begin, end, reach2_.data());
    };
    const FunctionRef<void(std::size_t, std::size_t)> finished(finish);
    KnnJob<T> search = job(own, queries);
    search.exclude_self = options_.exclude_self;
    search.visit = &visitor;
    const Array<T> edges2 = sink_.rows ? set_rows(search, workers) : Array<T>();
    const auto* on_finished = sink_.finished ? &finished : nullptr;
    if (call_.uses_device())
      search_on_device(call_, sources_.part, asked_, search, on_finished, workers);
    else
      Parts<T>::search(search, "search", workers, on_finished);
    near_ = {};
  }

  /// Rows that end before any box of another rank are written without calling the visitor.
  Array<T> set_rows(KnnJob<T>& search, const Workers& workers) const {
    const std::size_t queries = search.queries.points;
    Array<T> edges2(range_count(queries, kGroupQueries), workers.pool());
    std::fill(edges2.begin(), edges2.end(), std::numeric_limits<T>::infinity());
    for (std::size_t i = 0; i < queries; i += kLanes) {
      T& edge2 = edges2[i / kGroupQueries];
      edge2 = std::min(edge2, near_.least2(i));
    }
    search.index64 = sink_.rows->index;
    search.distance = sink_.rows->distance;
    search.edges2 = edges2.data();
    return edges2;
  }

  void deliver_or_keep(const Found<T>& found) {
    const T bound2 = bound2_of(found);
    if (!near_.reaches_box(found.row, bound2))
      return sink_.own({found.row, found.count, found.index, found.distance});
    reach2_[found.row] = bound2;
    if (sources_.is_euclidean()) rows_.add(found);
  }

  /// No neighbor is farther.
  T bound2_of(const Found<T>& found) const {
    if (found.count < options_.k) return limit2_;
    const T last = found.distance[options_.k - 1];
    return sources_.is_euclidean() ? last : std::min(limit2_, sources_.sphere2(last));
  }

  void deliver_nothing() {
    for (std::size_t i = 0; i < asked_.view.points; ++i) sink_.own({i, 0, nullptr, nullptr});
  }

  void prepare(Workers& workers) {
    const Stage stage(workers, "queries near edges", asked_.view.points);
    far_ = select_far(*asked_.points, reach2_, workers);
    reach2_ = {};
    rows_.number(far_.queries.position, workers);
    const std::uint64_t need = options_.k + (options_.exclude_self ? 1 : 0);
    if (sources_.own() < need) shorten_reach(sources_.part, need, sources_.p, workers, far_);
    workers.count("queries that look beyond their rank", far_.queries.position.size());
  }

  void search_ghosts(Workers& workers) {
    const PlanesView<T> ghosts = sources_.ghosts.planes.view();
    const auto merge = [&](std::size_t i, const Row<T>& row) {
      sink_.merge(far_.queries.position[i], rows_.row(i), row);
    };
    if (ghosts.points == 0) {
      for (std::size_t i = 0; i < far_.queries.planes.points; ++i) merge(i, {});
      return;
    }
    const Planes<T> numbered = number_far_queries(sources_, asked_, far_.queries.planes, workers);
    const auto visit = [&](const Found<T>& found) {
      merge(found.row, {found.row, found.count, found.index, found.distance});
    };
    const FunctionRef<void(const Found<T>&)> visitor(visit);
    KnnJob<T> search = job(ghosts, numbered.view());
    if (sources_.is_euclidean()) search.limits2 = far_.reach2.data();
    search.exclude_self = options_.exclude_self && !sources_.is_euclidean();
    search.visit = &visitor;
    Parts<T>::search(search, "search ghosts", workers);
  }

  Call& call_;
  const Queries<T>& asked_;
  const KnnOptions& options_;
  Sources<T>& sources_;
  RowSink<T> sink_;
  T limit2_ = 0;      ///< of the norm, or of a sphere around its ball
  double limit_ = 0;  ///< of keys
  NearBoxes<T> near_;
  Array<T> reach2_;  ///< by position; negative: done
  FarRows<T> rows_;
  FarQueries<T> far_;
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
Planes<T> number_far_queries(const Sources<T>& sources, const Queries<T>& asked,
                             const Planes<T>& queries, const Workers& workers) {
  Planes<T> numbered = renumbered(queries, workers);
  if (sources.is_euclidean() || !asked.is_own) return numbered;
  const auto& ghosts = sources.ghosts.global;
  for (std::size_t i = 0; i < numbered.points; ++i) {
    const std::uint64_t self = sources.part.global[queries.index(i)];
    const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), self) - ghosts.begin();
    numbered.index(i) = static_cast<std::uint32_t>(at);
  }
  return numbered;
}

template <class T>
void search_knn(Call& call, const Queries<T>& asked, const KnnOptions& options, Sources<T>& sources,
                Deliver<T> deliver) {
  Borrowed<MergedRow<T>> rows;
  const auto merge = [&](std::size_t position, const Row<T>& own, const Row<T>& ghosts) {
    const typename Borrowed<MergedRow<T>>::Loan row(rows);
    row->merge(sources, own, ghosts, options.k);
    deliver({position, row->point.size(), row->point.data(), row->d2.data()});
  };
  KnnSearch<T>(call, asked, options, sources, {deliver, merge})
      .run([](Workers&, PlanesView<T>&, PlanesView<T>&) {});
}

template <class T>
void search_knn(Call& call, const Queries<T>& asked, const KnnOptions& options, Sources<T>& sources,
                NeighborRows<T, std::int64_t> rows) {
  // A copy of the points pays where rows are long.
  const bool is_global = !call.uses_device() && options.k >= 4 && asked.is_own &&
                         sources.is_euclidean() && GloballyNumbered<T>::is_possible(sources.part);
  const RowWriter<T> writer{rows, options.k, sources, is_global};
  const auto own = [&](const Row<T>& row) { writer.write(row); };
  const auto merge = [&](std::size_t position, const Row<T>& mine, const Row<T>& ghosts) {
    writer.merge(position, mine, ghosts);
  };
  const auto finish = [&](std::size_t begin, std::size_t end, const T* reach2) {
    writer.to_global(begin, end, reach2);
  };
  const FunctionRef<void(std::size_t, std::size_t, const T*)> finished(finish);
  std::optional<GloballyNumbered<T>> numbered_globally;
  KnnSearch<T>(call, asked, options, sources,
               {own, merge, is_global ? nullptr : &finished, is_global ? &rows : nullptr})
      .run([&](Workers& workers, PlanesView<T>& points, PlanesView<T>& queries) {
        if (!is_global) return;
        const Stage stage(workers, "name points", points.points);
        points = queries = numbered_globally.emplace(sources.part, workers).view;
      });
}

#define KITH_INSTANTIATE(T)                                                                       \
  template struct MergedRow<T>;                                                                   \
  template Planes<T> renumbered(const Planes<T>&, const Workers&);                                \
  template Planes<T> number_far_queries(const Sources<T>&, const Queries<T>&, const Planes<T>&,   \
                                        const Workers&);                                          \
  template void search_knn(Call&, const Queries<T>&, const KnnOptions&, Sources<T>&, Deliver<T>); \
  template void search_knn(Call&, const Queries<T>&, const KnnOptions&, Sources<T>&,              \
                           NeighborRows<T, std::int64_t>);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
