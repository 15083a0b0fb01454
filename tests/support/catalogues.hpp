// Catalogues compared bit by bit, and what they are made of.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include <kith/catalogue.hpp>

#include "support/property.hpp"

namespace kith::test {

/// Some rows of a column against those from `first` on.
template <class Value>
void expect_column(const char* name, const std::vector<Value>& own, const std::vector<Value>& all,
                   std::uint64_t first, std::size_t rows, std::size_t count) {
  if (count == 0) return;
  const std::size_t width = all.size() / count;
  ASSERT_EQ(own.size(), rows * width) << name;
  if (own.empty()) return;
  EXPECT_EQ(std::memcmp(own.data(), all.data() + first * width, own.size() * sizeof(Value)), 0)
      << name;
}

/// Some rows of a catalogue, bit by bit, against those from `first` on.
inline void expect_rows(const Catalogue& own, const Catalogue& all, std::uint64_t first) {
  const auto same = [&](const char* name, auto column) {
    expect_column(name, own.*column, all.*column, first, own.count(), all.count());
  };
  EXPECT_EQ(own.dimension, all.dimension);
  EXPECT_EQ(own.types, all.types);
  same("size", &Catalogue::size);
  same("mass", &Catalogue::mass);
  same("type_size", &Catalogue::type_size);
  same("type_mass", &Catalogue::type_mass);
  same("center", &Catalogue::center);
  same("velocity", &Catalogue::velocity);
  same("radius", &Catalogue::radius);
  same("inertia_radius", &Catalogue::inertia_radius);
  same("velocity_dispersion", &Catalogue::velocity_dispersion);
  same("median_speed", &Catalogue::median_speed);
  same("kinetic_energy", &Catalogue::kinetic_energy);
  same("max_circular_velocity", &Catalogue::max_circular_velocity);
  same("max_circular_radius", &Catalogue::max_circular_radius);
  same("half_mass_radius", &Catalogue::half_mass_radius);
  same("angular_momentum", &Catalogue::angular_momentum);
  same("spin", &Catalogue::spin);
  same("shape", &Catalogue::shape);
  same("axes", &Catalogue::axes);
  same("lower", &Catalogue::lower);
  same("upper", &Catalogue::upper);
  same("lowest", &Catalogue::lowest);
  same("spans", &Catalogue::spans);
  same("contaminating_size", &Catalogue::contaminating_size);
  same("contaminating_mass", &Catalogue::contaminating_mass);
}

/// The masses, velocities and types of all points, as on one process.
template <class T>
struct Belongings {
  PointSet<T> velocity;
  std::vector<float> mass;
  std::vector<std::uint8_t> type;

  Belongings(Draw& draw, int dimension, std::size_t n) {
    if (draw.below(3) > 0)
      velocity = make_set<T>("v", dimension, n, [&](auto, int) { return draw.normal(); });
    const bool has_mass = draw.below(3) > 0, has_types = draw.below(2) == 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (has_mass) mass.push_back(static_cast<float>(draw.uniform()));
      if (has_types) type.push_back(static_cast<std::uint8_t>(draw.below(4)));
    }
  }

  CatalogueOptions part(std::size_t begin, std::size_t size) const {
    CatalogueOptions options{.gravity = mass.empty() ? 0.0 : 43.0};
    if (!velocity.x.empty() && size > 0)
      options.velocity = view(velocity.row(begin), size, velocity.dimension);
    if (!mass.empty()) options.mass = values(std::span(mass).subspan(begin, size));
    if (!type.empty()) {
      options.type = std::span(type).subspan(begin, size);
      options.types = 5;
      options.contaminating_types = {2};
    }
    return options;
  }
};

}  // namespace kith::test
