// The catalogue over ranks: members travel to the ranks of their groups, where the code of one
// process adds them up, in the same order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "mpi/members.hpp"

namespace kith::mpi {
namespace {

std::size_t bytes_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }

/// Values of some kind that the caller gave for each label, after their way.
struct Column {
  Array<std::byte> bytes;
  bool is_given = false;
  Scalar scalar = Scalar::float64;

  PointsView rows(std::size_t n, int dimension) const {
    return {bytes.data(), n, dimension, dimension, scalar};
  }
};

class Cataloguing {
 public:
  Cataloguing(Call& call, const Domains::Impl& domains, const PointsView& points,
              const Groups::Impl& groups, const CatalogueOptions& options)
      : call_(call), domains_(domains), points_(points), groups_(groups), options_(options) {}

  Catalogue run() {
    agree();
    find_members(call_, domains_, groups_, members_);
    const Column position = moved(points_, true),
                 velocity = moved(options_.velocity, has_velocity_);
    const Column mass = moved_mass();
    Array<std::byte> type;
    if (has_types_) type = carried(call_, members_.route, options_.type.data(), 1);
    call_.note_traffic("payload");
    Catalogue catalogue;
    call_.phase([&](Workers& workers) {
      CatalogueOptions options = options_;
      const std::size_t n = members_.index.size();
      options.velocity = has_velocity_ ? velocity.rows(n, points_.dimension) : PointsView{};
      if (mass.is_given) options.mass = {mass.bytes.data(), n, mass.scalar, options_.mass.same};
      options.type = {};
      if (has_types_) options.type = {reinterpret_cast<const std::uint8_t*>(type.data()), n};
      options.types = types_;
      // No rows, no types: what is left out here is an error only where there are some.
      if (n == 0) options.contaminating_types.clear();
      const Execution inner{.threads = workers.threads(), .cancel = call_.inner().cancel};
      catalogue =
          kith::catalogue(position.rows(n, points_.dimension), own_members(), options, inner);
      catalogue.first = groups_.lowest;
      if (has_types_) catalogue.types = types_;
    });
    return catalogue;
  }

 private:
  /// Ranks without points cannot tell what others have.
  void agree() {
    call_.quick([&] { check(); });
    std::int64_t most[5] = {0, code(options_.velocity.data, options_.velocity.scalar),
                            code(options_.mass.data, options_.mass.scalar),
                            code(points_.data, points_.scalar), options_.types};
    for (const std::uint8_t type : options_.type)
      most[0] = std::max<std::int64_t>(most[0], type + 1);
    if (most[0] == 0 || options_.types == 0) most[4] = std::max(most[4], most[0]);
    for (std::int64_t& value : most) value = -value;
    call_.communicator().least(most, 5);
    for (std::int64_t& value : most) value = -value;
    has_types_ = most[0] > 0;
    has_velocity_ = most[1] > 0;
    has_mass_ = most[2] > 0;
    velocity_scalar_ = scalar_of_code(most[1]);
    mass_scalar_ = scalar_of_code(most[2]);
    types_ = static_cast<int>(most[4]);
    call_.quick([&] { check_all(); });
  }

  static std::int64_t code(const void* data, Scalar scalar) {
    return !data ? 0 : scalar == Scalar::float32 ? 1 : 2;
  }
  static Scalar scalar_of_code(std::int64_t code) {
    return code == 1 ? Scalar::float32 : Scalar::float64;
  }

  std::size_t rows() const {
    return groups_.order == RowOrder::tree ? groups_.tree_label.size() : groups_.label.size();
  }

  void check() const {
    if (points_.size != rows() || points_.dimension != domains_.dimension ||
        points_.scalar != domains_.scalar)
      refuse("catalogue: {} points for {} labels; pass the points that the domains were made of",
             points_.size, rows());
  }

  void check_all() const {
    const auto given = [&](const char* what, bool is_somewhere, std::size_t size) {
      if (is_somewhere && size != rows())
        refuse("catalogue: {} {} for {} points; give one for each, on all ranks", size, what,
               rows());
    };
    given("velocities", has_velocity_, options_.velocity.size);
    given("masses", has_mass_, options_.mass.size);
    given("types", has_types_, options_.type.size());
    if (has_velocity_ && rows() > 0 && options_.velocity.dimension != points_.dimension)
      refuse("catalogue: velocities of {} components for points of {}", options_.velocity.dimension,
             points_.dimension);
  }

  /// Rows of numbers, without the gaps of a stride.
  Column moved(const PointsView& view, bool is_given) {
    Column column{{}, is_given, &view == &points_ ? points_.scalar : velocity_scalar_};
    if (!is_given) return column;
    const std::size_t number = bytes_of(column.scalar),
                      bytes = number * static_cast<std::size_t>(points_.dimension);
    const bool is_packed = view.stride == points_.dimension || view.size == 0;
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
    return column;
  }

  Column moved_mass() {
    Column column{{}, has_mass_, mass_scalar_};
    if (has_mass_)
      column.bytes = carried(call_, members_.route, options_.mass.data, bytes_of(mass_scalar_));
    return column;
  }

  /// The members as they lie here: in order.
  kith::Members own_members() const {
    kith::Members members;
    members.order.resize(members_.index.size());
    std::iota(members.order.begin(), members.order.end(), 0u);
    members.offset = members_.offset;
    return members;
  }

  Call& call_;
  const Domains::Impl& domains_;
  const PointsView& points_;
  const Groups::Impl& groups_;
  const CatalogueOptions& options_;
  Members::Impl members_;
  bool has_velocity_ = false, has_mass_ = false, has_types_ = false;
  Scalar velocity_scalar_ = Scalar::float64, mass_scalar_ = Scalar::float64;
  int types_ = 0;
};

void check_box(const CatalogueOptions& options, const Box& box) {
  if (options.box != Box() && options.box != box)
    refuse("catalogue: the box of the options is not that of the domains; leave it out");
}

}  // namespace

Catalogue catalogue(const Domains& domains, PointsView points, const Groups& groups,
                    const CatalogueOptions& options, const Execution& execution) {
  return public_call("catalogue", [&] {
    Call call("catalogue", *domains.impl()->communicator, execution);
    CatalogueOptions in_box;
    call.require_same(options.gravity);
    call.require_same(options.mass.same);
    call.require_same(std::uint64_t{options.contaminating_types.size()});
    call.quick([&] {
      check_box(options, domains.box());
      in_box = options;
      in_box.box = domains.box();
    });
    return Cataloguing(call, *domains.impl(), points, groups.impl(), in_box).run();
  });
}

}  // namespace kith::mpi
