// Derivatives: products over neighbor lists, halos, meshes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <kith/gradients.hpp>
#include <kith/topology.hpp>

#include "gradient_arguments.hpp"
#include "module.hpp"
#include "products.hpp"

namespace kith::python {
namespace {

/// The result of a function of the pairs: `width` numbers for each of `count`.
template <class T, class Function>
ArrayOf<T> forward(std::size_t count, std::size_t width, const Call& call, Function function) {
  std::vector<T> out(count * width);
  run_work(call, [&](const Execution& e) { function(out.data(), e); });
  return width == 1 ? array_of(std::move(out)) : matrix(std::move(out), count, width);
}

/// Distances (width 1) or displacements, their derivatives by one vector or the other.
enum class Which { distances, displacements };

Reals pair_values(Which which, const Lists& lists, const Call& call) {
  const PairsOf pairs = lists.pairs();
  return with_type<Reals>(pairs, [&]<class T>() {
    if (which == Which::distances)
      return forward<T>(pairs.lists.pairs(), 1, call,
                        [&](T* out, const Execution& e) { distances<T>(pairs, out, e); });
    return forward<T>(pairs.lists.pairs(), static_cast<std::size_t>(pairs.points.dimension), call,
                      [&](T* out, const Execution& e) { displacements<T>(pairs, out, e); });
  });
}

Gradients pair_values_vjp(Which which, const Lists& lists, const Whole& cotangent,
                          const Call& call) {
  const PairsOf pairs = lists.pairs();
  return with_type<Gradients>(pairs, [&]<class T>() {
    const T* given = static_cast<const T*>(cotangent.data());
    return reverse<T>(pairs, call, [&](PairGradient<T> out, const Execution& e) {
      if (which == Which::distances)
        distances_vjp<T>(pairs, given, out, e);
      else
        displacements_vjp<T>(pairs, given, out, e);
    });
  });
}

Reals pair_values_jvp(Which which, const Lists& lists, const std::optional<Whole>& points,
                      const std::optional<Whole>& queries, const Call& call) {
  const PairsOf pairs = lists.pairs();
  return with_type<Reals>(pairs, [&]<class T>() {
    const PairTangent<T> tangent{data_of<T>(points), data_of<T>(queries)};
    if (which == Which::distances)
      return forward<T>(pairs.lists.pairs(), 1, call, [&](T* out, const Execution& e) {
        distances_jvp<T>(pairs, tangent, out, e);
      });
    return forward<T>(
        pairs.lists.pairs(), static_cast<std::size_t>(pairs.points.dimension), call,
        [&](T* out, const Execution& e) { displacements_jvp<T>(pairs, tangent, out, e); });
  });
}

Gradients pair_sums_reverse(const Lists& lists, const Whole& derivative, const Whole& cotangent,
                            const Call& call) {
  const PairsOf pairs = lists.pairs();
  return with_type<Gradients>(pairs, [&]<class T>() {
    return reverse<T>(pairs, call, [&](PairGradient<T> out, const Execution& e) {
      pair_sums_vjp<T>(pairs, static_cast<const T*>(derivative.data()),
                       static_cast<const T*>(cotangent.data()), out, e);
    });
  });
}

Reals pair_sums_forward(const Lists& lists, const Whole& derivative,
                        const std::optional<Whole>& points, const std::optional<Whole>& queries,
                        const Call& call) {
  const PairsOf pairs = lists.pairs();
  return with_type<Reals>(pairs, [&]<class T>() {
    return forward<T>(pairs.lists.rows, 1, call, [&](T* out, const Execution& e) {
      pair_sums_jvp<T>(pairs, static_cast<const T*>(derivative.data()),
                       {data_of<T>(points), data_of<T>(queries)}, out, e);
    });
  });
}

ArrayOf<double> density_forward(const Lists& lists, const nb::dict& given, const Call& call) {
  std::optional<Array> mass;
  const ListDensityOptions options = density_options(given, mass);
  const PairsOf pairs = lists.pairs();
  return array_of(run(call, [&](const Execution& e) { return list_density(pairs, options, e); }));
}

std::pair<Reals, ArrayOf<double>> density_reverse(const Lists& lists, const nb::dict& given,
                                                  const Numbers& cotangent, const Call& call) {
  std::optional<Array> mass;
  const ListDensityOptions options = density_options(given, mass);
  const PairsOf pairs = lists.pairs();
  return with_type<std::pair<Reals, ArrayOf<double>>>(pairs, [&]<class T>() {
    const auto d = static_cast<std::size_t>(pairs.points.dimension);
    std::vector<T> points(pairs.points.size * d);
    std::vector<double> by_mass(pairs.points.size);
    run_work(call, [&](const Execution& e) {
      list_density_vjp<T>(pairs, options, cotangent.data(), {points.data(), by_mass.data()}, e);
    });
    return std::pair<Reals, ArrayOf<double>>(matrix(std::move(points), pairs.points.size, d),
                                             array_of(std::move(by_mass)));
  });
}

ArrayOf<double> density_tangent(const Lists& lists, const nb::dict& given,
                                const std::optional<Whole>& points,
                                const std::optional<Whole>& by_mass, const Call& call) {
  std::optional<Array> mass;
  const ListDensityOptions options = density_options(given, mass);
  const PairsOf pairs = lists.pairs();
  return with_type<ArrayOf<double>>(pairs, [&]<class T>() {
    return array_of(run(call, [&](const Execution& e) {
      return list_density_jvp<T>(pairs, options, data_of<T>(points), data_of<double>(by_mass), e);
    }));
  });
}

std::tuple<ArrayOf<double>, std::optional<ArrayOf<double>>, ArrayOf<double>> halos_reverse(
    const Array& points, const Members& members, const nb::dict& given, const nb::dict& cotangent,
    const Call& call) {
  const HaloArguments arguments(given);
  const PointsView view = points_of(points);
  const GroupValues values = fields_from(cotangent);
  const auto d = static_cast<std::size_t>(view.dimension);
  const bool moves = arguments.velocity.has_value();
  std::vector<double> position(view.size * d), velocity(moves ? view.size * d : 0), mass(view.size);
  run_work(call, [&](const Execution& e) {
    halos_vjp(view, members, arguments.options, values,
              {position.data(), moves ? velocity.data() : nullptr, mass.data()}, e);
  });
  std::optional<ArrayOf<double>> by_velocity;
  if (moves) by_velocity = matrix(std::move(velocity), view.size, d);
  return {matrix(std::move(position), view.size, d), std::move(by_velocity),
          array_of(std::move(mass))};
}

Columns<ArrayOf<double>> halos_forward(const Array& points, const Members& members,
                                       const nb::dict& given, const std::optional<Whole>& position,
                                       const std::optional<Whole>& velocity,
                                       const std::optional<Whole>& mass, const Call& call) {
  const HaloArguments arguments(given);
  const PointsView view = points_of(points);
  const MemberTangent tangent{data_of<double>(position), data_of<double>(velocity),
                              data_of<double>(mass)};
  GroupValues values = run(call, [&](const Execution& e) {
    return halos_jvp(view, members, arguments.options, tangent, e);
  });
  nb::dict out;
  for_each_field([&](const char* name, auto member) {
    if (!(values.*member).empty()) out[name] = array_of(std::move(values.*member));
  });
  return out;
}

ArrayOf<double> tensors_of(const Array& points, const Members& members, const nb::dict& given,
                           const Call& call) {
  const HaloArguments arguments(given);
  const PointsView view = points_of(points);
  const auto d = static_cast<std::size_t>(view.dimension);
  return array_of(
      run(call,
          [&](const Execution& e) { return shape_tensors(view, members, arguments.options, e); }),
      {members.count(), d, d});
}

MeshOptions mesh_of(const Box& box, const std::vector<std::size_t>& cells) { return {box, cells}; }

ArrayOf<double> paint_forward(const Array& points, const std::optional<Array>& weight,
                              const Box& box, const std::vector<std::size_t>& cells,
                              const Call& call) {
  const PointsView view = points_of(points);
  const ValuesView values = weight ? values_of(*weight) : ValuesView();
  return array_of(
      run(call, [&](const Execution& e) { return paint(view, values, mesh_of(box, cells), e); }));
}

std::pair<ArrayOf<double>, ArrayOf<double>> paint_reverse(
    const Array& points, const std::optional<Array>& weight, const Box& box,
    const std::vector<std::size_t>& cells, const Numbers& cotangent, const Call& call) {
  const PointsView view = points_of(points);
  const ValuesView values = weight ? values_of(*weight) : ValuesView();
  const auto d = static_cast<std::size_t>(view.dimension);
  std::vector<double> position(view.size * d), by_weight(view.size);
  run_work(call, [&](const Execution& e) {
    paint_vjp(view, values, mesh_of(box, cells), span_of(cotangent), position.data(),
              by_weight.data(), e);
  });
  return {matrix(std::move(position), view.size, d), array_of(std::move(by_weight))};
}

ArrayOf<double> paint_tangent(const Array& points, const std::optional<Array>& weight,
                              const Box& box, const std::vector<std::size_t>& cells,
                              const std::optional<Whole>& position,
                              const std::optional<Whole>& by_weight, const Call& call) {
  const PointsView view = points_of(points);
  const ValuesView values = weight ? values_of(*weight) : ValuesView();
  return array_of(run(call, [&](const Execution& e) {
    return paint_jvp(view, values, mesh_of(box, cells), data_of<double>(position),
                     data_of<double>(by_weight), e);
  }));
}

}  // namespace

void bind_gradients(nb::module_& module) {
  nb::class_<Lists>(module, "Lists")
      .def(
          "__init__",
          [](Lists* self, Array points, std::optional<Array> queries, const Box& box, Whole index,
             std::optional<Offsets> offset) {
            new (self) Lists{std::move(points), std::move(queries), box, std::move(index),
                             std::move(offset)};
          },
          nb::arg("points"), nb::arg("queries").none(), nb::arg("box"), nb::arg("index"),
          nb::arg("offset").none());
  for (const Which which : {Which::distances, Which::displacements}) {
    const std::string name = which == Which::distances ? "distances" : "displacements";
    module.def(name.c_str(), [which](const Lists& lists, const Call& call) {
      return pair_values(which, lists, call);
    });
    module.def((name + "_vjp").c_str(),
               [which](const Lists& lists, const Whole& cotangent, const Call& call) {
                 return pair_values_vjp(which, lists, cotangent, call);
               });
    module.def((name + "_jvp").c_str(),
               [which](const Lists& lists, const std::optional<Whole>& points,
                       const std::optional<Whole>& queries, const Call& call) {
                 return pair_values_jvp(which, lists, points, queries, call);
               },
               nb::arg("lists"), nb::arg("points").none(), nb::arg("queries").none(),
               nb::arg("call"));
  }
  module.def("pair_sums_vjp", &pair_sums_reverse);
  module.def("pair_sums_jvp", &pair_sums_forward, nb::arg("lists"), nb::arg("derivative"),
             nb::arg("points").none(), nb::arg("queries").none(), nb::arg("call"));
  module.def("list_density", &density_forward);
  module.def("list_density_vjp", &density_reverse);
  module.def("list_density_jvp", &density_tangent, nb::arg("lists"), nb::arg("options"),
             nb::arg("points").none(), nb::arg("mass").none(), nb::arg("call"));
  module.def("halos_vjp", &halos_reverse);
  module.def("halos_jvp", &halos_forward, nb::arg("points"), nb::arg("members"), nb::arg("options"),
             nb::arg("position").none(), nb::arg("velocity").none(), nb::arg("mass").none(),
             nb::arg("call"));
  module.def("shape_tensors", &tensors_of);
  module.def(
      "label_members",
      [](const nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& label,
         std::size_t count) {
        return members(std::span<const std::int32_t>(label.data(), label.size()), count);
      });
  module.def("soft_mass_function", [](const Numbers& mass, const Numbers& edge, double width) {
    return array_of(soft_mass_function(span_of(mass), {span_of(edge), width}));
  });
  module.def("soft_mass_function_vjp",
             [](const Numbers& mass, const Numbers& edge, double width, const Numbers& cotangent) {
               return array_of(soft_mass_function_vjp(span_of(mass), {span_of(edge), width},
                                                      span_of(cotangent)));
             });
  module.def("paint", &paint_forward, nb::arg("points"), nb::arg("weight").none(), nb::arg("box"),
             nb::arg("cells"), nb::arg("call"));
  module.def("paint_vjp", &paint_reverse, nb::arg("points"), nb::arg("weight").none(),
             nb::arg("box"), nb::arg("cells"), nb::arg("cotangent"), nb::arg("call"));
  module.def("paint_jvp", &paint_tangent, nb::arg("points"), nb::arg("weight").none(),
             nb::arg("box"), nb::arg("cells"), nb::arg("position").none(),
             nb::arg("by_weight").none(), nb::arg("call"));
}

}  // namespace kith::python
