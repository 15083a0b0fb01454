// Loops over the columns of a catalogue, whatever they are.
#pragma once

#include <kith/catalogue.hpp>

namespace kith::mpi {

/// f(column) for every column, as a pointer to a member of Catalogue.
template <class F>
void each_column(F f) {
  using C = Catalogue;
  f(&C::size), f(&C::mass), f(&C::type_size), f(&C::type_mass), f(&C::center), f(&C::velocity);
  f(&C::radius), f(&C::inertia_radius), f(&C::velocity_dispersion), f(&C::max_circular_velocity);
  f(&C::angular_momentum), f(&C::shape), f(&C::axes), f(&C::lower), f(&C::upper), f(&C::lowest);
  f(&C::spans), f(&C::contaminating_size), f(&C::contaminating_mass);
}

/// Rows of another catalogue behind those of this one.
inline void append_rows(const Catalogue& from, std::size_t begin, std::size_t end, Catalogue& to) {
  if (begin == end) return;
  each_column([&](auto column) {
    const auto& values = from.*column;
    const std::size_t width = values.size() / from.count();
    (to.*column)
        .insert((to.*column).end(), values.begin() + static_cast<std::ptrdiff_t>(begin * width),
                values.begin() + static_cast<std::ptrdiff_t>(end * width));
  });
}
inline void append(const Catalogue& from, Catalogue& to) { append_rows(from, 0, from.count(), to); }

}  // namespace kith::mpi
