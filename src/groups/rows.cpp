// Rows of a catalogue: filters and orders, and the member of each group that stands out.
#include <algorithm>

#include <kith/catalogue.hpp>

#include "base/fail.hpp"
#include "base/float_environment.hpp"
#include "groups/columns.hpp"
#include "parallel/workers.hpp"

namespace kith {

std::vector<std::int64_t> rows(const Catalogue& catalogue, const RowOptions& options) {
  std::vector<std::int64_t> labels;
  for (std::size_t group = 0; group < catalogue.count(); ++group)
    if (catalogue.size[group] >= options.min_size && catalogue.mass[group] >= options.min_mass)
      labels.push_back(static_cast<std::int64_t>(group));
  const std::size_t d = static_cast<std::size_t>(catalogue.dimension);
  auto center = [&](std::int64_t label) {
    return catalogue.center.data() + static_cast<std::size_t>(label) * d;
  };
  auto mass = [&](std::int64_t label) { return catalogue.mass[static_cast<std::size_t>(label)]; };
  if (options.order == RowOptions::Order::mass)
    std::stable_sort(labels.begin(), labels.end(),
                     [&](auto a, auto b) { return mass(a) > mass(b); });
  if (options.order == RowOptions::Order::position)
    std::stable_sort(labels.begin(), labels.end(), [&](auto a, auto b) {
      return std::lexicographical_compare(center(a), center(a) + d, center(b), center(b) + d);
    });
  return labels;
}

std::vector<std::int64_t> peak_members(const Members& members, ValuesView value, Peak peak,
                                       const Execution& execution) {
  if (value.data && value.size != members.order.size())
    refuse("peak_members: {} values for {} points; give one per point", value.size,
           members.order.size());
  const FloatEnvironment environment;
  const Workers workers(execution);
  const ValueReader read(value);
  std::vector<std::int64_t> peaks(members.count());
  workers.for_ranges(members.count(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      const std::span<const std::uint32_t> of = members.of(group);
      // Members ascend, so the first of equal values has the lowest index.
      peaks[group] = *std::min_element(of.begin(), of.end(), [&](auto a, auto b) {
        return peak == Peak::largest ? read(a) > read(b) : read(a) < read(b);
      });
    }
  });
  return peaks;
}

}  // namespace kith
