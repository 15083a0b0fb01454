// The columns of a catalogue: their names, and how wide they are.
#pragma once

#include <kith/catalogue.hpp>

namespace kith::python {

/// Calls visit(name, member, width) for every column; a width of 0 is one number per row without a
/// second axis, and -1 marks two axes of the dimension.
template <class Visit>
void for_each_column(const Catalogue& catalogue, Visit visit) {
  const int dimension = catalogue.dimension;
  const int spin = dimension == 3 ? 3 : dimension == 2 ? 0 : -2;  // -2: has no such column
  visit("size", &Catalogue::size, 0);
  visit("mass", &Catalogue::mass, 0);
  visit("type_size", &Catalogue::type_size, catalogue.types);
  visit("type_mass", &Catalogue::type_mass, catalogue.types);
  visit("center", &Catalogue::center, dimension);
  visit("velocity", &Catalogue::velocity, dimension);
  visit("radius", &Catalogue::radius, 0);
  visit("inertia_radius", &Catalogue::inertia_radius, 0);
  visit("velocity_dispersion", &Catalogue::velocity_dispersion, 0);
  visit("angular_momentum", &Catalogue::angular_momentum, spin);
  visit("shape", &Catalogue::shape, dimension);
  visit("axes", &Catalogue::axes, -1);
  visit("lower", &Catalogue::lower, dimension);
  visit("upper", &Catalogue::upper, dimension);
  visit("first", &Catalogue::first, 0);
  visit("spans", &Catalogue::spans, 0);
  visit("contaminating_size", &Catalogue::contaminating_size, 0);
  visit("contaminating_mass", &Catalogue::contaminating_mass, 0);
}

}  // namespace kith::python
