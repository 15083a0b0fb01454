// Spheres of given density about centers, of points on disk: what ranks do at once
// (mpi/groups/overdensities.cpp).
//
// Some centers at a time, as many as the points within their reach fit into memory; then those
// whose edges lie farther out search farther, together.
#include <algorithm>
#include <atomic>

#include <kith/io/stored_points.hpp>

#include "base/checked_sort.hpp"
#include "groups/checks.hpp"
#include "groups/columns.hpp"
#include "groups/sphere_edges.hpp"
#include "parallel/caller_code.hpp"
#include "slabs/ghosts.hpp"
#include "slabs/pieces.hpp"
#include "slabs/search_call.hpp"

namespace kith {
namespace {

using namespace slabs;

/// A point about a center.
template <class T>
struct PointAbout {
  T d2;
  std::uint64_t index;
  double mass;
  bool operator<(const PointAbout& other) const {
    return d2 < other.d2 || (d2 == other.d2 && index < other.index);
  }
};

template <class T>
class SlabSpheres {
 public:
  SlabSpheres(const SlabStore<T>& store, std::span<const double> centers,
              const OverdensityOptions& options, double first_mass, const Budget& budget,
              const Execution& execution)
      : store_(store),
        options_(options),
        edges_(options.density.size()),
        budget_(left_of(budget, centers.size() / static_cast<std::size_t>(store.dimension))),
        inner_(inside_stage(execution)),
        workers_(inner_, "slabs"),
        reach_(store.frame, store.dimension, options.density),
        centers_(planes_of(centers)),
        found_(centers_.points * edges_),
        limits2_(centers_.points),
        about_(centers_.points) {
    const ValueReader within(options.within), guess(options.mass_guess);
    for (std::size_t i = 0; i < centers_.points; ++i)
      searches_.emplace_back(reach_, std::max(guess(i), first_mass), within(i),
                             &found_[i * edges_]);
  }

  Overdensities run(Workers& workers) {
    const Stage stage(workers, "spheres", centers_.points);
    for (List left = unfinished(); !left.empty();) {
      search_once(left);
      const std::size_t before = left.size();
      left = unfinished();
      workers.advance(before - left.size());
    }
    Overdensities out;
    for (const EdgeAt& edge : found_) {
      out.mass.push_back(edge.mass);
      out.radius.push_back(edge.radius);
      out.size.push_back(static_cast<std::int64_t>(edge.size));
    }
    return out;
  }

 private:
  Planes<T> planes_of(std::span<const double> centers) {
    const auto d = static_cast<std::size_t>(store_.dimension);
    std::vector<T> rows;
    for (std::size_t i = 0; i < centers.size(); ++i)
      rows.push_back(store_.frame(static_cast<T>(centers[i]), static_cast<int>(i % d)));
    return Parts<T>::planes_of_rows(rows.data(), rows.size() / d, store_.dimension, {}, workers_);
  }

  /// The memory beside the tables of the centers. Most points of a piece may be near a center.
  Budget left_of(Budget budget, std::size_t centers) const {
    const std::uint64_t table =
        centers * (edges_ * 2 * sizeof(EdgeAt) + sizeof(EdgeSearch<T>) + 96);
    check_tables("overdensities", table, budget);
    const double share = 1 - static_cast<double>(table) / static_cast<double>(budget.bytes);
    const auto reduced = [&](std::uint64_t value) {
      return static_cast<std::uint64_t>(static_cast<double>(value) * share);
    };
    budget.bytes = reduced(budget.bytes);
    budget.ghosts = static_cast<std::size_t>(reduced(budget.ghosts));
    budget.piece_points = std::min(budget.piece_points, budget.ghosts);
    return budget;
  }

  using List = std::vector<std::uint32_t>;

  /// Positions along the curve.
  List unfinished() const {
    List left;
    for (std::size_t i = 0; i < centers_.points; ++i)
      if (!searches_[centers_.index(i)].is_done()) left.push_back(static_cast<std::uint32_t>(i));
    return left;
  }

  /// As many centers at a time as fit: the last number that did, and twice as many where their
  /// points leave most of the room.
  void search_once(const List& left) {
    for (std::size_t begin = 0; begin < left.size();) {
      const std::size_t count = std::min(at_a_time_, left.size() - begin);
      if (search(std::span(left).subspan(begin, count))) {
        begin += count;
        if (count_ < room() / 3 && count == at_a_time_) at_a_time_ *= 2;
      } else {
        if (count == 1) refuse_center();
        at_a_time_ = (count + 1) / 2;
      }
    }
  }

  /// Points about centers: a vector grows to twice its size, and for a moment the old one is there,
  /// too.
  std::size_t room() const {
    return std::min<std::size_t>(budget_.bytes / 8 / sizeof(PointAbout<T>), most_about_centers);
  }

  /// False: too many points are within reach of these centers.
  bool search(std::span<const std::uint32_t> positions) {
    Array<T> reach2(centers_.points, workers_.pool());
    std::fill(reach2.begin(), reach2.end(), T(-1));
    T most2 = 0;
    for (const std::uint32_t i : positions) {
      const std::size_t center = centers_.index(i);
      limits2_[center] = reach2[i] = searches_[center].reach2();
      most2 = std::max(most2, reach2[i]);
    }
    FarQueries<T> far = select_far(centers_, reach2, workers_);
    const bool has_room = collect(far, most2);
    workers_.for_each(positions.size(), [&](std::size_t i) {
      const std::size_t center = centers_.index(positions[i]);
      if (has_room) take(center);
      std::vector<PointAbout<T>>().swap(about_[center]);
    });
    return has_room;
  }

  bool collect(FarQueries<T>& far, T most2) {
    const std::size_t room = this->room();
    count_ = 0;
    each_ghosts<T>(store_, store_.slabs(), far, budget_, workers_, [&](const Ghosts<T>& ghosts) {
      const auto visit = [&](const Found<T>& found) {
        if (count_.fetch_add(found.count, std::memory_order_relaxed) > room) return;
        std::vector<PointAbout<T>>& about = about_[found.row];
        for (std::size_t i = 0; i < found.count; ++i)
          about.push_back({found.distance[i], ghosts.index[found.index[i]],
                           ghosts.mass.empty() ? options_.mass.same : ghosts.mass[found.index[i]]});
      };
      const FunctionRef<void(const Found<T>&)> visitor(visit);
      RadiusJob<T> job;
      set_slab_job(job, store_, ghosts.planes.view(), far.queries.planes.view(), most2);
      job.limits2 = limits2_.data();
      job.wants_d2 = true;
      job.is_sorted = false;
      job.visit = &visitor;
      Parts<T>::search(job, "spheres", workers_);
      if (count_ > room) std::fill(far.reach2.begin(), far.reach2.end(), T(-1));
    });
    return count_ <= room;
  }

  void take(std::size_t center) {
    std::vector<PointAbout<T>>& about = about_[center];
    checked_sort(about.begin(), about.end(), [&] { workers_.check_cancelled(); });
    searches_[center].take(
        Outward{about.size(), store_.dimension, [&](std::size_t i) { return about[i].d2; },
                [&](std::size_t i) { return about[i].mass; }},
        static_cast<std::size_t>(store_.total));
  }

  [[noreturn]] void refuse_center() const {
    fail(ErrorCode::out_of_memory,
         "overdensities: the points about one center need more than {} MB of memory; allow more "
         "than {} MB",
         budget_.bytes / 8'000'000, (budget_.bytes + kProgramBytes) / 1'000'000);
  }

  const SlabStore<T>& store_;
  const OverdensityOptions& options_;
  std::size_t edges_;
  Budget budget_;
  Execution inner_;
  Workers workers_;
  EdgeReach<T> reach_;
  Planes<T> centers_;  ///< along the curve
  // Of each center, by index.
  std::vector<EdgeAt> found_;
  std::vector<T> limits2_;
  std::vector<std::vector<PointAbout<T>>> about_;
  std::vector<EdgeSearch<T>> searches_;
  /// Relaxed: it only ends the work of centers that are searched again.
  std::atomic<std::size_t> count_ = 0;
  std::size_t at_a_time_ = 256;  ///< centers
};

}  // namespace

Overdensities overdensities(const StoredPoints& points, std::span<const double> centers,
                            const OverdensityOptions& options, const TreeOptions& tree,
                            const DiskOptions& disk, const Execution& given) {
  return search_call(
      "overdensities", given, points, {"spheres", 20},
      [&](const Execution& execution, Workers& workers) {
        if (options.mass.data)
          refuse("overdensities: masses of stored points are theirs; give one for all, or none");
        check_spheres(static_cast<std::size_t>(points.size()), points.dimension(), centers, options,
                      workers);
        SearchCall call{"overdensities", points, tree, disk};
        call.sorts = true;
        call.with_mass = points.has(Field::mass);
        call.least_mass = 0;
        double first_mass = options.mass.same;
        if (call.with_mass && points.size() > 0)
          caller_code([&] { points.read_mass(0, {&first_mass, 1}); });
        Overdensities found;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          found =
              SlabSpheres<T>(store, centers, options, first_mass, budget, execution).run(workers);
        });
        return found;
      });
}

}  // namespace kith
