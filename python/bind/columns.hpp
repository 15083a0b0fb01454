// The columns of a catalogue: their names, and how wide they are.
#pragma once

#include <kith/catalogue.hpp>

namespace kith::python {

inline constexpr int kPlain = 0;    ///< one number per row, without a second axis
inline constexpr int kMatrix = -1;  ///< two axes of the dimension
inline constexpr int kAbsent = -2;  ///< such a catalogue has no such column

/// Calls visit(name, member, width) for every column; the width is that of its second axis.
template <class Visit>
void for_each_column(const Catalogue& catalogue, Visit visit) {
  const int dimension = catalogue.dimension;
  const int spin = dimension == 3 ? 3 : dimension == 2 ? kPlain : kAbsent;
  const int per_type = catalogue.types > 0 ? catalogue.types : kAbsent;
  const int contaminating = catalogue.types > 0 ? kPlain : kAbsent;
  visit("size", &Catalogue::size, kPlain);
  visit("mass", &Catalogue::mass, kPlain);
  visit("type_size", &Catalogue::type_size, per_type);
  visit("type_mass", &Catalogue::type_mass, per_type);
  visit("center", &Catalogue::center, dimension);
  visit("velocity", &Catalogue::velocity, dimension);
  visit("radius", &Catalogue::radius, kPlain);
  visit("inertia_radius", &Catalogue::inertia_radius, kPlain);
  visit("velocity_dispersion", &Catalogue::velocity_dispersion, kPlain);
  visit("angular_momentum", &Catalogue::angular_momentum, spin);
  visit("shape", &Catalogue::shape, dimension);
  visit("axes", &Catalogue::axes, kMatrix);
  visit("lower", &Catalogue::lower, dimension);
  visit("upper", &Catalogue::upper, dimension);
  visit("first", &Catalogue::first, kPlain);
  visit("spans", &Catalogue::spans, kPlain);
  visit("contaminating_size", &Catalogue::contaminating_size, contaminating);
  visit("contaminating_mass", &Catalogue::contaminating_mass, contaminating);
}

}  // namespace kith::python
