// Spheres of given density over ranks: each center goes to the rank whose points are nearest, which
// imports what lies within reach of it. Centers whose edges lie farther out look farther, together.
#include <algorithm>
#include <cstring>

#include <kith/mpi_halos.hpp>

#include "groups/checks.hpp"
#include "groups/columns.hpp"
#include "groups/edges.hpp"
#include "mpi/queries.hpp"
#include "mpi/search.hpp"

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
    routed_ = routed<T>(call, domains, view(rows.data(), count_, domains.dimension));
    asked_ = routed_.asked();
    take_masses();
    agree_on_first_mass();
    take_centers();
  }

  Overdensities run() {
    while (any_left()) look();
    return returned();
  }

 private:
  const Part<T>& part() const { return sources_.part; }
  std::size_t edges() const { return options_.density.size(); }

  void take_masses() {
    std::vector<double> mass;
    call_.quick([&] { mass = numbers_of(options_.mass, domains_.input_size); });
    mass_ = carried(call_, domains_.route, mass.data(), sizeof(double));
    sources_.value = reinterpret_cast<const double*>(mass_.data());
  }

  /// One process begins with the mass of its first point where a guess is less. Any mass will do,
  /// as it decides only how far the first search goes.
  void agree_on_first_mass() {
    first_mass_ = domains_.input_size > 0 ? -ValueReader(options_.mass)(0) : 0;
    call_.communicator().least(&first_mass_, 1);
    first_mass_ = -first_mass_;
  }

  /// How far each center that came here looks first.
  void take_centers() {
    std::vector<double> within, guess;
    call_.quick([&] {
      within = numbers_of(options_.within, count_);
      guess = numbers_of(options_.mass_guess, count_);
    });
    const auto here = carried(call_, routed_.route, within.data(), sizeof(double));
    const auto guessed = carried(call_, routed_.route, guess.data(), sizeof(double));
    call_.quick([&] {
      const std::size_t n = asked_.view.points;
      limits2_ = Array<T>(n);
      reached_.resize(n);
      within_.resize(n);
      found_.resize(n * edges());
      left_.assign(n, 1);
      for (std::size_t i = 0; i < n; ++i) {
        double mass = 0;
        std::memcpy(&within_[i], here.data() + asked_.view.index(i) * sizeof(double),
                    sizeof(double));
        std::memcpy(&mass, guessed.data() + asked_.view.index(i) * sizeof(double), sizeof(double));
        reached_[i] = reach_.first(std::max(mass, first_mass_), within_[i]);
      }
    });
  }

  bool any_left() {
    std::int64_t left = -static_cast<std::int64_t>(std::count(left_.begin(), left_.end(), 1));
    call_.communicator().least(&left, 1);
    return left < 0;
  }

  /// One round for the centers that are left.
  void look() {
    Balls<T> balls;
    call_.quick([&] {
      for (std::size_t i = 0; i < left_.size(); ++i) {
        limits2_[i] = left_[i] ? reach_.squared(reached_[i]) : T(-1);
        balls.limit2 = std::max(balls.limit2, limits2_[i]);
      }
      balls.limits2 = limits2_.data();
    });
    const BallSearch<T> search(call_, asked_, balls, sources_);
    call_.phase([&](Workers& workers) {
      std::vector<std::uint8_t> is_told(left_.size());
      search.search(workers, [&](const Row<T>& row) {
        if (!left_[row.position]) return;
        is_told[row.position] = 1;
        tell(row);
      });
      for (std::size_t i = 0; i < left_.size(); ++i)
        if (left_[i] && !is_told[i]) tell({i, 0, nullptr, nullptr});
      for (std::size_t i = 0; i < left_.size(); ++i) {
        left_[i] = left_[i] == kGoesOn ? 1 : 0;
        reached_[i] = EdgeReach<T>::next(reached_[i]);
      }
    });
  }

  /// What a center sees; from several threads at once.
  void tell(const Row<T>& row) {
    const std::size_t i = row.position;
    const Outward points{row.count, domains_.dimension, [&](std::size_t p) { return row.d2[p]; },
                         [&](std::size_t p) { return sources_.value_of(row.point[p]); }};
    if (!reach_.find(points, domains_.total, reached_[i], within_[i], &found_[i * edges()]))
      left_[i] = kGoesOn;
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
    carried_back(
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

  static constexpr std::uint8_t kGoesOn = 2;

  Call& call_;
  const Domains::Impl& domains_;
  const OverdensityOptions& options_;
  std::size_t count_;
  EdgeReach<T> reach_;
  Sources<T> sources_;
  Routed<T> routed_;
  Asked<T> asked_;
  Array<std::byte> mass_;  ///< by local index
  double first_mass_ = 0;
  // Of the centers that came here, by position.
  Array<T> limits2_;
  std::vector<double> reached_, within_;
  std::vector<std::uint8_t> left_;
  std::vector<EdgeAt> found_;
};

}  // namespace

Overdensities overdensities(const Domains& domains, std::span<const double> centers,
                            const OverdensityOptions& options, const Execution& execution) {
  return public_call("overdensities", [&] {
    const Domains::Impl& impl = *domains.impl();
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
