#include "clusters/parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "clusters/near_walk.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

/// Points of a task; as in a join.
constexpr std::size_t kDbscanTaskPoints = 4096;

template <class T>
void set_receivers(NearJob<T>& job, const PlanesView<T>& receivers, const Frame<T>& frame,
                   T reach2) {
  job.reach2 = reach2;
  std::copy_n(frame.side, receivers.dimension, job.side);
  job.receivers = receivers;
  while (job.task_height < job.receivers.plane_count &&
         (std::size_t{1} << (3 * job.task_height)) < kDbscanTaskPoints)
    ++job.task_height;
}

/// run(node, scratch) for the nodes of the task height.
template <class T, class Run>
void run_near_tasks(const NearJob<T>& job, const Workers& workers, Run run) {
  Borrowed<NearScratch<T>> scratches;
  workers.for_each(job.receivers.plane(job.task_height - 1).nodes, [&](std::size_t node) {
    const typename Borrowed<NearScratch<T>>::Loan scratch(scratches);
    scratch->near.resize(static_cast<std::size_t>(job.receivers.plane_count) + 1);
    run(static_cast<std::uint32_t>(node), *scratch);
    workers.advance(std::size_t{1} << (3 * job.task_height));
  });
}

/// From weights by original index to weights by position.
template <class T>
Array<double> weights_in_order(const PlanesView<T>& points, const double* by_index,
                               const Workers& workers) {
  Array<double> weight(points.points, workers.pool());
  workers.for_ranges(points.points, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) weight[at] = by_index[points.index(at)];
  });
  return weight;
}

/// Leaves the links with clusters that have enough of them.
template <class T>
void keep_strong(std::vector<CoreLink<T>>& links, std::size_t border_links) {
  std::sort(links.begin(), links.end(),
            [](const CoreLink<T>& a, const CoreLink<T>& b) { return a.cluster < b.cluster; });
  std::size_t kept = 0;
  for (std::size_t begin = 0, end; begin < links.size(); begin = end) {
    for (end = begin; end < links.size() && links[end].cluster == links[begin].cluster;) ++end;
    if (end - begin < border_links) continue;
    std::copy(links.begin() + static_cast<std::ptrdiff_t>(begin),
              links.begin() + static_cast<std::ptrdiff_t>(end),
              links.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += end - begin;
  }
  links.resize(kept);
}

}  // namespace

void check_dbscan_options(const DbscanOptions& options) {
  if (!(options.eps > 0 && std::isfinite(options.eps)))
    refuse("dbscan: eps = {}; give a positive, finite length", options.eps);
  if (options.min_samples < 1)
    refuse("dbscan: min_samples = 0; a point counts itself, give at least 1");
  if (options.border_links < 1)
    refuse("dbscan: border_links = 0; a border point has at least 1 link");
}

template <class T>
LinkingReach<T> ClusterParts<T>::reach(double eps, const Frame<T>& frame) {
  return reach_of<T>(eps, false, frame);
}

template <class T>
Array<std::uint8_t> ClusterParts<T>::cores(const PlanesView<T>& points, const Frame<T>& frame,
                                           T reach2, std::size_t min_samples, const double* weight,
                                           Workers& workers) {
  const Stage stage(workers, "core points", points.points);
  Array<std::uint8_t> is_core(points.block_count() * kLanes, workers.pool());
  if (points.points == 0 || (min_samples == 1 && !weight)) {
    std::fill(is_core.begin(), is_core.end(), std::uint8_t{1});
    return is_core;
  }
  CoreJob<T> job;
  set_receivers(job, points, frame, reach2);
  job.sources = job.receivers;
  job.min_samples = min_samples;
  job.is_core = is_core.data();
  Array<double> in_order;
  if (weight) {
    in_order = weights_in_order(points, weight, workers);
    job.weight = in_order.data();
    job.has_negative =
        std::any_of(in_order.begin(), in_order.end(), [](double one) { return one < 0; });
  }
  run_near_tasks(job, workers, [&](std::uint32_t node, NearScratch<T>& scratch) {
    run_core_task(job, node, scratch);
  });
  return is_core;
}

template <class T>
void ClusterParts<T>::borders(const PlanesView<T>& receivers, const std::uint8_t* skip,
                              const PlanesView<T>& cores, const Frame<T>& frame, T reach2,
                              Workers& workers, Visit visit) {
  const Stage stage(workers, "border points", receivers.points);
  if (receivers.points == 0 || cores.points == 0) return;
  BorderJob<T> job;
  set_receivers(job, receivers, frame, reach2);
  job.sources = cores;
  job.is_core = skip;
  run_near_tasks(job, workers, [&](std::uint32_t node, NearScratch<T>& scratch) {
    std::vector<CoreLink<T>> links;
    run_border_task(job, node, scratch,
                    [&](std::uint32_t at, const std::vector<NearPoint<T>>& found) {
                      links.clear();
                      for (const NearPoint<T>& near : found)
                        links.push_back({near.d2, near.position, 0, 0});
                      visit(at, links);
                    });
  });
}

template <class T>
const CoreLink<T>* ClusterParts<T>::chosen(std::vector<CoreLink<T>>& links,
                                           const DbscanOptions& options) {
  if (options.border_links > 1) keep_strong(links, options.border_links);
  const auto comes_first = [&](const CoreLink<T>& a, const CoreLink<T>& b) {
    if (options.border == Border::sklearn) return a.cluster < b.cluster;
    return a.d2 != b.d2 ? a.d2 < b.d2 : a.index < b.index;
  };
  const auto first = std::min_element(links.begin(), links.end(), comes_first);
  return first == links.end() ? nullptr : &*first;
}

template struct ClusterParts<float>;
template struct ClusterParts<double>;

}  // namespace kith
