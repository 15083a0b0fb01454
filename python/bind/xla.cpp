// Handlers of XLA's foreign function interface: what kith/jax.py calls inside compiled programs.
//
// All have one signature: buffers in, buffers out, attributes by name. Shapes and types are those
// that kith/jax.py asks for; they are checked there.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/gradients.hpp>
#include <kith/groups.hpp>
#include <kith/topology.hpp>
#include <kith/tree.hpp>

#include "module.hpp"
#include "xla_devices.hpp"
#include "xla_operands.hpp"

namespace kith::python {
namespace {

namespace nb = nanobind;

// Neighbors. Inputs: points (, queries).

void find_neighbors(const Operands& call, const Execution& execution) {
  const KnnOptions options{.k = call.count("k"), .exclude_self = call.integer("exclude_self") != 0};
  const AnyTree tree(call.points(0), {.box = call.box()}, execution);
  with_type(call, [&]<class T>() {
    const NeighborRows<T, std::int32_t> rows{call.result<std::int32_t>(0), call.result<T>(1),
                                             call.result_extent(0, 0)};
    if (call.inputs() == 2)
      knn_into<T, std::int32_t>(tree, call.points(1), options, rows, execution);
    else
      knn_into<T, std::int32_t>(tree, options, rows, execution);
  });
}
void knn_handler(const Operands& call) { find_neighbors(call, call.execution()); }

/// Inputs: points, index, cotangent (, queries).
void distances_vjp_handler(const Operands& call) {
  const bool has_queries = call.inputs() == 4;
  PairsOf pairs{
      .points = call.points(0),
      .box = call.box(),
      .lists = lists_view(call.data<std::int32_t>(1), call.extent(1, 0), call.extent(1, 1))};
  if (has_queries) pairs.queries = call.points(3);
  with_type(call, [&]<class T>() {
    distances_vjp<T>(pairs, call.data<T>(2),
                     {call.result<T>(0), has_queries ? call.result<T>(1) : nullptr},
                     call.execution());
  });
}

/// Inputs: points, index, tangent of points (, queries, their tangent).
void distances_jvp_handler(const Operands& call) {
  const bool has_queries = call.inputs() == 5;
  PairsOf pairs{
      .points = call.points(0),
      .box = call.box(),
      .lists = lists_view(call.data<std::int32_t>(1), call.extent(1, 0), call.extent(1, 1))};
  if (has_queries) pairs.queries = call.points(3);
  with_type(call, [&]<class T>() {
    distances_jvp<T>(pairs, {call.data<T>(2), has_queries ? call.data<T>(4) : nullptr},
                     call.result<T>(0), call.execution());
  });
}

ListDensityOptions density_options(const Operands& call) {
  return {static_cast<SphKernel>(call.integer("kernel")), call.values(1)};
}

/// Inputs: points, mass. Results: density, index.
void density_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0), k = call.count("k");
  const AnyTree tree(call.points(0), {.box = call.box()}, call.execution());
  with_type(call, [&]<class T>() {
    knn_into<T, std::int32_t>(tree, {.k = k}, {call.result<std::int32_t>(1), nullptr, n},
                              call.execution());
  });
  const PairsOf pairs{.points = call.points(0),
                      .box = call.box(),
                      .lists = lists_view(call.result<std::int32_t>(1), n, k)};
  call.put(0, list_density(pairs, density_options(call), call.execution()));
}

/// Inputs: points, mass, index, cotangent. Results: gradients by points and mass.
void density_vjp_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0);
  const PairsOf pairs{.points = call.points(0),
                      .box = call.box(),
                      .lists = lists_view(call.data<std::int32_t>(2), n, call.extent(2, 1))};
  const std::vector<double> cotangent = call.numbers(3, n);
  std::vector<double> mass(n);
  with_type(call, [&]<class T>() {
    list_density_vjp<T>(pairs, density_options(call), cotangent.data(),
                        {call.result<T>(0), mass.data()}, call.execution());
  });
  call.put(1, mass);
}

/// Inputs: points, mass, index, tangents of points and masses. Result: the tangent of the density.
void density_jvp_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0);
  const PairsOf pairs{.points = call.points(0),
                      .box = call.box(),
                      .lists = lists_view(call.data<std::int32_t>(2), n, call.extent(2, 1))};
  const std::vector<double> mass = call.numbers(4, n);
  with_type(call, [&]<class T>() {
    call.put(0, list_density_jvp<T>(pairs, density_options(call), call.data<T>(3), mass.data(),
                                    call.execution()));
  });
}

// Groups.

/// Input: points. Results: labels, count.
Groups find_groups(const Operands& call, const Execution& execution) {
  return fof(call.points(0),
             {.box = call.box(),
              .linking_length = call.number("linking_length"),
              .min_size = call.count("min_size")},
             execution);
}
void fof_handler(const Operands& call) {
  const Groups groups = find_groups(call, call.execution());
  std::copy(groups.label().begin(), groups.label().end(), call.result<std::int32_t>(0));
  call.put_number(1, groups.count());
}

Members members_of(const Operands& call, std::size_t i) {
  const std::span<const std::int32_t> label(call.data<std::int32_t>(i), call.extent(i, 0));
  std::int32_t last = -1;
  for (const std::int32_t each : label) last = std::max(last, each);
  return members(label, static_cast<std::size_t>(last + 1));
}

/// Inputs: points, velocity, mass, labels. Results: count, size, mass, center, velocity,
/// inertia_radius, velocity_dispersion, shape_tensor, shape.
void halos_handler(const Operands& call) {
  const Members members = members_of(call, 3);
  const std::size_t room = call.result_extent(1, 0);
  if (members.count() > room) overflow("groups", members.count(), room);
  const Catalogue found = catalogue(
      call.points(0), members,
      {.box = call.box(), .mass = call.values(2), .velocity = call.points(1)}, call.execution());
  call.put_number(0, members.count());
  std::fill_n(call.result<std::int32_t>(1), room, 0);
  std::copy(found.size.begin(), found.size.end(), call.result<std::int32_t>(1));
  call.put(2, found.mass);
  call.put(3, found.center);
  call.put(4, found.velocity);
  call.put(5, found.inertia_radius);
  call.put(6, found.velocity_dispersion);
  call.put(7, shape_tensors(call.points(0), members, {.box = call.box(), .mass = call.values(2)},
                            call.execution()));
  call.put(8, found.shape);
}

/// Cotangents of the first groups; none if all are 0, which saves their part of the work.
std::vector<double> cotangents(const Operands& call, std::size_t i, std::size_t count) {
  std::vector<double> given = call.numbers(i, count);
  if (std::all_of(given.begin(), given.end(), [](double x) { return x == 0; })) given.clear();
  return given;
}

/// Inputs: points, velocity, mass, labels, then cotangents of mass, center, velocity,
/// inertia_radius, velocity_dispersion, shape_tensor, shape, decorated_mass. Results: gradients by
/// the first three.
void halos_vjp_handler(const Operands& call) {
  const Members members = members_of(call, 3);
  const std::size_t n = call.extent(0, 0), d = call.extent(0, 1), groups = members.count();
  const GroupValues cotangent{cotangents(call, 4, groups),      cotangents(call, 5, groups * d),
                              cotangents(call, 6, groups * d),  cotangents(call, 7, groups),
                              cotangents(call, 8, groups),      cotangents(call, 9, groups * d * d),
                              cotangents(call, 10, groups * d), cotangents(call, 11, groups)};
  std::vector<double> position(n * d), velocity(n * d), mass(n);
  const HaloOptions options{.box = call.box(),
                            .mass = call.values(2),
                            .velocity = call.points(1),
                            .alpha = call.number("alpha")};
  halos_vjp(call.points(0), members, options, cotangent,
            {position.data(), velocity.data(), mass.data()}, call.execution());
  call.put(0, position);
  call.put(1, velocity);
  call.put(2, mass);
}

/// Inputs: points, velocity, mass, labels, tangents of the first three. Results: tangents of mass,
/// center, velocity, inertia_radius, velocity_dispersion, shape_tensor, shape, decorated_mass.
void halos_jvp_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0), d = call.extent(0, 1);
  const std::vector<double> position = call.numbers(4, n * d), velocity = call.numbers(5, n * d),
                            mass = call.numbers(6, n);
  const HaloOptions options{.box = call.box(),
                            .mass = call.values(2),
                            .velocity = call.points(1),
                            .alpha = call.number("alpha")};
  const GroupValues found =
      halos_jvp(call.points(0), members_of(call, 3), options,
                {position.data(), velocity.data(), mass.data()}, call.execution());
  call.put(0, found.mass);
  call.put(1, found.center);
  call.put(2, found.velocity);
  call.put(3, found.inertia_radius);
  call.put(4, found.velocity_dispersion);
  call.put(5, found.shape_tensor);
  call.put(6, found.shape);
  call.put(7, found.decorated_mass);
}

// Meshes. Inputs: points, weight (, cotangent or tangents of both).

MeshOptions mesh_of(const Operands& call, const xla::Buffer& mesh) {
  MeshOptions options{call.box(), {}};
  for (const std::int64_t cells : Operands::extents(mesh))
    options.cells.push_back(static_cast<std::size_t>(cells));
  return options;
}

void paint_handler(const Operands& call) {
  call.put(0, paint(call.points(0), call.values(1), mesh_of(call, call.out(0)), call.execution()));
}

void paint_vjp_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0);
  std::vector<double> position(n * call.extent(0, 1)), weight(n);
  paint_vjp(call.points(0), call.values(1), mesh_of(call, call.in(2)),
            call.numbers(2, Operands::elements(call.in(2))), position.data(), weight.data(),
            call.execution());
  call.put(0, position);
  call.put(1, weight);
}

void paint_jvp_handler(const Operands& call) {
  const std::size_t n = call.extent(0, 0);
  const std::vector<double> position = call.numbers(2, n * call.extent(0, 1)),
                            weight = call.numbers(3, n);
  call.put(0, paint_jvp(call.points(0), call.values(1), mesh_of(call, call.out(0)), position.data(),
                        weight.data(), call.execution()));
}

// Random links.

SoftLinkOptions link_options(const Operands& call) {
  return {call.box(), call.number("linking_length"), call.number("alpha"), call.number("reach")};
}

/// The pairs in results `i` (offsets) and `i + 1` (second points), padded with -1.
void put_links(const Operands& call, const SoftLinks& links, std::size_t i) {
  // Offsets are int32 there.
  const std::size_t room = std::min<std::size_t>(call.result_extent(i + 1, 0), INT32_MAX);
  if (links.size() > room) overflow("pairs", links.size(), room);
  std::transform(links.offset.begin(), links.offset.end(), call.result<std::int32_t>(i),
                 [](std::int64_t at) { return static_cast<std::int32_t>(at); });
  std::fill_n(call.result<std::int32_t>(i + 1), call.result_extent(i + 1, 0), -1);
  std::copy(links.second.begin(), links.second.end(), call.result<std::int32_t>(i + 1));
}

/// The same pairs from inputs, with the probabilities of the points of input 0.
SoftLinks links_from(const Operands& call, std::size_t i) {
  SoftLinks links{link_options(call), {}, {}, {}};
  links.offset.assign(call.data<std::int32_t>(i), call.data<std::int32_t>(i) + call.extent(i, 0));
  links.second.assign(call.data<std::int32_t>(i + 1),
                      call.data<std::int32_t>(i + 1) + links.offset.back());
  set_probabilities(call.points(0), links, call.execution());
  return links;
}

/// Inputs: points, seed. Results: offset, second, bits, labels, group counts, pair count.
void sample_handler(const Operands& call) {
  const SoftLinks links = soft_links(call.points(0), link_options(call), call.execution());
  put_links(call, links, 0);
  const LinkSamples samples = sample_links(
      links, {call.count("samples"), *call.data<std::uint32_t>(1), call.count("min_size")},
      call.execution());
  auto* bits = call.result<std::uint8_t>(2);
  std::fill_n(bits, Operands::elements(call.out(2)), std::uint8_t{0});
  std::copy(samples.bits.begin(), samples.bits.end(), bits);
  std::copy(samples.labels.begin(), samples.labels.end(), call.result<std::int32_t>(3));
  std::transform(samples.count.begin(), samples.count.end(), call.result<std::int32_t>(4),
                 [](std::int64_t count) { return static_cast<std::int32_t>(count); });
  call.put_number(5, links.size());
}

/// Inputs: points, offset, second, bits, weight. Result: the gradient of sum weight log P.
void score_handler(const Operands& call) {
  const SoftLinks links = links_from(call, 1);
  LinkSamples samples;
  samples.samples = call.extent(4, 0);
  samples.points = links.points();
  samples.bits.assign(call.data<std::uint8_t>(3),
                      call.data<std::uint8_t>(3) + links.size() * samples.bytes());
  const std::vector<double> weight = call.numbers(4, samples.samples);
  with_type(call, [&]<class T>() {
    log_probability_vjp<T>(call.points(0), links, samples, weight, call.result<T>(0),
                           call.execution());
  });
}

RelaxedLinkOptions relaxed_options(const Operands& call) {
  return {call.count("samples"), static_cast<std::uint64_t>(call.integer("seed")),
          call.number("tau"), true};
}

/// Input: points. Results: links (samples, max_pairs), offset, second, pair count.
void links_handler(const Operands& call) {
  const SoftLinks links = soft_links(call.points(0), link_options(call), call.execution());
  put_links(call, links, 1);
  const std::vector<double> found = relaxed_links(links, relaxed_options(call), call.execution());
  const std::size_t samples = call.count("samples"), room = call.result_extent(0, 1);
  std::vector<double> padded(samples * room, 0.0);
  for (std::size_t sample = 0; sample < samples; ++sample)
    std::copy_n(found.data() + sample * links.size(), links.size(), padded.data() + sample * room);
  call.put(0, padded);
  call.put_number(3, links.size());
}

/// Inputs: points, offset, second, cotangent (samples, max_pairs). Result: gradient.
void links_vjp_handler(const Operands& call) {
  const SoftLinks links = links_from(call, 1);
  const std::size_t samples = call.count("samples"), room = call.extent(3, 1);
  const std::vector<double> padded = call.numbers(3, samples * room);
  std::vector<double> cotangent(samples * links.size());
  for (std::size_t sample = 0; sample < samples; ++sample)
    std::copy_n(padded.data() + sample * room, links.size(),
                cotangent.data() + sample * links.size());
  with_type(call, [&]<class T>() {
    relaxed_links_vjp<T>(call.points(0), links, relaxed_options(call), cotangent, call.result<T>(0),
                         call.execution());
  });
}

/// Says for which version of the interface the handler was written. All that begin with 0 have the
/// layout that it uses.
void describe(const xla::Call& call) {
  xla::Metadata& metadata = *reinterpret_cast<xla::MetadataExtension*>(call.extension)->metadata;
  metadata.version.major = 0;
  metadata.version.minor = call.xla->version.minor;
  metadata.traits = 0;
}

template <void (*work)(const Operands&)>
xla::CallError* handle(const xla::Call* call) {
  if (call->extension && call->extension->type == xla::Extension::kMetadata) {
    describe(*call);
    return nullptr;
  }
  try {
    work(Operands(*call));
    return nullptr;
  } catch (const std::exception& error) {
    xla::CreateError create{sizeof create, nullptr, error.what(), xla::ErrorKind::invalid_argument};
    return call->xla->create_error(&create);
  }
}

/// A handler for buffers on a GPU: searches run there.
template <void (*work)(const Operands&), bool is_hip>
void on_gpu(const Operands& call) {
  const std::string device = device_of(call, is_hip ? "hip:" : "cuda:");
  Execution there = call.execution();
  there.device = device;
  if constexpr (work == knn_handler) {
    find_neighbors(call, there);
  } else if constexpr (work == fof_handler) {
    const Groups groups = find_groups(call, there);
    const auto count = static_cast<std::int32_t>(groups.count());
    copy_to(call.out(0).data, groups.label().data(), groups.label().size_bytes(), device);
    copy_to(call.out(1).data, &count, sizeof count, device);
  } else {
    on_host(call, device, work);
  }
}

/// The handlers of each platform of XLA, by name.
struct Handlers {
  nb::dict cpu, cuda, rocm;

  template <void (*work)(const Operands&)>
  void add(const char* name) {
    cpu[name] = capsule(handle<work>);
    cuda[name] = capsule(handle<on_gpu<work, false>>);
    rocm[name] = capsule(handle<on_gpu<work, true>>);
  }
  static nb::capsule capsule(xla::CallError* (*handler)(const xla::Call*)) {
    return nb::capsule(reinterpret_cast<void*>(handler));
  }
};

}  // namespace

void bind_xla(nb::module_& module) {
  Handlers all;
  all.add<knn_handler>("knn");
  all.add<distances_vjp_handler>("distances_vjp");
  all.add<distances_jvp_handler>("distances_jvp");
  all.add<density_handler>("density");
  all.add<density_vjp_handler>("density_vjp");
  all.add<density_jvp_handler>("density_jvp");
  all.add<fof_handler>("fof");
  all.add<halos_handler>("halos");
  all.add<halos_vjp_handler>("halos_vjp");
  all.add<halos_jvp_handler>("halos_jvp");
  all.add<paint_handler>("paint");
  all.add<paint_vjp_handler>("paint_vjp");
  all.add<paint_jvp_handler>("paint_jvp");
  all.add<sample_handler>("sample");
  all.add<score_handler>("score");
  all.add<links_handler>("links");
  all.add<links_vjp_handler>("links_vjp");
  nb::dict platforms;
  platforms["cpu"] = all.cpu;
  platforms["CUDA"] = all.cuda;
  platforms["ROCM"] = all.rocm;
  module.attr("xla_handlers") = platforms;
}

}  // namespace kith::python
