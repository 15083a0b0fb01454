#include "subhalos/density_field.hpp"

#include <algorithm>
#include <cmath>

#include <kith/neighbors.hpp>

#include "neighbors/sph_kernel.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

/// The density from the nearest of some neighbors; those of mass 0 say nothing about it.
double density_of(const Neighborhood<double>& near, std::size_t k, const KernelShape& kernel,
                  std::span<const double> mass) {
  const std::size_t count = std::min(k, near.index.size());
  const double h = near.distance[count - 1];
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += kernel.value(h > 0 ? near.distance[i] / h : 0) * mass[near.index[i]];
  return sum > 0 ? kernel.factor() * sum / std::pow(h, kernel.dimension) : 0;
}

/// The two nearest denser ones of a row of neighbors.
std::array<std::uint32_t, 2> two_denser(const DensityField& field, std::size_t member,
                                        std::span<const std::uint32_t> row) {
  std::array<std::uint32_t, 2> found{kNoMember, kNoMember};
  std::size_t count = 0;
  for (const std::uint32_t other : row) {
    if (other == kNoMember || count == 2) break;
    if (field.is_denser(other, member)) found[count++] = other;
  }
  return found;
}

}  // namespace

DensityField density_field(std::span<const double> rows, std::size_t d,
                           std::span<const double> mass, const FieldOptions& options,
                           const Workers& workers, const Execution& execution) {
  const std::size_t n = mass.size(), width = options.link_neighbors;
  const Tree<double> tree(view(rows.data(), n, static_cast<int>(d)), {}, execution);
  const KernelShape kernel{SphKernel::cubic_spline, static_cast<int>(d)};
  DensityField field{filled<double>(workers, n),
                     filled(workers, n, std::array{kNoMember, kNoMember})};
  std::vector<std::uint32_t> row = filled(workers, n * width, kNoMember);
  const std::size_t k = std::max(options.density_neighbors, width + 1);
  for_each_neighborhood(
      tree, {.k = k},
      [&](const Neighborhood<double>& near) {
        field.density[near.i] = density_of(near, options.density_neighbors, kernel, mass);
        std::uint32_t *to = &row[near.i * width], *end = to + width;
        for (const std::uint32_t other : near.index)
          if (other != near.i && to != end) *to++ = other;
      },
      execution);
  workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      field.denser[i] = two_denser(field, i, std::span(row).subspan(i * width, width));
  });
  return field;
}

}  // namespace kith
