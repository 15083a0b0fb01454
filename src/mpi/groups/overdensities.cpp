// Spheres of given density over ranks. It does not matter whether a group spans ranks: each center
// goes to the rank whose points are nearest, which
// imports the points within reach of it. Centers whose edges lie farther out search farther,
// together.
#include <algorithm>
#include <cstring>

#include <kith/mpi.hpp>

#include "groups/checks.hpp"
#include "groups/columns.hpp"
#include "groups/sphere_edges.hpp"
#include "mpi/neighbors/queries.hpp"
#include "mpi/neighbors/search.hpp"

namespace kith::mpi {
namespace {

/// The numbers of a view, in one type.
std::vector<double> numbers_of(const ValuesView& values, std::size_t count) {
  std::vector<double> numbers(count);
  const ValueReader value(values);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = value(i);
  return numbers;
}

template <class T>
class Spheres {
 public:
  Spheres(Call& call, const Domains::Impl& domains, std::span<const double> centers,
          const OverdensityOptions& options)
      : call_(call),
        domains_(domains),
        options_(options),
        count_(centers.size() / static_cast<std::size_t>(domains.dimension)),
        reach_(domains.as<T>().frame, domains.dimension, options.density),
        sources_{domains.as<T>(), {}, nullptr} {
    std::vector<T> rows;
    call.quick([&] { rows.assign(centers.begin(), centers.end()); });
    routed_ = route_queries<T>(call, domains, view(rows.data(), count_, domains.dimension));
    asked_ = routed_.asked();
    take_masses();
    agree_on_first_mass();
    take_centers();
  }

  Overdensities run() {
    while (any_left()) search_once();
    return returned();
  }

 private:
  const Part<T>& part() const { return sources_.part; }
  std::size_t edges() const { return options_.density.size(); }

  void take_masses() {
    std::vector<double> mass;
    call_.quick([&] { mass = numbers_of(options_.mass, domains_.input_size); });
    mass_ = send_values(call_, domains_.route, mass.data(), sizeof(double));
    sources_.value = reinterpret_cast<const double*>(mass_.data());
  }

  /// A single process starts from the larger of the guess and the mass of its first point. Any
  /// mass will do: it decides only how far the first search goes.
  void agree_on_first_mass() {
    first_mass_ = domains_.input_size > 0 ? -ValueReader(options_.mass)(0) : 0;
    call_.communicator().least(&first_mass_, 1);
    first_mass_ = -first_mass_;
  }

  /// The first search radius of each center on this rank.
  void take_centers() {
    std::vector<double> within, guess;
    call_.quick([&] {
      within = numbers_of(options_.within, count_);
      guess = numbers_of(options_.mass_guess, count_);
    });
    const auto here = send_values(call_, routed_.route, within.data(), sizeof(double));
    const auto guessed = send_values(call_, routed_.route, guess.data(), sizeof(double));
    call_.quick([&] {
      const std::size_t n = asked_.view.points;
      limits2_ = Array<T>(n);
      found_.resize(n * edges());
      for (std::size_t i = 0; i < n; ++i) {
        double mass = 0, length = 0;
        const std::size_t at = asked_.view.index(i) * sizeof(double);
        std::memcpy(&length, here.data() + at, sizeof(double));
        std::memcpy(&mass, guessed.data() + at, sizeof(double));
        searches_.emplace_back(reach_, std::max(mass, first_mass_), length, &found_[i * edges()]);
      }
    });
  }

  bool any_left() {
    std::int64_t left =
        std::all_of(searches_.begin(), searches_.end(), [](auto& each) { return each.is_done(); })
            ? 0
            : -1;
    call_.communicator().least(&left, 1);
    return left < 0;
  }

  /// One round for the centers that are left.
  void search_once() {
    Balls<T> balls;
    call_.quick([&] {
      for (std::size_t i = 0; i < searches_.size(); ++i) {
        limits2_[i] = searches_[i].is_done() ? T(-1) : searches_[i].reach2();
        balls.limit2 = std::max(balls.limit2, limits2_[i]);
      }
      balls.limits2 = limits2_.data();
    });
    const BallSearch<T> search(call_, asked_, balls, sources_);
    call_.phase([&](Workers& workers) {
      std::vector<std::uint8_t> is_empty(searches_.size(), 1);
      search.search(workers, [&](const Row<T>& row) {
        if (searches_[row.position].is_done()) return;
        is_empty[row.position] = 0;
        find_edges(row);
      });
      for (std::size_t i = 0; i < searches_.size(); ++i)
        if (is_empty[i] && !searches_[i].is_done()) find_edges({i, 0, nullptr, nullptr});
    });
  }

  /// Finds the edges of a center; called from several threads at once.
  void find_edges(const Row<T>& row) {
    const Outward points{row.count, domains_.dimension, [&](std::size_t p) { return row.d2[p]; },
                         [&](std::size_t p) { return sources_.value_of(row.point[p]); }};
    searches_[row.position].take(points, domains_.total);
  }

  Overdensities returned() {
    std::vector<EdgeAt> rows;
    std::vector<std::uint32_t> position;
    call_.quick([&] {
      rows.resize(count_ * edges());
      position.resize(asked_.view.points);
      for (std::size_t i = 0; i < position.size(); ++i)
        position[asked_.view.index(i)] = static_cast<std::uint32_t>(i);
    });
    return_values(
        call_, routed_.route,
        [&](std::size_t local) -> const void* { return &found_[position[local] * edges()]; },
        edges() * sizeof(EdgeAt), rows.data());
    Overdensities out;
    call_.quick([&] {
      for (const EdgeAt& edge : rows) {
        out.mass.push_back(edge.mass);
        out.radius.push_back(edge.radius);
        out.size.push_back(static_cast<std::int64_t>(edge.size));
      }
    });
    return out;
  }

  Call& call_;
  const Domains::Impl& domains_;
  const OverdensityOptions& options_;
  std::size_t count_;
  EdgeReach<T> reach_;
  Sources<T> sources_;
  RoutedQueries<T> routed_;
  Queries<T> asked_;
  Array<std::byte> mass_;  ///< by local index
  double first_mass_ = 0;
  // Of the centers on this rank, by position.
  Array<T> limits2_;
  std::vector<EdgeSearch<T>> searches_;
  std::vector<EdgeAt> found_;
};

}  // namespace

Overdensities overdensities(const Domains& domains, std::span<const double> centers,
                            const OverdensityOptions& options, const Execution& execution) {
  return public_call("overdensities", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("overdensities", *impl.communicator, execution);
    call.same().add("number of densities", std::uint64_t{options.density.size()});
    call.same().add_unshown("list of densities", options.density);
    call.phase([&](Workers& workers) {
      check_spheres(impl.input_size, impl.dimension, centers, options, workers);
    });
    return with_scalar(impl.scalar,
                       [&]<class T>() { return Spheres<T>(call, impl, centers, options).run(); });
  });
}

}  // namespace kith::mpi
