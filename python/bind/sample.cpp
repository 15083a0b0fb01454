// Points to play with, the mass function, and pictures.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>
#include <utility>
#include <vector>

#include <kith/cosmology.hpp>
#include <kith/io/picture.hpp>
#include <kith/mass_function.hpp>
#include <kith/sample.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

ArrayOf<float> rows_of(sample::Points&& points) {
  const std::size_t size = points.size();
  return array_of(std::move(points.coordinates),
                  {size, static_cast<std::size_t>(points.dimension)});
}

/// Fills the options that a kind of sample has, calls it, and hands over the points.
template <class Kind, class Read>
void bind_shape(nb::module_& module, const char* name,
                sample::Points (*make)(const Kind&, const Execution&), Read read_options) {
  module.def(name, [make, read_options](const nb::dict& given, const Call& call) {
    Kind options;
    Options read(given);
    read_options(read, options);
    read.expect_no_more();
    return rows_of(run(call, [&](const Execution& e) { return make(options, e); }));
  });
}

void bind_shapes(nb::module_& module) {
  using namespace sample;
  bind_shape<Uniform>(module, "sample_uniform", &uniform, [](Options& read, Uniform& o) {
    read("n", o.n), read("dimension", o.dimension), read("side", o.side), read("seed", o.seed);
  });
  bind_shape<Normal>(module, "sample_normal", &normal, [](Options& read, Normal& o) {
    read("n", o.n), read("dimension", o.dimension), read("sigma", o.sigma), read("seed", o.seed);
  });
  bind_shape<Grid>(module, "sample_grid", &grid, [](Options& read, Grid& o) {
    read("n", o.n), read("dimension", o.dimension), read("side", o.side);
  });
  bind_shape<Plummer>(module, "sample_plummer", &plummer, [](Options& read, Plummer& o) {
    read("n", o.n), read("radius", o.radius), read("max_radius", o.max_radius),
        read("seed", o.seed);
  });
  bind_shape<Nfw>(module, "sample_nfw", &nfw, [](Options& read, Nfw& o) {
    read("n", o.n), read("radius", o.radius), read("concentration", o.concentration),
        read("seed", o.seed);
  });
  bind_shape<Shells>(module, "sample_shells", &shells, [](Options& read, Shells& o) {
    read("n", o.n), read("dimension", o.dimension), read("shells", o.shells),
        read("radius", o.radius), read("seed", o.seed);
  });
  bind_shape<Lines>(module, "sample_lines", &lines, [](Options& read, Lines& o) {
    read("n", o.n), read("dimension", o.dimension), read("lines", o.lines), read("side", o.side),
        read("seed", o.seed);
  });
  bind_shape<AllEqual>(module, "sample_all_equal", &all_equal, [](Options& read, AllEqual& o) {
    read("n", o.n), read("dimension", o.dimension), read("value", o.value);
  });
  bind_shape<HalfIdentical>(
      module, "sample_half_identical", &half_identical, [](Options& read, HalfIdentical& o) {
        read("n", o.n), read("dimension", o.dimension), read("side", o.side), read("seed", o.seed);
      });
}

sample::Cosmology cosmology_options(const nb::dict& given) {
  sample::Cosmology options;
  Options read(given);
  read("n", options.n), read("side", options.side), read("seed", options.seed);
  read("omega_m", options.omega_m), read("omega_b", options.omega_b), read("h", options.h);
  read("n_s", options.n_s), read("sigma8", options.sigma8);
  read.choice(
      "transfer", options.transfer,
      {{"eisenstein_hu", sample::Transfer::eisenstein_hu}, {"bbks", sample::Transfer::bbks}});
  read("order", options.order), read("a_start", options.a_start), read("a_end", options.a_end);
  read("steps", options.steps), read("mesh", options.mesh);
  read.expect_no_more();
  return options;
}

std::tuple<ArrayOf<float>, ArrayOf<float>, double, double> cosmology_of(const nb::dict& given,
                                                                        const Call& call) {
  const sample::Cosmology options = cosmology_options(given);
  auto made = run(call, [&](const Execution& e) { return sample::cosmology(options, e); });
  const std::size_t size = made.size();
  return {array_of(std::move(made.position), {size, 3}),
          array_of(std::move(made.velocity), {size, 3}), made.particle_mass, made.options.side};
}

ArrayOf<double> linear_power_of(const Numbers& k, const nb::dict& given) {
  const auto numbers = span_of(k);
  return array_of(sample::linear_power(cosmology_options(given), {numbers.begin(), numbers.end()}));
}

Columns<nb::ndarray<nb::numpy>> mass_function_of(const Numbers& mass, const nb::dict& given) {
  MassFunctionOptions options;
  Options read(given);
  read("volume", options.volume);
  read("bins_per_decade", options.bins_per_decade);
  read("min_mass", options.min_mass);
  read("max_mass", options.max_mass);
  read.expect_no_more();
  MassFunction found = mass_function(span_of(mass), options);
  nb::dict columns;
  columns["edge"] = array_of(std::move(found.edge));
  columns["mass"] = array_of(std::move(found.mass));
  columns["count"] = array_of(std::move(found.count));
  columns["density"] = array_of(std::move(found.density));
  columns["lower"] = array_of(std::move(found.lower));
  columns["upper"] = array_of(std::move(found.upper));
  return columns;
}

ArrayOf<double> theory_of(const Numbers& mass, bool is_press_schechter, double a,
                          const nb::dict& given) {
  const auto kind = is_press_schechter ? Multiplicity::press_schechter : Multiplicity::sheth_tormen;
  return array_of(mass_function(kind, cosmology_options(given), span_of(mass), a));
}

ArrayOf<std::uint8_t> picture_of(const Array& points, const nb::dict& given, const Call& call) {
  PictureOptions options;
  Options read(given);
  read("box", options.box), read("size", options.size), read("axis", options.axis);
  read("center", options.center), read("thickness", options.thickness);
  read("darkest", options.darkest), read("brightest", options.brightest);
  read("smoothing", options.smoothing);
  read.expect_no_more();
  const PointsView view = points_of(points);
  Picture made = run(call, [&](const Execution& e) { return picture(view, options, e); });
  return array_of(std::move(made.pixels),
                  {static_cast<std::size_t>(made.height), static_cast<std::size_t>(made.width), 3});
}

ArrayOf<std::uint8_t> colors(const Numbers& values) {
  std::vector<std::uint8_t> rgb;
  for (const double value : span_of(values)) {
    const Color color = color_of(value);
    rgb.insert(rgb.end(), {color.red, color.green, color.blue});
  }
  return array_of(std::move(rgb), {values.size(), 3});
}

}  // namespace

void bind_sample(nb::module_& module) {
  bind_shapes(module);
  module.def("sample_cosmology", &cosmology_of);
  module.def("linear_power", &linear_power_of);
  module.def("mass_function", &mass_function_of);
  module.def("mass_function_theory", &theory_of);
  module.def("picture", &picture_of);
  module.def("colors", &colors);
}

}  // namespace kith::python
