#include "groups/join.hpp"

#include <algorithm>
#include <memory>

#include "geometry/distance.hpp"
#include "parallel/borrowed.hpp"

namespace kith {
namespace {

/// Points of a task: some tenths of a millisecond of work. More would make threads wait for the
/// last one, fewer would make the lists again and again from the root.
constexpr std::size_t kTaskPoints = 4096;

template <class T>
class Join {
 public:
  Join(const Planes<T>& planes, const T* side, T reach2, Workers& workers)
      : planes_(planes),
        workers_(workers),
        parent_(planes.lanes_up(planes.points), workers.pool()) {
    job_.planes = planes.view();
    job_.reach2 = reach2;
    std::copy_n(side, planes.dimension, job_.side);
    job_.parent = parent_.data();
    add_heights();
  }

  Array<std::uint32_t> run() {
    mark_tight_nodes_above_tasks();
    const Stage stage(workers_, "link", 2 * planes_.points);
    run_round(JoinRound::inside);
    run_round(JoinRound::outside);
    return std::move(parent_);
  }

 private:
  void add_heights() {
    for (const Plane<T>& plane : planes_.planes) {
      flags_.emplace_back(plane.nodes, workers_.pool());
      job_.is_joined.push_back(flags_.back().data());
    }
    job_.task_height = 1;
    while (job_.task_height < job_.top() &&
           planes_.points / job_.nodes(job_.task_height) < kTaskPoints)
      ++job_.task_height;
  }

  /// No task looks at these nodes as a whole, but all may link with them.
  void mark_tight_nodes_above_tasks() {
    for (int height = job_.task_height + 1; height <= job_.top(); ++height) {
      std::uint8_t* is_joined = job_.is_joined[static_cast<std::size_t>(height)];
      for (std::size_t node = 0; node < job_.nodes(height); ++node) {
        const auto box = job_.planes.box(height - 1, node, job_.planes.any_axes());
        is_joined[node] = diagonal2(box, job_.planes.any_axes()) <= job_.reach2;
      }
    }
  }

  void run_round(JoinRound round) {
    workers_.for_ranges(job_.nodes(job_.task_height), 1, [&](std::size_t node, std::size_t) {
      const Borrowed<JoinScratch>::Loan scratch(scratch_);
      scratch->near.resize(job_.is_joined.size());
      run_join_task(job_, round, static_cast<std::uint32_t>(node), *scratch);
      workers_.advance(planes_.points_of(job_.task_height - 1, node).size());
    });
  }

  const Planes<T>& planes_;
  Workers& workers_;
  Array<std::uint32_t> parent_;
  std::vector<Array<std::uint8_t>> flags_;
  JoinJob<T> job_;
  Borrowed<JoinScratch> scratch_;
};

}  // namespace

template <class T>
Array<std::uint32_t> join(const Planes<T>& planes, const T* side, T reach2, Workers& workers) {
  return Join<T>(planes, side, reach2, workers).run();
}

template Array<std::uint32_t> join(const Planes<float>&, const float*, float, Workers&);
template Array<std::uint32_t> join(const Planes<double>&, const double*, double, Workers&);

}  // namespace kith
