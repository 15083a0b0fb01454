#include "pairs/run.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "tree/builders.hpp"

namespace kith {
namespace {

constexpr std::size_t kGroupPoints = kLanes * kLanes;

/// Points of fewer dimensions get coordinates that are 0, which change no bit of a distance:
/// kernels for two dimensions would be as many again to compile.
constexpr int kKernelDimension = 3;

PairRegions one_region(std::size_t points) { return {1, std::vector<std::int32_t>(points)}; }

/// Sums of 8 children each, from the blocks up.
template <class T, class Value>
std::vector<std::vector<Value>> sums_by_plane(const PairSide<T>& side, std::vector<Value> blocks) {
  std::vector<std::vector<Value>> planes;
  planes.push_back(std::move(blocks));
  for (int plane = 1; plane < side.planes(); ++plane) {
    const std::vector<Value>& below = planes.back();
    std::vector<Value> sums(side.nodes(plane));
    for (std::size_t i = 0; i < below.size(); ++i) sums[i / kLanes] += below[i];
    planes.push_back(std::move(sums));
  }
  return planes;
}

/// The plane whose nodes are the tasks: enough of them to share, few enough to keep bins for each.
template <class T>
int task_plane(const PairSide<T>& side, std::size_t slots) {
  const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 22) / slots, 64, 4096);
  int plane = 1;
  while (plane < side.planes() && side.nodes(plane) > most) ++plane;
  return plane;
}

/// Workers that wait for a task: their lists and batches are large.
class PairWorkers {
 public:
  std::unique_ptr<PairWorker> acquire() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  void give(std::unique_ptr<PairWorker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PairWorker>> idle_;
};

}  // namespace

template <class T>
PairPoints<T>::PairPoints(const PlanesView<T>& view, const PairColumns& columns,
                          const PairRegions* regions, const Workers& workers) {
  side_.view = view;
  if (view.points > 0 && (regions || view.dimension < kKernelDimension))
    arrange(view, regions ? *regions : one_region(view.points), workers);
  if (!regions) side_.region.clear();
  count_points();
  if (columns.is_weighted) weigh_points(columns);
}

template <class T>
void PairPoints<T>::arrange(const PlanesView<T>& view, const PairRegions& regions,
                            const Workers& workers) {
  std::vector<std::size_t> next(regions.count);
  for (const std::int32_t region : regions.of_position) ++next[static_cast<std::size_t>(region)];
  std::size_t room = 0;
  std::vector<std::int32_t> of_group;
  for (std::size_t region = 0; region < next.size(); ++region) {
    const std::size_t groups = (next[region] + kGroupPoints - 1) / kGroupPoints;
    next[region] = room;
    room += groups * kGroupPoints;
    of_group.insert(of_group.end(), groups, static_cast<std::int32_t>(region));
  }
  planes_.dimension = std::max(view.dimension, kKernelDimension);
  planes_.points = room;
  planes_.blocks = Array<T>(planes_.block_count() * planes_.block_stride(), workers.pool());
  std::fill(planes_.blocks.begin(), planes_.blocks.end(), std::numeric_limits<T>::quiet_NaN());
  for (std::size_t i = 0; i < room; ++i) planes_.index(i) = kNoIndex;
  for (std::size_t i = 0; i < view.points; ++i) {
    const std::size_t to = next[static_cast<std::size_t>(regions.of_position[i])]++;
    for (int axis = 0; axis < planes_.dimension; ++axis)
      planes_.coordinate(to, axis) = axis < view.dimension ? view.coordinate(i, axis) : T(0);
    planes_.index(to) = view.index(i);
  }
  planes_.planes = packed_planes(workers, planes_);
  side_.view = planes_.view();
  name_regions(of_group);
}

template <class T>
void PairPoints<T>::name_regions(const std::vector<std::int32_t>& of_group) {
  std::vector<std::int32_t> blocks(side_.nodes(0));
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = of_group[i / kLanes];
  side_.region = {blocks, of_group};
  for (int plane = 2; plane < side_.planes(); ++plane) {
    const std::vector<std::int32_t>& below = side_.region.back();
    std::vector<std::int32_t> names(side_.nodes(plane), -2);
    for (std::size_t i = 0; i < below.size(); ++i) {
      std::int32_t& name = names[i / kLanes];
      name = name == -2 || name == below[i] ? below[i] : -1;
    }
    side_.region.push_back(std::move(names));
  }
}

template <class T>
void PairPoints<T>::count_points() {
  const PlanesView<T>& view = side_.view;
  std::vector<std::int64_t> blocks(view.block_count());
  for (std::size_t i = 0; i < view.points; ++i)
    blocks[i / kLanes] += view.index(i) != kNoIndex ? 1 : 0;
  side_.counts = sums_by_plane(side_, std::move(blocks));
}

template <class T>
void PairPoints<T>::weigh_points(const PairColumns& columns) {
  const PlanesView<T>& view = side_.view;
  side_.weight.assign(view.block_count() * kLanes, 0);
  const std::size_t words = columns.words_per_point;
  side_.words.assign(side_.weight.size() * words, 0);
  std::vector<double> blocks(view.block_count());
  for (std::size_t i = 0; i < view.points; ++i) {
    const std::uint32_t index = view.index(i);
    if (index == kNoIndex) continue;
    side_.weight[i] = columns.weight.empty() ? 1 : columns.weight[index];
    blocks[i / kLanes] += side_.weight[i];
    for (std::size_t word = 0; word < words; ++word)
      side_.words[(i / kLanes * words + word) * kLanes + i % kLanes] =
          columns.words[index * words + word];
  }
  side_.weights = sums_by_plane(side_, std::move(blocks));
}

template <class T>
TaskParts run_tasks(PairJob<T> job, const PairShare& share, Workers& workers) {
  const PlanesView<T>& receivers = job.receivers->view;
  if (receivers.points == 0 || job.sources->view.points == 0 || job.bins() == 0) return {};
  const Stage stage(workers, "pairs", receivers.points / share.ranks);
  const auto check = [&] { workers.check_cancelled(); };
  const FunctionRef<void()> checkpoint(check);
  job.checkpoint = &checkpoint;
  const int plane = task_plane(*job.receivers, job.bins() + 1);
  TaskParts parts(job.receivers->nodes(plane));
  PairWorkers idle;
  workers.for_each(parts.size(), [&](std::size_t node) {
    if (!share.has(node)) return;
    std::unique_ptr<PairWorker> worker = idle.acquire();
    if (!worker) worker = job.p == 2 ? make_worker(job) : make_norm_worker(job);
    parts[node] = worker->run(plane, node);
    idle.give(std::move(worker));
    const std::size_t points = std::size_t{1} << (3 * (plane + 1));
    workers.advance(std::min(receivers.points, (node + 1) * points) - node * points);
  });
  return parts;
}

template <class T>
PairTotals no_pairs(const PairJob<T>& job, std::size_t regions, bool is_weighted) {
  const std::size_t bins = job.bins();
  PairTotals totals;
  is_weighted ? totals.sums.resize(bins) : totals.counts.resize(bins);
  totals.lengths.resize(job.with_lengths ? bins : 0);
  totals.touching.resize(regions * bins);
  totals.within.resize(regions * bins);
  return totals;
}

void add_part(const PairPart& part, PairTotals& totals) {
  const std::size_t bins = std::max(totals.counts.size(), totals.sums.size());
  const auto value = [&](std::size_t i) {
    return part.sums.empty() ? static_cast<double>(part.counts[i]) : part.sums[i];
  };
  for (std::size_t i = 0; i < bins; ++i) {
    if (part.sums.empty())
      totals.counts[i] += part.counts[i];
    else
      totals.sums[i] += part.sums[i];
    if (!part.lengths.empty()) totals.lengths[i] += part.lengths[i];
  }
  if (totals.touching.empty()) return;
  const auto a = static_cast<std::size_t>(part.receiver_region),
             b = static_cast<std::size_t>(part.source_region);
  for (std::size_t i = 0; i < bins; ++i) {
    totals.touching[a * bins + i] += value(i);
    (a == b ? totals.within : totals.touching)[b * bins + i] += value(i);
  }
}

template <class T>
PairTotals run_pairs(PairJob<T> job, std::size_t regions, Workers& workers) {
  PairTotals totals = no_pairs(job, regions, job.is_weighted());
  for (const auto& task : run_tasks(job, {}, workers))
    for (const PairPart& part : task) add_part(part, totals);
  return totals;
}

template class PairPoints<float>;
template class PairPoints<double>;
template TaskParts run_tasks(PairJob<float>, const PairShare&, Workers&);
template TaskParts run_tasks(PairJob<double>, const PairShare&, Workers&);
template PairTotals no_pairs(const PairJob<float>&, std::size_t, bool);
template PairTotals no_pairs(const PairJob<double>&, std::size_t, bool);
template PairTotals run_pairs(PairJob<float>, std::size_t, Workers&);
template PairTotals run_pairs(PairJob<double>, std::size_t, Workers&);

}  // namespace kith
