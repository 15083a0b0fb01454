// Products with derivatives over the ranks of communicators of mpi4py.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <utility>
#include <vector>

#include <kith/mpi.hpp>

#include "collective.hpp"
#include "gradient_arguments.hpp"

namespace kith::python {
namespace {

MPI_Comm communicator_at(std::size_t address) {
  return *reinterpret_cast<const MPI_Comm*>(address);
}

/// Collective work without a result.
template <class Work>
void run_together(const Call& call, Work work) {
  run_collective(call, [&](const Execution& e) {
    work(e);
    return true;
  });
}

nb::object distances_reverse(std::size_t comm, const Lists& lists, const Whole& cotangent) {
  return nb::cpp_function([=](const Call& call) {
    const PairsOf pairs = lists.pairs();
    return with_type<Gradients>(pairs, [&]<class T>() -> Gradients {
      const auto d = static_cast<std::size_t>(pairs.points.dimension);
      const bool has_queries = lists.queries.has_value();
      std::vector<T> points(pairs.points.size * d), queries(pairs.queries.size * d);
      run_together(call, [&](const Execution& e) {
        mpi::distances_vjp<T>(communicator_at(comm), pairs, static_cast<const T*>(cotangent.data()),
                              {points.data(), has_queries ? queries.data() : nullptr}, e);
      });
      Reals by_points = matrix(std::move(points), pairs.points.size, d);
      if (!has_queries) return by_points;
      return std::pair<Reals, Reals>(std::move(by_points),
                                     matrix(std::move(queries), pairs.queries.size, d));
    });
  });
}

nb::object distances_forward(std::size_t comm, const Lists& lists,
                             const std::optional<Whole>& points,
                             const std::optional<Whole>& queries) {
  return nb::cpp_function([=](const Call& call) {
    const PairsOf pairs = lists.pairs();
    return with_type<Reals>(pairs, [&]<class T>() -> Reals {
      std::vector<T> out(pairs.lists.pairs());
      run_together(call, [&](const Execution& e) {
        mpi::distances_jvp<T>(communicator_at(comm), pairs,
                              {data_of<T>(points), data_of<T>(queries)}, out.data(), e);
      });
      return array_of(std::move(out));
    });
  });
}

nb::object density_reverse(std::size_t comm, const Lists& lists, const nb::dict& given,
                           const Numbers& cotangent) {
  std::optional<Array> mass;
  const ListDensityOptions options = density_options(given, mass);  // views the masses
  return nb::cpp_function([=, mass = mass](const Call& call) {
    const PairsOf pairs = lists.pairs();
    using Found = std::pair<Reals, ArrayOf<double>>;
    return with_type<Found>(pairs, [&]<class T>() {
      const auto d = static_cast<std::size_t>(pairs.points.dimension);
      std::vector<T> points(pairs.points.size * d);
      std::vector<double> by_mass(pairs.points.size);
      run_together(call, [&](const Execution& e) {
        mpi::list_density_vjp<T>(communicator_at(comm), pairs, options, cotangent.data(),
                                 {points.data(), by_mass.data()}, e);
      });
      return Found(matrix(std::move(points), pairs.points.size, d), array_of(std::move(by_mass)));
    });
  });
}

nb::object density_forward(std::size_t comm, const Lists& lists, const nb::dict& given,
                           const std::optional<Whole>& points,
                           const std::optional<Whole>& by_mass) {
  std::optional<Array> mass;
  const ListDensityOptions options = density_options(given, mass);  // views the masses
  return nb::cpp_function([=, mass = mass](const Call& call) {
    const PairsOf pairs = lists.pairs();
    return with_type<ArrayOf<double>>(pairs, [&]<class T>() {
      return array_of(run_collective(call, [&](const Execution& e) {
        return mpi::list_density_jvp<T>(communicator_at(comm), pairs, options, data_of<T>(points),
                                        data_of<double>(by_mass), e);
      }));
    });
  });
}

nb::object halos_reverse(const Array& points, const mpi::Groups& groups, const nb::dict& given,
                         const nb::dict& cotangent) {
  return nb::cpp_function([arguments = HaloArguments(given), values = fields_from(cotangent),
                           points, groups](const mpi::Domains& domains, const Call& call) {
    const PointsView view = points_of(points);
    const auto d = static_cast<std::size_t>(view.dimension);
    const bool moves = arguments.velocity.has_value();
    std::vector<double> position(view.size * d), velocity(moves ? view.size * d : 0),
        mass(view.size);
    run_together(call, [&](const Execution& e) {
      mpi::halos_vjp(domains, view, groups, arguments.options, values,
                     {position.data(), moves ? velocity.data() : nullptr, mass.data()}, e);
    });
    std::optional<ArrayOf<double>> by_velocity;
    if (moves) by_velocity = matrix(std::move(velocity), view.size, d);
    return nb::make_tuple(matrix(std::move(position), view.size, d), std::move(by_velocity),
                          array_of(std::move(mass)));
  });
}

nb::object halos_forward(const Array& points, const mpi::Groups& groups, const nb::dict& given,
                         const std::optional<Whole>& position, const std::optional<Whole>& velocity,
                         const std::optional<Whole>& mass) {
  return nb::cpp_function(
      [=, arguments = HaloArguments(given)](const mpi::Domains& domains, const Call& call) {
        const MemberTangent tangent{data_of<double>(position), data_of<double>(velocity),
                                    data_of<double>(mass)};
        GroupValues values = run_collective(call, [&](const Execution& e) {
          return mpi::halos_jvp(domains, points_of(points), groups, arguments.options, tangent, e);
        });
        nb::dict out;
        for_each_field([&](const char* name, auto member) {
          out[name] = array_of(std::move(values.*member));
        });
        return out;
      });
}

}  // namespace

void bind_mpi_gradients(nb::module_& module) {
  module.def("distances_vjp", &distances_reverse);
  module.def("distances_jvp", &distances_forward, nb::arg("comm"), nb::arg("lists"),
             nb::arg("points").none(), nb::arg("queries").none());
  module.def("density_vjp", &density_reverse);
  module.def("density_jvp", &density_forward, nb::arg("comm"), nb::arg("lists"), nb::arg("options"),
             nb::arg("points").none(), nb::arg("mass").none());
  module.def("halos_vjp", &halos_reverse);
  module.def("halos_jvp", &halos_forward, nb::arg("points"), nb::arg("groups"), nb::arg("options"),
             nb::arg("position").none(), nb::arg("velocity").none(), nb::arg("mass").none());
}

}  // namespace kith::python
