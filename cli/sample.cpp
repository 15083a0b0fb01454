// `kith sample KIND`: points to play with.
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <memory>

#include <kith/cosmology.hpp>
#include <kith/error.hpp>
#include <kith/files.hpp>
#include <kith/picture.hpp>
#include <kith/sample.hpp>

#include "command.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith sample uniform -n 1000000 -d 2 -o points.npy
  kith sample nfw -n 100000 --concentration 12 -o halo.raw
  kith sample cosmology -n 128 -o universe.npy --velocity velocity.npy --picture universe.png

Files: .npy holds a NumPy array of float32, .raw and .f32 the bare numbers; one row per point.)";

/// What is wanted of every kind of sample.
struct Request {
  Common common;
  std::string kind;
  std::string output;
  std::string velocity;
  std::string picture;
  PictureOptions view;
  bool has_slice = false;  ///< the user has said where
};

void add_request(CLI::App& kind, Request& request) {
  request.kind = kind.get_name();
  kind.add_option("-o,--output", request.output, "file for the points: .npy, .raw or .f32")
      ->required();
  kind.add_option("--picture", request.picture, "file for a picture of the density: .png");
  kind.add_option("--picture-size", request.view.size, "pixels of the longer side")
      ->capture_default_str();
  kind.add_option("--picture-axis", request.view.axis, "axis to look along")->capture_default_str();
  kind.add_option("--picture-thickness", request.view.thickness, "of the slice; 0 = everything")
      ->capture_default_str();
  kind.add_option("--picture-center", request.view.center, "of the slice, from the lower edge")
      ->capture_default_str();
  kind.add_option("--picture-smoothing", request.view.smoothing,
                  "points to average over where there are few; 0 = none")
      ->capture_default_str();
  add_common(kind, request.common);
}

bool ends_with(const std::string& text, std::string_view ending) {
  return std::string_view(text).ends_with(ending);
}

/// What would fail after the work fails before it.
void check(const Request& request) {
  check_points_path(request.output, Scalar::float32);
  check_folder_of(request.output);
  if (!request.velocity.empty()) {
    check_points_path(request.velocity, Scalar::float32);
    check_folder_of(request.velocity);
  }
  if (request.picture.empty()) return;
  if (!ends_with(request.picture, ".png"))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: pictures are PNG files; use an ending of .png", request.picture));
  check_folder_of(request.picture);
}

/// The files of a sample, and the words about it.
class Delivery {
 public:
  Delivery(const Request& request, const Execution& execution)
      : request_(request), execution_(execution), start_(std::chrono::steady_clock::now()) {
    report_.add("kind", request.kind);
  }

  Report& report() { return report_; }

  void write(PointsView points, const std::vector<float>* velocity) {
    report_.add_count("points", points.size);
    report_.add_count("dimension", static_cast<std::uint64_t>(points.dimension));
    const std::chrono::duration<double> made = std::chrono::steady_clock::now() - start_;
    write_points(request_.output, points, execution_);
    report_.add("output", request_.output);
    if (velocity) {
      write_points(request_.velocity, kith::view(velocity->data(), points.size, 3), execution_);
      report_.add("velocity", request_.velocity);
    }
    if (!request_.picture.empty()) {
      write_png(request_.picture, picture(points, request_.view, execution_), execution_);
      report_.add("picture", request_.picture);
    }
    report_.add("seconds", made.count());
    tell(points, made.count());
  }

 private:
  void tell(const PointsView& points, double seconds) const {
    clear_progress();
    if (request_.common.json) return fmt::print("{}\n", report_.json());
    if (request_.common.quiet) return;
    fmt::print("{}: {} points in {} dimensions, made in {:.2f} s\n", request_.kind, points.size,
               points.dimension, seconds);
    for (const std::string& file : {request_.output, request_.velocity, request_.picture})
      if (!file.empty()) fmt::print("  {}\n", file);
  }

  const Request& request_;
  const Execution& execution_;
  std::chrono::steady_clock::time_point start_;
  Report report_;
};

/// A kind that is made by make(options, execution) and gives Points. `add` adds its own options.
template <class Options>
void add_kind(CLI::App& sample, const char* name, const char* description,
              sample::Points (*make)(const Options&, const Execution&),
              const std::function<void(CLI::App&, Options&)>& add) {
  CLI::App* kind = sample.add_subcommand(name, description);
  const auto request = std::make_shared<Request>();
  const auto options = std::make_shared<Options>();
  add(*kind, *options);
  add_request(*kind, *request);
  kind->callback([request, options, make] {
    check(*request);
    const Execution execution = execution_of(request->common);
    Delivery delivery(*request, execution);
    delivery.write(make(*options, execution).view(), nullptr);
  });
}

template <class T>
void add_count(CLI::App& kind, T& n, const char* meaning = "number of points") {
  kind.add_option("-n", n, meaning)->required()->check(CLI::PositiveNumber);
}

template <class T>
void add(CLI::App& kind, const char* name, T& value, const char* meaning) {
  kind.add_option(name, value, meaning)->capture_default_str();
}

template <class Options>
void add_dimension(CLI::App& kind, Options& o) {
  add(kind, "-d,--dimension", o.dimension, "coordinates of a point");
}

template <class Options>
void add_side(CLI::App& kind, Options& o) {
  add(kind, "--side", o.side, "of the cube");
}

template <class Options>
void add_seed(CLI::App& kind, Options& o) {
  kind.add_option("--seed", o.seed, "the same seed gives the same points")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
}

void add_cubes(CLI::App& app) {
  using namespace sample;
  add_kind<Uniform>(app, "uniform", "evenly in a cube", &uniform, [](CLI::App& kind, Uniform& o) {
    add_count(kind, o.n);
    add_dimension(kind, o);
    add_side(kind, o);
    add_seed(kind, o);
  });
  add_kind<Grid>(app, "grid", "the centers of equal cells of a cube", &grid,
                 [](CLI::App& kind, Grid& o) {
                   add_count(kind, o.n, "points along each axis");
                   add_dimension(kind, o);
                   add_side(kind, o);
                 });
  add_kind<Lines>(app, "lines", "on straight lines in a cube", &lines,
                  [](CLI::App& kind, Lines& o) {
                    add_count(kind, o.n);
                    add(kind, "--lines", o.lines, "number of lines");
                    add_dimension(kind, o);
                    add_side(kind, o);
                    add_seed(kind, o);
                  });
  add_kind<AllEqual>(app, "all-equal", "one point many times", &all_equal,
                     [](CLI::App& kind, AllEqual& o) {
                       add_count(kind, o.n);
                       add_dimension(kind, o);
                       add(kind, "--value", o.value, "of every coordinate");
                     });
  add_kind<HalfIdentical>(app, "half-identical",
                          "half of them in one place, the others evenly in a cube", &half_identical,
                          [](CLI::App& kind, HalfIdentical& o) {
                            add_count(kind, o.n);
                            add_dimension(kind, o);
                            add_side(kind, o);
                            add_seed(kind, o);
                          });
}

void add_clouds(CLI::App& app) {
  using namespace sample;
  add_kind<Normal>(app, "normal", "a Gaussian cloud", &normal, [](CLI::App& kind, Normal& o) {
    add_count(kind, o.n);
    add_dimension(kind, o);
    add(kind, "--sigma", o.sigma, "standard deviation along each axis");
    add_seed(kind, o);
  });
  add_kind<Plummer>(app, "plummer", "a Plummer sphere, with a few points far out", &plummer,
                    [](CLI::App& kind, Plummer& o) {
                      add_count(kind, o.n);
                      add(kind, "--radius", o.radius, "that holds 35 % of the points");
                      add(kind, "--max-radius", o.max_radius, "no point beyond; 0 = no limit");
                      add_seed(kind, o);
                    });
  add_kind<Nfw>(app, "nfw", "a halo with the profile of Navarro, Frenk and White", &nfw,
                [](CLI::App& kind, Nfw& o) {
                  add_count(kind, o.n);
                  add(kind, "--radius", o.radius, "where the halo ends");
                  add(kind, "--concentration", o.concentration, "radius over scale radius");
                  add_seed(kind, o);
                });
  add_kind<Shells>(app, "shells", "on concentric spheres", &shells, [](CLI::App& kind, Shells& o) {
    add_count(kind, o.n);
    add(kind, "--shells", o.shells, "number of spheres");
    add_dimension(kind, o);
    add(kind, "--radius", o.radius, "of the largest sphere");
    add_seed(kind, o);
  });
}

void add_cosmology_options(CLI::App& kind, sample::Cosmology& o) {
  add(kind, "-n", o.n, "particles along each axis");
  add(kind, "--side", o.side, "of the box in Mpc/h; 0 = n Mpc/h");
  add_seed(kind, o);
  add(kind, "--omega-m", o.omega_m, "matter today");
  add(kind, "--omega-b", o.omega_b, "baryons today");
  add(kind, "--h", o.h, "Hubble constant in 100 km/s/Mpc");
  add(kind, "--n-s", o.n_s, "primordial slope");
  add(kind, "--sigma8", o.sigma8, "rms contrast in spheres of 8 Mpc/h");
  add(kind, "--order", o.order, "of the initial conditions: 1 or 2");
  add(kind, "--a-start", o.a_start, "first scale factor");
  add(kind, "--a-end", o.a_end, "last scale factor");
  add(kind, "--steps", o.steps, "steps in between");
  add(kind, "--mesh", o.mesh, "cells of the force mesh along each axis; 0 = 2 n");
}

void run_cosmology(Request& request, const sample::Cosmology& options) {
  check(request);
  const Execution execution = execution_of(request.common);
  Delivery delivery(request, execution);
  const sample::Universe universe = sample::cosmology(options, execution);
  request.view.box = universe.box();
  if (!request.has_slice) {
    // A tenth of the box: through all of it, filaments lie over each other and fade.
    request.view.thickness = universe.options.side / 10;
    request.view.center = universe.options.side / 2;
  }
  delivery.report().add("side", universe.options.side);
  delivery.report().add("particle_mass", universe.particle_mass);
  delivery.report().add("scale_factor", universe.options.a_end);
  delivery.report().add_count("seed", universe.options.seed);
  delivery.write(universe.view(), request.velocity.empty() ? nullptr : &universe.velocity);
}

void add_cosmology(CLI::App& app) {
  CLI::App* kind =
      app.add_subcommand("cosmology", "n^3 dark matter particles of a universe, today");
  const auto request = std::make_shared<Request>();
  const auto options = std::make_shared<sample::Cosmology>();
  const auto transfer = std::make_shared<std::string>("eisenstein-hu");
  add_cosmology_options(*kind, *options);
  kind->add_option("--transfer", *transfer, "shape of the spectrum")
      ->capture_default_str()
      ->check(CLI::IsMember({"eisenstein-hu", "bbks"}));
  add_request(*kind, *request);
  kind->add_option("--velocity", request->velocity, "file for peculiar velocities in km/s");
  kind->footer(
      "The picture shows a slice through the middle, a tenth of the box thick, unless told else.");
  kind->callback([request, options, transfer, kind] {
    if (*transfer == "bbks") options->transfer = sample::Transfer::bbks;
    request->has_slice = kind->count("--picture-center") + kind->count("--picture-thickness") > 0;
    run_cosmology(*request, *options);
  });
}

}  // namespace

void add_sample(CLI::App& program) {
  CLI::App* sample = program.add_subcommand("sample", "makes points to play with");
  sample->require_subcommand(1);
  sample->footer(kExamples);
  add_cubes(*sample);
  add_clouds(*sample);
  add_cosmology(*sample);
}

}  // namespace kith::cli
