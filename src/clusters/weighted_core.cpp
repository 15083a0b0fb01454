#include "clusters/weighted_core.hpp"

#include "base/exact_sum.hpp"
#include "clusters/search_until.hpp"
#include "parallel/pieces.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

constexpr std::size_t kMostAtFirst = 64;

template <class T>
void check_total(const Planes<T>& planes, std::span<const double> weight, std::size_t least,
                 const Workers& workers) {
  ExactSum sum;
  double total = 0;  // for the message
  for_each_in_order(workers, planes.points, [&](std::size_t at) {
    sum.add(weight[planes.index(at)]);
    total += weight[planes.index(at)];
  });
  if (!sum.reaches(static_cast<double>(least)))
    refuse("spanning_tree: core_k = {}, but all weights add up to {}; give at most their sum",
           least, total);
}

}  // namespace

template <class T>
Array<T> weighted_core_distances2(const AnyTree& tree, std::span<const double> weight,
                                  std::size_t least, Workers& workers) {
  const Planes<T>& planes = impl_of(tree).as<T>().planes;
  Array<T> core2(lanes_up(planes.points), workers.pool());
  std::fill(core2.begin() + planes.points, core2.end(), std::numeric_limits<T>::infinity());
  if (planes.points == 0) return core2;
  check_total(planes, weight, least, workers);
  Array<T> by_index(tree.input_size(), workers.pool());
  const Queries<T> own{planes, implicit_view<T>(impl_of(tree)), tree.input_size()};
  search_until<T>(tree, own, std::min(least, kMostAtFirst), "core distances", workers,
                  [&](const Found<T>& found) {
                    ExactSum sum;
                    for (std::size_t n = 0; n < found.count; ++n) {
                      sum.add(weight[found.index[n]]);
                      if (!sum.reaches(static_cast<double>(least))) continue;
                      by_index[found.row] = found.distance[n];
                      return true;
                    }
                    return false;
                  });
  workers.for_ranges(planes.points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) core2[at] = by_index[planes.index(at)];
  });
  return core2;
}

template Array<float> weighted_core_distances2(const AnyTree&, std::span<const double>, std::size_t,
                                               Workers&);
template Array<double> weighted_core_distances2(const AnyTree&, std::span<const double>,
                                                std::size_t, Workers&);

}  // namespace kith
