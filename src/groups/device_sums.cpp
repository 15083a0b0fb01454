#include "groups/device_sums.hpp"

#include <algorithm>

#include "groups/catalogue_rows.hpp"

namespace kith {
namespace {

/// Sums of one group as the host makes them, from the columns of a device.
class SumReader {
 public:
  explicit SumReader(const SumColumns& columns) : columns_(columns) {}

  Sums sums(const double* row) const {
    Sums sums(columns_.d, columns_.types);
    sums.mass = row[SumColumns::kMass];
    sums.weight = row[SumColumns::kWeight];
    copy(row + SumColumns::kPosition, sums.position);
    copy(row + columns_.velocity(), sums.velocity);
    copy(row + columns_.lower(), sums.lower);
    copy(row + columns_.upper(), sums.upper);
    copy(row + columns_.type_mass(), sums.type_mass);
    copy(row + columns_.type_size(), sums.type_size);
    return sums;
  }

  Moments moments(const double* row) const {
    Moments moments(columns_.d, columns_.components);
    moments.radius2 = row[SumColumns::kRadius2];
    moments.inertia = row[SumColumns::kInertia];
    moments.dispersion = row[SumColumns::kDispersion];
    const double* from = row + SumColumns::kTensor;
    for (std::size_t i = 0; i < columns_.d; ++i)
      for (std::size_t j = i; j < columns_.d; ++j) moments.tensor[i * columns_.d + j] = *from++;
    copy(row + columns_.angular_momentum(), moments.angular_momentum);
    return moments;
  }

 private:
  template <class Value>
  static void copy(const double* from, std::vector<Value>& to) {
    std::transform(from, from + to.size(), to.begin(),
                   [](double value) { return static_cast<Value>(value); });
  }

  SumColumns columns_;
};

}  // namespace

Catalogue catalogue_on(DeviceSums& device, const Source& from, const GroupedPoints& points,
                       const CatalogueOptions& options, Workers& workers) {
  const std::size_t groups = points.offset.size() - 1;
  CatalogueRows rows(from, groups, options, workers);
  const SumColumns columns{from.d, from.types, rows.components()};
  const SumReader reader(columns);
  const auto take = [&](const DeviceSumRows& found) {
    constexpr std::size_t kGrain = 16;
    workers.for_ranges(found.end - found.begin, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t group = found.begin + i;
        const Sums sums = reader.sums(found.sums + i * columns.sums());
        rows.put(group, {points.offset[group + 1] - points.offset[group], found.first[i]}, sums,
                 CatalogueRows::center_of(sums),
                 reader.moments(found.moments + i * columns.moments()));
      }
    });
  };
  const DeviceMembers members{.position = from.position,
                              .velocity = from.velocity,
                              .mass = options.mass,
                              .type = from.type,
                              .types = from.types,
                              .side = from.side,
                              .order = points.order,
                              .label = points.label,
                              .offset = points.offset,
                              .block = kSumBlock};
  device.run(members, columns, take, workers);
  return rows.take();
}

}  // namespace kith
