// `kith sample KIND`: points to play with.
#include <algorithm>
#include <functional>
#include <memory>

#include <kith/cosmology.hpp>
#include <kith/sample.hpp>

#include "sample_output.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith sample uniform -n 1000000 -d 2 -o points.npy
  kith sample nfw -n 100000 --concentration 12 -o halo.ply
  kith sample cosmology -n 128 -o universe.hdf5 --picture universe.png
  kith sample cosmology -n 64 --swift -o universe.hdf5

The extension selects the format. HDF5 holds everything: velocities, ids, masses, units and the
cosmology; .gadget2 and .npz hold most of it; the others hold positions.)";

/// Cubes repeat at their edges; clouds have none.
template <class Options>
Box box_of(const Options& options) {
  if constexpr (requires { options.side; })
    return Box::periodic(options.side);
  else
    return Box::open();
}

template <class Options>
int dimension_of(const Options& options) {
  if constexpr (requires { options.dimension; })
    return options.dimension;
  else
    return 3;
}

/// Points that are made while they are written.
template <class Options>
SnapshotContent made_in_parts(const Options& options,
                              sample::Points (*make)(const Options&, const Execution&)) {
  SnapshotContent content{
      .position = {nullptr, options.n, options.dimension, options.dimension, Scalar::float32},
      .box = box_of(options)};
  content.make_position = [options, make](std::uint64_t begin, std::span<float> rows) {
    Options part = options;
    part.first = begin;
    part.n = rows.size() / static_cast<std::size_t>(options.dimension);
    const sample::Points points = make(part, {});
    std::copy(points.coordinates.begin(), points.coordinates.end(), rows.begin());
  };
  make({.n = 0, .dimension = options.dimension, .side = options.side}, {});  // checks the options
  return content;
}

/// A kind that is made by make(options, execution) and gives Points. `add` adds its own options.
template <class Options>
void add_kind(Command sample, const char* name, const char* description,
              sample::Points (*make)(const Options&, const Execution&),
              const std::function<void(Command, Options&)>& add) {
  Command kind = sample.add_subcommand(name, description);
  const auto request = std::make_shared<SampleRequest>();
  const auto options = std::make_shared<Options>();
  add(kind, *options);
  add_sample_request(kind, *request);
  kind.callback([request, options, make] {
    Session session(request->common, request->output);
    check_sample(*request, dimension_of(*options));
    if constexpr (requires { options->first; })
      if (is_made_in_parts(*request))
        return deliver_sample(*request, session, made_in_parts(*options, make));
    const sample::Points points = make(*options, session.execution());
    deliver_sample(*request, session, {.position = points.view(), .box = box_of(*options)});
  });
}

template <class T>
void add_count(Command kind, T& n, const char* meaning = "number of points") {
  kind.add_option("-n", n, meaning).required().count();
}

template <class T>
void add(Command kind, const char* name, T& value, const char* meaning) {
  kind.add_option(name, value, meaning).shows_default();
}

template <class Options>
void add_dimension(Command kind, Options& o) {
  add(kind, "-d,--dimension", o.dimension, "number of dimensions");
}

template <class Options>
void add_side(Command kind, Options& o) {
  add(kind, "--side", o.side, "side of the cube");
}

template <class Options>
void add_seed(Command kind, Options& o) {
  kind.add_option("--seed", o.seed,
                  "seed of the random numbers; the same seed gives the same points")
      .shows_default()
      .non_negative();
}

void add_cubes(Command app) {
  using namespace sample;
  add_kind<Uniform>(app, "uniform", "points uniformly distributed in a cube", &uniform,
                    [](Command kind, Uniform& o) {
                      add_count(kind, o.n);
                      add_dimension(kind, o);
                      add_side(kind, o);
                      add_seed(kind, o);
                    });
  add_kind<Grid>(app, "grid", "the centers of equal cells of a cube", &grid,
                 [](Command kind, Grid& o) {
                   add_count(kind, o.n, "points along each axis");
                   add_dimension(kind, o);
                   add_side(kind, o);
                 });
  add_kind<Lines>(app, "lines", "points on straight lines in a cube", &lines,
                  [](Command kind, Lines& o) {
                    add_count(kind, o.n);
                    add(kind, "--lines", o.lines, "number of lines");
                    add_dimension(kind, o);
                    add_side(kind, o);
                    add_seed(kind, o);
                  });
  add_kind<AllEqual>(app, "all-equal", "the same point many times", &all_equal,
                     [](Command kind, AllEqual& o) {
                       add_count(kind, o.n);
                       add_dimension(kind, o);
                       add(kind, "--value", o.value, "value of every coordinate");
                     });
  add_kind<HalfIdentical>(app, "half-identical",
                          "half of the points in one place, the others uniform in a cube",
                          &half_identical, [](Command kind, HalfIdentical& o) {
                            add_count(kind, o.n);
                            add_dimension(kind, o);
                            add_side(kind, o);
                            add_seed(kind, o);
                          });
}

void add_clouds(Command app) {
  using namespace sample;
  add_kind<Normal>(app, "normal", "a Gaussian cloud", &normal, [](Command kind, Normal& o) {
    add_count(kind, o.n);
    add_dimension(kind, o);
    add(kind, "--sigma", o.sigma, "standard deviation along each axis");
    add_seed(kind, o);
  });
  add_kind<Plummer>(
      app, "plummer", "a Plummer sphere, with a few points far out", &plummer,
      [](Command kind, Plummer& o) {
        add_count(kind, o.n);
        add(kind, "--radius", o.radius, "scale radius, which encloses 35 % of the points");
        add(kind, "--max-radius", o.max_radius, "largest distance from the center; 0 = no limit");
        add_seed(kind, o);
      });
  add_kind<Nfw>(app, "nfw", "a halo with the profile of Navarro, Frenk and White", &nfw,
                [](Command kind, Nfw& o) {
                  add_count(kind, o.n);
                  add(kind, "--radius", o.radius, "outer radius of the halo");
                  add(kind, "--concentration", o.concentration,
                      "concentration: outer radius over scale radius");
                  add_seed(kind, o);
                });
  add_kind<Shells>(app, "shells", "points on concentric spheres", &shells,
                   [](Command kind, Shells& o) {
                     add_count(kind, o.n);
                     add(kind, "--shells", o.shells, "number of spheres");
                     add_dimension(kind, o);
                     add(kind, "--radius", o.radius, "radius of the largest sphere");
                     add_seed(kind, o);
                   });
}

void add_cosmology_options(Command kind, sample::Cosmology& o) {
  add(kind, "-n", o.n, "particles along each axis");
  add(kind, "--side", o.side, "side of the box in Mpc/h; 0 = n Mpc/h");
  add_seed(kind, o);
  add(kind, "--omega-m", o.omega_m, "density of matter today");
  add(kind, "--omega-b", o.omega_b, "density of baryons today");
  add(kind, "--h", o.h, "Hubble constant in 100 km/s/Mpc");
  add(kind, "--n-s", o.n_s, "slope of the primordial power spectrum");
  add(kind, "--sigma8", o.sigma8, "rms contrast in spheres of 8 Mpc/h");
  add(kind, "--order", o.order, "order of the initial conditions: 1 or 2");
  add(kind, "--a-start", o.a_start, "first scale factor");
  add(kind, "--a-end", o.a_end, "last scale factor");
  add(kind, "--steps", o.steps, "number of time steps");
  add(kind, "--mesh", o.mesh, "cells of the force mesh along each axis; 0 = 2 n");
}

/// Positions in comoving Mpc/h, velocities in km/s, masses in 1e10 solar masses / h, the units that
/// readers of Gadget's files take for granted.
SnapshotContent content_of(const sample::Universe& universe) {
  const sample::Cosmology& options = universe.options;
  return {.position = universe.view(),
          .velocity = kith::view(universe.velocity.data(), universe.size(), 3),
          .particle_mass = universe.particle_mass / 1e10,
          .box = universe.box(),
          .units = {.length = 3.0856775814913673e24,
                    .mass = 1.98841e43,
                    .velocity = 1e5,
                    .is_per_h = true,
                    .is_comoving = true},
          .background = {.is_known = true,
                         .omega_m = options.omega_m,
                         .omega_lambda = 1 - options.omega_m,
                         .omega_b = options.omega_b,
                         .h = options.h,
                         .scale_factor = options.a_end,
                         .redshift = 1 / options.a_end - 1}};
}

void run_cosmology(SampleRequest& request, const sample::Cosmology& options) {
  Session session(request.common, request.output);
  check_sample(request, 3);
  const sample::Universe universe = sample::cosmology(options, session.execution());
  request.view.box = universe.box();
  if (!request.has_slice) {
    // A tenth of the box: through all of it, filaments lie over each other and fade.
    request.view.thickness = universe.options.side / 10;
    request.view.center = universe.options.side / 2;
  }
  session.report().add("side", universe.options.side);
  session.report().add("particle_mass", universe.particle_mass);
  session.report().add("scale_factor", universe.options.a_end);
  session.report().add_count("seed", universe.options.seed);
  deliver_sample(request, session, content_of(universe));
}

void add_cosmology(Command app) {
  Command kind =
      app.add_subcommand("cosmology", "n^3 dark matter particles of a simulated universe");
  const auto request = std::make_shared<SampleRequest>();
  const auto options = std::make_shared<sample::Cosmology>();
  const auto transfer = std::make_shared<std::string>("eisenstein-hu");
  add_cosmology_options(kind, *options);
  kind.add_option("--transfer", *transfer, "transfer function of the power spectrum")
      .shows_default()
      .one_of({"eisenstein-hu", "bbks"});
  add_sample_request(kind, *request);
  kind.add_option("--velocity", request->velocity, "file for peculiar velocities in km/s");
  kind.footer(
      "The picture shows a slice through the middle, a tenth of the box thick, unless you choose "
      "another.");
  kind.callback([request, options, transfer, kind] {
    if (*transfer == "bbks") options->transfer = sample::Transfer::bbks;
    request->has_slice = kind.count("--picture-center") + kind.count("--picture-thickness") > 0;
    run_cosmology(*request, *options);
  });
}

}  // namespace

void add_sample(Command program) {
  Command sample = program.add_subcommand("sample", "makes sample points");
  sample.require_subcommand();
  sample.footer(kExamples);
  add_cubes(sample);
  add_clouds(sample);
  add_cosmology(sample);
}

}  // namespace kith::cli
