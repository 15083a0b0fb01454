#include "groups/device_sums.hpp"

#include "groups/catalogue_rows.hpp"

namespace kith {
void add_rows_on(DeviceSums& device, const Source& from, const GroupedPoints& points,
                 CatalogueMaker& rows, Workers& workers) {
  const SumColumns columns{from.d, from.types, angular_components(from)};
  const auto take = [&](const DeviceSumRows& found) {
    constexpr std::size_t kGrain = 16;
    workers.for_ranges(found.end - found.begin, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t group = found.begin + i;
        Sums sums(from);
        get_fields(found.sums + i * columns.sums(), sums);
        Moments moments(from);
        get_fields(found.moments + i * columns.moments(), moments);
        rows.put(group,
                 {points.offset[group + 1] - points.offset[group], found.first[i], found.first[i]},
                 sums, moments);
      }
    });
  };
  const DeviceMembers members{.position = from.position,
                              .velocity = from.velocity,
                              .mass = rows.options().mass,
                              .type = from.type,
                              .types = from.types,
                              .side = from.side,
                              .order = points.order,
                              .label = points.label,
                              .offset = points.offset,
                              .block = kSumBlock};
  device.run(members, columns, take, workers);
}

}  // namespace kith
