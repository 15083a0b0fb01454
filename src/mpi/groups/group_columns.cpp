#include "mpi/groups/group_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "groups/columns.hpp"
#include "neighbors/checks.hpp"

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
    mass_.bytes = send_values(call, members_.route, given.mass.data, bytes_of(mass_.scalar));
  if (has_types_) type_ = send_values(call, members_.route, given.type.data(), 1);
  call.note_traffic("payload");
}

GroupColumns::GroupColumns(Call& call, const GroupColumns& from, const Labeled& labeled)
    : call_(call),
      dimension_(from.dimension_),
      same_mass_(from.same_mass_),
      has_types_(from.has_types_),
      types_(from.types_) {
  gather_members(call, labeled, members_);
  const auto carry = [&](const Column& column, std::size_t numbers) {
    Column result{{}, column.is_given, column.scalar};
    if (column.is_given)
      result.bytes =
          send_values(call, members_.route, column.bytes.data(), numbers * column.number());
    return result;
  };
  const auto d = static_cast<std::size_t>(dimension_);
  position_ = carry(from.position_, d);
  velocity_ = carry(from.velocity_, d);
  mass_ = carry(from.mass_, 1);
  if (has_types_) type_ = send_values(call, members_.route, from.type_.data(), 1);
  call.note_traffic("payload");
}

/// Ranks without points do not know what others have.
void GroupColumns::agree(const GivenColumns& given, std::size_t rows) {
  const bool has_rows = rows > 0;
  std::int64_t most[4] = {0, has_rows ? code(given.velocity.data, given.velocity.scalar) : 0,
                          has_rows ? code(given.mass.data, given.mass.scalar) : 0, given.types};
  for (const std::uint8_t type : given.type) most[0] = std::max<std::int64_t>(most[0], type + 1);
  for (std::int64_t& value : most) value = -value;
  call_.communicator().least(most, 4);
  for (std::int64_t& value : most) value = -value;
  position_.is_given = true;
  has_types_ = most[0] > 0;
  velocity_.is_given = most[1] > 0;
  velocity_.scalar = scalar_of_code(most[1]);
  mass_.is_given = most[2] > 0;
  mass_.scalar = scalar_of_code(most[2]);
  found_types_ = static_cast<int>(most[0]);
  types_ = static_cast<int>(most[3] == 0 ? most[0] : most[3]);
  call_.quick([&] { check_all(given, rows); });
}

void GroupColumns::check_points(const Domains::Impl& domains, const PointsView& points,
                                std::size_t rows) const {
  check_grouped(call_.name(), rows, points.size);
  check_queries(call_.name(), {domains.options.tree.box, domains.dimension, domains.scalar},
                points);
}

/// The sizes of the columns of this rank have been checked.
void GroupColumns::check_all(const GivenColumns& given, std::size_t rows) const {
  if (rows == 0) return;
  const auto check = [&](const char* what, bool is_somewhere, bool is_here, bool is_same_scalar) {
    if (is_somewhere && !is_here)
      refuse("{}: {} on other ranks, but not here; give them on all ranks or on none", call_.name(),
             what);
    if (is_somewhere && !is_same_scalar)
      refuse("{}: {} of float here and of double on another rank; use one type on all ranks",
             call_.name(), what);
  };
  check("velocities", velocity_.is_given, given.velocity.data,
        given.velocity.scalar == velocity_.scalar);
  check("masses", mass_.is_given, given.mass.data, given.mass.scalar == mass_.scalar);
  check("types", has_types_, !given.type.empty(), true);
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
  column.bytes = send_values(call_, members_.route, is_packed ? view.data : packed.data(), bytes);
}

GivenColumns GroupColumns::slice(std::size_t begin, std::size_t end) const {
  GivenColumns columns{.points = position_.rows(begin, end, dimension_)};
  if (velocity_.is_given) columns.velocity = velocity_.rows(begin, end, dimension_);
  columns.mass = same_value(same_mass_);
  if (mass_.is_given)
    columns.mass = {mass_.bytes.data() + begin * mass_.number(), end - begin, mass_.scalar,
                    same_mass_};
  if (has_types_)
    columns.type = {reinterpret_cast<const std::uint8_t*>(type_.data()) + begin, end - begin};
  columns.types = types_;
  return columns;
}

PropertyColumns GroupColumns::scaled(const Box& box) const {
  const GivenColumns own = all();
  std::optional<Magnitudes> most;
  call_.phase(
      [&](Workers& workers) { most.emplace(own.points, own.velocity, own.mass, box, workers); });
  double* const values[] = {&most->length, &most->farthest, &most->speed, &most->mass};
  double least[4];
  for (std::size_t i = 0; i < 4; ++i) least[i] = -*values[i];
  call_.communicator().least(least, 4);
  for (std::size_t i = 0; i < 4; ++i) *values[i] = -least[i];
  std::optional<PropertyColumns> columns;
  call_.phase([&](Workers& workers) {
    columns.emplace(own.points, own.velocity, own.mass, box, *most, workers);
  });
  return *std::move(columns);
}

kith::Members GroupColumns::members(const SplitGroups& split) const {
  kith::Members members;
  members.order.resize(split.whole_end() - split.whole_begin());
  std::iota(members.order.begin(), members.order.end(), 0u);
  for (std::size_t group = 0; group <= split.whole_groups(); ++group)
    members.offset.push_back(offset()[group] - split.whole_begin());
  return members;
}

std::vector<std::int64_t> GroupColumns::lowest(const SplitGroups& split) const {
  std::vector<std::int64_t> lowest;
  for (std::size_t group = 0; group < split.whole_groups(); ++group)
    lowest.push_back(index()[offset()[group]]);
  return lowest;
}

std::vector<double> GroupColumns::carried(const double* rows, std::size_t width) const {
  const Array<std::byte> arrived = send_values(call_, members_.route, rows, width * sizeof(double));
  std::vector<double> numbers;
  call_.quick([&] {
    const auto* begin = reinterpret_cast<const double*>(arrived.data());
    numbers.assign(begin, begin + arrived.size() / sizeof(double));
  });
  return numbers;
}

void GroupColumns::bring_back(const double* rows, std::size_t width, double* to) const {
  if (width == 0) return;
  call_.quick([&] { std::fill_n(to, members_.row_count * width, 0.0); });
  return_values(
      call_, members_.route,
      [&](std::size_t member) -> const void* { return rows + member * width; },
      width * sizeof(double), to);
}

}  // namespace kith::mpi
