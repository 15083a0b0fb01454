#include "mpi/group_columns.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kith::mpi {
namespace {

std::size_t bytes_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }

/// 0: not given.
std::int64_t code(const void* data, Scalar scalar) {
  return !data ? 0 : scalar == Scalar::float32 ? 1 : 2;
}
Scalar scalar_of_code(std::int64_t code) { return code == 1 ? Scalar::float32 : Scalar::float64; }

std::size_t label_count(const Groups::Impl& groups) {
  return groups.order == RowOrder::tree ? groups.tree_label.size() : groups.label.size();
}

}  // namespace

GroupColumns::GroupColumns(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
                           const GivenColumns& given)
    : call_(call), dimension_(domains.dimension), same_mass_(given.mass.same) {
  const std::size_t rows = label_count(groups);
  position_.scalar = domains.scalar;
  call.quick([&] { check_points(domains, given.points, rows); });
  agree(given, rows);
  find_members(call, domains, groups, members_);
  move_rows(given.points, position_);
  if (velocity_.is_given) move_rows(given.velocity, velocity_);
  if (mass_.is_given)
    mass_.bytes = carried(call, members_.route, given.mass.data, bytes_of(mass_.scalar));
  if (has_types_) type_ = carried(call, members_.route, given.type.data(), 1);
  call.note_traffic("payload");
}

/// Ranks without points cannot tell what others have.
void GroupColumns::agree(const GivenColumns& given, std::size_t rows) {
  std::int64_t most[4] = {0, code(given.velocity.data, given.velocity.scalar),
                          code(given.mass.data, given.mass.scalar), given.types};
  for (const std::uint8_t type : given.type) most[0] = std::max<std::int64_t>(most[0], type + 1);
  if (most[0] == 0 || given.types == 0) most[3] = std::max(most[3], most[0]);
  for (std::int64_t& value : most) value = -value;
  call_.communicator().least(most, 4);
  for (std::int64_t& value : most) value = -value;
  position_.is_given = true;
  has_types_ = most[0] > 0;
  velocity_.is_given = most[1] > 0;
  velocity_.scalar = scalar_of_code(most[1]);
  mass_.is_given = most[2] > 0;
  mass_.scalar = scalar_of_code(most[2]);
  types_ = static_cast<int>(most[3]);
  call_.quick([&] { check_all(given, rows); });
}

void GroupColumns::check_points(const Domains::Impl& domains, const PointsView& points,
                                std::size_t rows) const {
  if (points.size != rows || points.dimension != domains.dimension ||
      points.scalar != domains.scalar)
    refuse("{}: {} points for {} labels; pass the points that the groups were made of",
           call_.name(), points.size, rows);
}

void GroupColumns::check_all(const GivenColumns& given, std::size_t rows) const {
  const auto check = [&](const char* what, bool is_somewhere, std::size_t size) {
    if (is_somewhere && size != rows)
      refuse("{}: {} {} for {} points; give one for each, on all ranks", call_.name(), size, what,
             rows);
  };
  check("velocities", velocity_.is_given, given.velocity.size);
  check("masses", mass_.is_given, given.mass.size);
  check("types", has_types_, given.type.size());
  if (velocity_.is_given && rows > 0 && given.velocity.dimension != dimension_)
    refuse("{}: velocities of {} components for points of {}", call_.name(),
           given.velocity.dimension, dimension_);
}

/// Rows of numbers, without the gaps of a stride.
void GroupColumns::move_rows(const PointsView& view, Column& column) {
  const std::size_t number = bytes_of(column.scalar),
                    bytes = number * static_cast<std::size_t>(dimension_);
  const bool is_packed = view.stride == dimension_ || view.size == 0;
  Array<std::byte> packed;
  call_.phase([&](Workers& workers) {
    if (is_packed) return;
    packed = Array<std::byte>(view.size * bytes, workers.pool());
    for (std::size_t i = 0; i < view.size; ++i)
      std::memcpy(
          packed.data() + i * bytes,
          static_cast<const std::byte*>(view.data) +
              static_cast<std::ptrdiff_t>(i) * view.stride * static_cast<std::ptrdiff_t>(number),
          bytes);
  });
  column.bytes = carried(call_, members_.route, is_packed ? view.data : packed.data(), bytes);
}

ValuesView GroupColumns::mass() const {
  if (!mass_.is_given) return same_value(same_mass_);
  return {mass_.bytes.data(), count(), mass_.scalar, same_mass_};
}

std::span<const std::uint8_t> GroupColumns::type() const {
  if (!has_types_) return {};
  return {reinterpret_cast<const std::uint8_t*>(type_.data()), count()};
}

kith::Members GroupColumns::members() const {
  kith::Members members;
  members.order.resize(count());
  std::iota(members.order.begin(), members.order.end(), 0u);
  members.offset = members_.offset;
  return members;
}

std::vector<std::int64_t> GroupColumns::first() const {
  std::vector<std::int64_t> first;
  for (std::size_t group = 0; group + 1 < members_.offset.size(); ++group)
    first.push_back(members_.index[members_.offset[group]]);
  return first;
}

}  // namespace kith::mpi
