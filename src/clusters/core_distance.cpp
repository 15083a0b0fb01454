#include "clusters/core_distance.hpp"

#include <algorithm>
#include <limits>

#include "clusters/kth_walk.hpp"
#include "neighbors/driver.hpp"
#include "parallel/borrowed.hpp"
#include "tree/tree_impl.hpp"
#include "walk/source.hpp"

namespace kith {
namespace {

constexpr std::size_t kBoundGrain = 512;  // blocks
constexpr std::size_t kTaskPoints = 512;

/// For few neighbors: distances alone.
template <class T>
class KthDistances {
 public:
  KthDistances(const AnyTree& tree, std::size_t k, Workers& workers) : workers_(workers) {
    job_.k = k;
    job_.receivers = job_.sources = implicit_view<T>(impl_of(tree));
    std::copy_n(impl_of(tree).template as<T>().frame.side, tree.dimension(), job_.side);
  }

  void run(T* kth2) {
    const Stage stage(workers_, "core distances", job_.receivers.points);
    job_.kth2 = kth2;
    for (int height = 1; height <= top(); ++height) {
      reach2_.emplace_back(lanes_up(nodes(height)), workers_.pool());
      job_.reach2.push_back(reach2_.back().data());
    }
    workers_.for_ranges(nodes(1), kBoundGrain, [&](std::size_t begin, std::size_t end) {
      run_kth_bounds(job_, begin, end);
    });
    for (int height = 2; height <= top(); ++height) climb(static_cast<std::size_t>(height));
    while (job_.task_height < top() && (kLanes << (3 * (job_.task_height - 1))) < kTaskPoints)
      ++job_.task_height;
    workers_.for_each(nodes(job_.task_height), [&](std::size_t node) {
      const typename Borrowed<NearScratch<T>>::Loan scratch(scratch_);
      scratch->near.resize(static_cast<std::size_t>(top()) + 1);
      run_kth_task(job_, static_cast<std::uint32_t>(node), *scratch);
      workers_.advance(job_.receivers.points_of(job_.task_height - 1, node).size());
    });
  }

 private:
  int top() const { return job_.receivers.plane_count; }
  std::size_t nodes(int height) const { return job_.receivers.plane(height - 1).nodes; }

  /// The search radius of a node is the largest of its children's.
  void climb(std::size_t height) {
    const Array<T>& below = reach2_[height - 2];
    const std::size_t children = nodes(static_cast<int>(height) - 1);
    workers_.for_ranges(
        nodes(static_cast<int>(height)), kBoundGrain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t node = begin; node < end; ++node)
            reach2_[height - 1][node] =
                *std::max_element(below.begin() + node * kLanes,
                                  below.begin() + std::min(children, (node + 1) * kLanes));
        });
  }

  Workers& workers_;
  KthJob<T> job_;
  std::vector<Array<T>> reach2_;  // per height
  Borrowed<NearScratch<T>> scratch_;
};

/// For many: the search for neighbors.
template <class T>
void search_kth(const AnyTree& tree, std::size_t k, T* kth2, Workers& workers) {
  const auto visit = [&](const Found<T>& found) { kth2[found.row] = found.distance[k - 1]; };
  const FunctionRef<void(const Found<T>&)> visitor(visit);
  KnnJob<T> job;
  set_source(job, tree);
  job.k = k;
  job.limit2 = std::numeric_limits<T>::infinity();
  job.in_tree_order = true;
  job.wants_d2 = true;
  job.visit = &visitor;
  run_search(job, "core distances", k, workers);
}

}  // namespace

template <class T>
Array<T> core_distances2(const AnyTree& tree, std::size_t k, Workers& workers) {
  const std::size_t points = tree.size();
  Array<T> core2(lanes_up(points), workers.pool());
  std::fill(core2.begin() + points, core2.end(), std::numeric_limits<T>::infinity());
  if (points == 0) return core2;
  if (k <= kMostKth)
    KthDistances<T>(tree, k, workers).run(core2.data());
  else
    search_kth(tree, k, core2.data(), workers);
  return core2;
}

template Array<float> core_distances2(const AnyTree&, std::size_t, Workers&);
template Array<double> core_distances2(const AnyTree&, std::size_t, Workers&);

}  // namespace kith
