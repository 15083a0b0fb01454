// The arguments of products with derivatives, in one process and over ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kith/gradients.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "products.hpp"

namespace kith::python {

using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The pairs of lists as kith/gradients.py hands them over: (points, queries or None, box, index,
/// offset or None). Arrays must outlive it.
struct Lists {
  Array points;
  std::optional<Array> queries;
  Box box;
  Whole index;
  std::optional<Offsets> offset;

  PairsOf pairs() const {
    PairsOf pairs{.points = points_of(points), .box = box};
    if (queries) pairs.queries = points_of(*queries);
    const bool is_long = index.dtype() == nb::dtype<std::int64_t>();
    pairs.lists = {index.data(), is_long, index.shape(0),
                   index.ndim() == 2 ? index.shape(1) : std::size_t{0}};
    if (offset) {
      pairs.lists.offset = {offset->data(), offset->size()};
      pairs.lists.rows = offset->size() - 1;
    }
    return pairs;
  }
};

inline ListDensityOptions density_options(const nb::dict& given, std::optional<Array>& mass) {
  ListDensityOptions options;
  Options read(given);
  read.choice("kernel", options.kernel, {SphKernel::cubic_spline, SphKernel::wendland_c2});
  read("mass", mass);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  return options;
}

/// The options of halos, and the arrays that they view.
struct HaloArguments {
  explicit HaloArguments(const nb::dict& given) {
    Options read(given);
    read("box", options.box);
    read("alpha", options.alpha);
    read("mass", mass);
    read("velocity", velocity);
    read.expect_no_more();
    if (mass) options.mass = values_of(*mass);
    if (velocity) options.velocity = points_of(*velocity);
  }
  std::optional<Array> mass, velocity;
  HaloOptions options;
};

/// visit(name, member) for the fields of a group.
template <class Visit>
void for_each_field(Visit visit) {
  visit("mass", &GroupValues::mass);
  visit("center", &GroupValues::center);
  visit("velocity", &GroupValues::velocity);
  visit("inertia_radius", &GroupValues::inertia_radius);
  visit("velocity_dispersion", &GroupValues::velocity_dispersion);
  visit("shape_tensor", &GroupValues::shape_tensor);
  visit("shape", &GroupValues::shape);
  visit("decorated_mass", &GroupValues::decorated_mass);
}

inline GroupValues fields_from(const nb::dict& given) {
  GroupValues values;
  for_each_field([&](const char* name, auto member) {
    if (!given.contains(name)) return;
    const auto array =
        nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(given[name]);
    (values.*member).assign(array.data(), array.data() + array.size());
  });
  return values;
}

}  // namespace kith::python
