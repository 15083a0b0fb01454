#include <algorithm>
#include <cmath>
#include <limits>

#include "mpi/neighbors/search.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/part_trees.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {
namespace {

Searched searched(const Domains& domains) {
  return {domains.box(), domains.dimension(), domains.scalar()};
}

void check_sets(const Domains& receivers, const Domains& sources, const PairCountOptions& options) {
  check_pair_options(searched(receivers), searched(sources), options);
  check_pair_total(receivers.total(), sources.total());
  if (receivers.ranks() != sources.ranks() || receivers.rank() != sources.rank())
    refuse("pair_counts: sets on different ranks; make both on one communicator");
}

void add(std::vector<std::int64_t>& sums, const std::vector<std::int64_t>& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

template <class T>
std::vector<std::int64_t> count_pairs(Call& call, const Domains::Impl& receivers,
                                      const Domains::Impl& sources,
                                      const PairCountOptions& options) {
  const Part<T>& part = sources.as<T>();
  const Part<T>& asking = receivers.as<T>();
  Sources<T> from{part, {}, nullptr, options.p};
  const Queries<T> asked{&asking.planes, asking.view(), false};
  // Radii beyond all points count everything, without a look at them.
  std::vector<double> radii;
  double largest = 0;
  call.quick([&] {
    if (part.frame.exponent != asking.frame.exponent)
      refuse("pair_counts: the sizes of the two sets differ too much; scale them");
    for (const double r : options.radii)
      if (std::isfinite(r)) largest = std::max(largest, r);
    radii.assign(options.radii.begin(), options.radii.end());
  });
  Balls<T> balls;
  balls.limit2 = std::min(std::numeric_limits<T>::max(),
                          from.is_euclidean() ? limit2<T>(largest, false, part.frame)
                                              : from.sphere2(static_cast<T>(largest)));
  Array<T> reach2;
  FarQueries<T> far;
  call.phase([&](Workers& workers) {
    const auto nearest = nearest_boxes(part, asked.view, call.rank(), workers);
    reach2 = Array<T>(asked.view.points, workers.pool());
    for (std::size_t i = 0; i < reach2.size(); ++i)
      reach2[i] = nearest[i / kLanes].lower2 <= balls.limit2 ? balls.limit2 : T(-1);
    far = select_far(*asked.points, reach2, workers);
  });
  from.ghosts = import_ghosts(call, part, far);
  std::vector<std::int64_t> counts;
  call.phase([&](Workers& workers) {
    PairCountOptions finite = options;
    std::vector<double> limits(radii);
    for (double& r : limits) r = std::min(r, largest);
    finite.radii = limits;
    finite.cumulative = true;
    const Execution inner = inside(call, workers);
    const AnyTree own =
        tree_of_planes(borrowed_planes(part.planes, workers), part.frame, sources.options.tree);
    const AnyTree near = &part == &asking ? own
                                          : tree_of_planes(borrowed_planes(asking.planes, workers),
                                                           asking.frame, receivers.options.tree);
    counts = pair_counts(near, own, finite, inner);
    const AnyTree edge =
        tree_of_planes(std::move(far.queries.planes), asking.frame, receivers.options.tree);
    const AnyTree ghosts =
        tree_of_planes(std::move(from.ghosts.planes), part.frame, sources.options.tree);
    add(counts, pair_counts(edge, ghosts, finite, inner));
  });
  call.communicator().sum(counts.data(), counts.size());
  const auto all = static_cast<std::int64_t>(receivers.total * sources.total);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!std::isfinite(radii[i])) counts[i] = all;
  if (!options.cumulative)
    for (std::size_t i = counts.size(); i-- > 1;) counts[i] -= counts[i - 1];
  return counts;
}

}  // namespace

std::vector<std::int64_t> pair_counts(const Domains& receivers, const Domains& sources,
                                      const PairCountOptions& options, const Execution& execution) {
  return public_call("pair_counts", [&] {
    Call call("pair_counts", *impl_of(sources).communicator, execution);
    call.same().add("number of radii", std::uint64_t{options.radii.size()});
    call.same().add_unshown("list of radii", options.radii);
    call.same().add("strict", std::uint64_t{options.strict});
    call.same().add("cumulative", std::uint64_t{options.cumulative});
    call.same().add("p", options.p);
    call.quick([&] { check_sets(receivers, sources, options); });
    return with_scalar(sources.scalar(), [&]<class T>() {
      return count_pairs<T>(call, impl_of(receivers), impl_of(sources), options);
    });
  });
}

}  // namespace kith::mpi
