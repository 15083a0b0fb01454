#include "slabs/radius.hpp"

#include <algorithm>

#include "neighbors/limits.hpp"
#include "slabs/passes.hpp"

namespace kith::slabs {
namespace {

template <class T>
class SlabCount {
 public:
  SlabCount(const SlabStore<T>& store, const RadiusOptions& options)
      : store_(store),
        options_(options),
        limit2_(kith::limit2<T>(options.radius, options.strict, store.frame)) {}

  std::vector<std::int64_t> count(std::size_t slab, const Budget& budget, Workers& inside) const {
    const SlabPart<T> part = read_slab(store_, slab, inside);
    std::vector<std::int64_t> counts(part.planes.points), more(counts.size());
    RadiusJob<T> own = job(part.planes.view(), part.planes.view(), counts);
    own.exclude_self = options_.exclude_self;
    Parts<T>::search(own, "count", inside);
    Array<T> reach2(counts.size(), inside.pool());
    std::fill(reach2.begin(), reach2.end(), limit2_);
    const FarQueries<T> far = far_queries(store_, part, reach2, inside);
    each_ghosts<T>(store_, slab, far, budget, inside, [&](const Ghosts<T>& ghosts) {
      std::fill(more.begin(), more.end(), 0);
      Parts<T>::search(job(ghosts.planes.view(), far.queries.planes.view(), more), "count", inside);
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += more[i];
    });
    return counts;
  }

 private:
  RadiusJob<T> job(const PlanesView<T>& source, const PlanesView<T>& queries,
                   std::vector<std::int64_t>& counts) const {
    RadiusJob<T> job;
    set_slab_job(job, store_, source, queries, limit2_);
    job.counts = counts.data();
    return job;
  }

  const SlabStore<T>& store_;
  const RadiusOptions& options_;
  T limit2_;
};

}  // namespace

template <class T>
void count_slabs(const SlabStore<T>& store, const RadiusOptions& options, const Column& to,
                 const Budget& budget, const Execution& execution, Workers& workers) {
  const SlabCount<T> counter(store, options);
  each_slab(store, "count neighbors", execution, workers, kNoState,
            [&](std::size_t slab, Workers& inside) {
              const std::vector<std::int64_t> counts = counter.count(slab, budget, inside);
              to.write(store.begin[slab], std::span<const std::int64_t>(counts), inside);
            });
}

template void count_slabs(const SlabStore<float>&, const RadiusOptions&, const Column&,
                          const Budget&, const Execution&, Workers&);
template void count_slabs(const SlabStore<double>&, const RadiusOptions&, const Column&,
                          const Budget&, const Execution&, Workers&);

}  // namespace kith::slabs
