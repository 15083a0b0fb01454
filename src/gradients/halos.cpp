// Derivatives of halo fields with frozen membership.
//
// With weights w, their sum W, and x, v about center and mean velocity (sum w x = 0, so that the
// center's own motion drops out of the second moments):
//   center        dC = sum (w dx + dm x) / W
//   radius        R dR = sum (w x.dx + dm (x^2 - R^2) / 2) / W; the same for the dispersion
//   shape tensor  dQ = sum (w (dx x^T + x dx^T) + dm (x x^T - Q)) / W
//   eigenvalues   dl = u^T dQ u
#include "base/fail.hpp"
#include "gradients/halo_moments.hpp"
#include "gradients/halo_radius.hpp"
#include "groups/each_group.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

void check_field(const char* call, const char* name, const std::vector<double>& field,
                 std::size_t expected) {
  if (!field.empty() && field.size() != expected)
    refuse("{}: {} numbers of {}, expected {}", call, field.size(), name, expected);
}

void check_fields(const GroupValues& values, std::size_t groups, std::size_t d, bool has_velocity) {
  const char* call = "halos_vjp";
  check_field(call, "mass", values.mass, groups);
  check_field(call, "center", values.center, groups * d);
  check_field(call, "velocity", values.velocity, groups * d);
  check_field(call, "inertia_radius", values.inertia_radius, groups);
  check_field(call, "velocity_dispersion", values.velocity_dispersion, groups);
  check_field(call, "shape_tensor", values.shape_tensor, groups * d * d);
  check_field(call, "shape", values.shape, groups * d);
  check_field(call, "decorated_mass", values.decorated_mass, groups);
  if (!has_velocity && !(values.velocity.empty() && values.velocity_dispersion.empty()))
    refuse("halos_vjp: cotangents of velocities, but no velocities");
}

/// A part of a table of groups, or nothing.
const double* row_of(const std::vector<double>& table, std::size_t group, std::size_t width) {
  return table.empty() ? nullptr : table.data() + group * width;
}
double number_of(const std::vector<double>& table, std::size_t group) {
  return table.empty() ? 0 : table[group];
}
template <int D>
typename RadiusReader<D>::Cotangent radius_cotangent(const GroupValues& values, std::size_t group,
                                                     std::size_t d, double alpha) {
  const double decorated = number_of(values.decorated_mass, group);
  return {row_of(values.center, group, d), row_of(values.velocity, group, d),
          number_of(values.mass, group) + decorated, number_of(values.inertia_radius, group),
          alpha * decorated};
}
/// x / y, and 0 where a field has no derivative.
double ratio(double x, double y) { return y > 0 ? x / y : 0; }

/// One group's part of the vector-Jacobian product.
template <int D>
class GroupVjp {
 public:
  GroupVjp(const HaloMoments<D>& group, const GroupValues& cotangent, std::size_t number,
           double alpha)
      : group_(group) {
    center_ = row_of(cotangent.center, number, d());
    velocity_ = row_of(cotangent.velocity, number, d());
    mass_ = number_of(cotangent.mass, number) + number_of(cotangent.decorated_mass, number);
    const double radius = number_of(cotangent.inertia_radius, number);
    const double r = group.inertia_radius;
    radius_by_mass_ = ratio(radius, r);
    radius_ = ratio(radius - ratio(alpha * number_of(cotangent.decorated_mass, number), r), r);
    dispersion_ = ratio(number_of(cotangent.velocity_dispersion, number), group.dispersion);
    set_tensor(row_of(cotangent.shape_tensor, number, d() * d()),
               row_of(cotangent.shape, number, d()));
  }

  void operator()(const typename HaloMoments<D>::Member& member, const MemberGradient& out) const {
    const double share = member.weight / group_.weight;
    double pulled[HaloMoments<D>::kRoom] = {};  // by the symmetric part of the tensor's cotangent
    for (std::size_t row = 0; row < d(); ++row) {
      if (tensor_.empty()) continue;
      for (std::size_t column = 0; column < d(); ++column)
        pulled[row] += tensor_[row * d() + column] * member.x[column];
    }
    for (std::size_t axis = 0; axis < d(); ++axis) {
      if (out.position)
        out.position[member.index * d() + axis] =
            share * ((center_ ? center_[axis] : 0) + radius_ * member.x[axis] + 2 * pulled[axis]);
      if (out.velocity)
        out.velocity[member.index * d() + axis] =
            share * ((velocity_ ? velocity_[axis] : 0) + dispersion_ * member.v[axis]);
    }
    if (out.mass) out.mass[member.index] = by_mass(member, pulled);
  }

 private:
  std::size_t d() const { return group_.d(); }

  /// The symmetric part of the cotangents of tensor and eigenvalues.
  void set_tensor(const double* tensor, const double* shape) {
    if (!tensor && !shape) return;
    tensor_.assign(d() * d(), 0.0);
    for (std::size_t row = 0; row < d(); ++row)
      for (std::size_t column = 0; column < d(); ++column) {
        double& value = tensor_[row * d() + column];
        if (tensor) value = (tensor[row * d() + column] + tensor[column * d() + row]) / 2;
        if (!shape) continue;
        for (std::size_t k = 0; k < d(); ++k)
          value += shape[k] * group_.axes()[k * d() + row] * group_.axes()[k * d() + column];
      }
    for (std::size_t i = 0; i < tensor_.size(); ++i) trace_ += tensor_[i] * group_.tensor()[i];
  }

  double by_mass(const typename HaloMoments<D>::Member& member, const double* pulled) const {
    if (!group_.is_weighted) return mass_;
    const double r = group_.inertia_radius, s = group_.dispersion;
    double sum =
        radius_by_mass_ * (member.x2 - r * r) / 2 + dispersion_ * (member.v2 - s * s) / 2 - trace_;
    for (std::size_t axis = 0; axis < d(); ++axis) {
      if (center_) sum += center_[axis] * member.x[axis];
      if (velocity_) sum += velocity_[axis] * member.v[axis];
      sum += pulled[axis] * member.x[axis];
    }
    return mass_ + sum / group_.weight;
  }

  const HaloMoments<D>& group_;
  const double *center_, *velocity_;
  double mass_, radius_, radius_by_mass_, dispersion_, trace_ = 0;
  std::vector<double> tensor_;
};

/// One group's part of the Jacobian-vector product.
template <int D>
class GroupJvp {
 public:
  static constexpr int kRoom = kAxisRoom<D>;
  using Member = typename HaloMoments<D>::Member;

  GroupJvp(const HaloMoments<D>& group, const MemberTangent& tangent)
      : group_(group), tangent_(tangent) {}

  void write(std::size_t number, double alpha, GroupValues& out) const {
    const double r = group_.inertia_radius, s = group_.dispersion;
    constexpr int kVelocity = kRoom, kMass = 2 * kRoom, kRadius = kMass + 1;
    constexpr int kRadiusByMass = kMass + 2, kDispersion = kMass + 3, kCount = kMass + 4;
    const auto total = group_.template sum<kCount>([&](const Member& member, auto& sums) {
      const double dm = mass(member);
      sums[kMass] += tangent_.mass ? tangent_.mass[member.index] : 0;
      sums[kRadiusByMass] += dm * (member.x2 - r * r) / 2;
      sums[kDispersion] += dm * (member.v2 - s * s) / 2;
      for (std::size_t axis = 0; axis < d(); ++axis) {
        const double dx = position(member, axis), dv = velocity(member, axis);
        sums[axis] += member.weight * dx + dm * member.x[axis];
        sums[kVelocity + axis] += member.weight * dv + dm * member.v[axis];
        sums[kRadius] += member.weight * member.x[axis] * dx;
        sums[kDispersion] += member.weight * member.v[axis] * dv;
      }
    });
    const double w = group_.weight;
    const double by_place = ratio(total.value[kRadius] / w, r);
    out.mass[number] = total.value[kMass];
    out.inertia_radius[number] = by_place + ratio(total.value[kRadiusByMass] / w, r);
    out.decorated_mass[number] = total.value[kMass] - alpha * ratio(by_place, r);
    for (std::size_t axis = 0; axis < d(); ++axis)
      out.center[number * d() + axis] = total.value[axis] / w;
    write_tensor(number, out);
    if (out.velocity.empty()) return;
    out.velocity_dispersion[number] = ratio(total.value[kDispersion] / w, s);
    for (std::size_t axis = 0; axis < d(); ++axis)
      out.velocity[number * d() + axis] = total.value[kVelocity + axis] / w;
  }

 private:
  std::size_t d() const { return group_.d(); }
  double position(const Member& member, std::size_t axis) const {
    return tangent_.position ? tangent_.position[member.index * d() + axis] : 0;
  }
  double velocity(const Member& member, std::size_t axis) const {
    return tangent_.velocity ? tangent_.velocity[member.index * d() + axis] : 0;
  }
  double mass(const Member& member) const {
    return tangent_.mass && group_.is_weighted ? tangent_.mass[member.index] : 0;
  }

  void write_tensor(std::size_t number, GroupValues& out) const {
    const auto total = group_.template sum<kRoom * kRoom>([&](const Member& member, auto& sums) {
      const double dm = mass(member);
      for (std::size_t row = 0; row < d(); ++row)
        for (std::size_t column = 0; column < d(); ++column)
          sums[row * kRoom + column] +=
              member.weight * (position(member, row) * member.x[column] +
                               member.x[row] * position(member, column)) +
              dm * (member.x[row] * member.x[column] - group_.tensor()[row * d() + column]);
    });
    double* tensor = out.shape_tensor.data() + number * d() * d();
    for (std::size_t row = 0; row < d(); ++row)
      for (std::size_t column = 0; column < d(); ++column)
        tensor[row * d() + column] = total.value[row * kRoom + column] / group_.weight;
    for (std::size_t k = 0; k < d(); ++k) {
      const double* u = group_.axes().data() + k * d();
      double sum = 0;
      for (std::size_t row = 0; row < d(); ++row)
        for (std::size_t column = 0; column < d(); ++column)
          sum += u[row] * tensor[row * d() + column] * u[column];
      out.shape[number * d() + k] = sum;
    }
  }

  const HaloMoments<D>& group_;
  const MemberTangent& tangent_;
};

/// work(workers) inside the environment of a call.
template <class Work>
void halo_call(const char* call, const PointsView& points, const Members& members,
               const HaloOptions& options, const Execution& execution, Work work) {
  public_call(call, execution, [&](Workers& workers) {
    const GivenColumns given{.points = points, .velocity = options.velocity, .mass = options.mass};
    check_members(call, members, points.size, workers);
    check_columns(call, given, options.box, workers);
    const Stage stage(workers, call, members.offset.back());
    with_dimension(points.dimension, [&]<int D>() {
      work.template operator()<D>(Source(given, options.box), workers);
    });
  });
}

/// Zeros for the points outside all groups, or for all points if that is faster: rows one after the
/// other are written at twice the speed of rows with gaps. Members are written later, by their
/// group.
void clear_strays(const Members& members, std::size_t d, const MemberGradient& out,
                  const Workers& workers) {
  const std::size_t points = members.order.size(), strays = points - members.offset.back();
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  const auto clear = [&](std::size_t row, std::size_t rows) {
    if (out.position) std::fill_n(out.position + row * d, rows * d, 0.0);
    if (out.velocity) std::fill_n(out.velocity + row * d, rows * d, 0.0);
    if (out.mass) std::fill_n(out.mass + row, rows, 0.0);
  };
  if (2 * strays > points)
    return workers.for_ranges(
        points, kGrain, [&](std::size_t begin, std::size_t end) { clear(begin, end - begin); });
  workers.for_ranges(strays, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) clear(members.order[points - strays + i], 1);
  });
}

/// Means alone: their derivative is the member's share of the mass, wherever it is.
template <int D>
void write_shares(const Source& from, std::span<const std::uint32_t> members, const double* center,
                  const double* velocity, const MemberGradient& out) {
  const std::size_t d = D == kAnyDimension ? from.d : std::size_t{D};
  double total = 0;
  for (const std::uint32_t i : members) total += from.mass(i);
  const double equal = 1 / static_cast<double>(members.size());
  for (const std::uint32_t i : members) {
    const double share = total > 0 ? from.mass(i) / total : equal;
    for (std::size_t axis = 0; axis < d; ++axis) {
      if (out.position) out.position[i * d + axis] = center ? share * center[axis] : 0;
      if (out.velocity) out.velocity[i * d + axis] = velocity ? share * velocity[axis] : 0;
    }
  }
}

}  // namespace

std::vector<double> shape_tensors(PointsView points, const Members& members,
                                  const HaloOptions& options, const Execution& execution) {
  std::vector<double> out;
  halo_call("shape_tensors", points, members, options, execution,
            [&]<int D>(const Source& from, const Workers& workers) {
              const std::size_t width = from.d * from.d;
              out.resize(members.count() * width);
              for_each_group(members, workers, [&](std::size_t group) {
                const HaloMoments<D> moments(from, members.of(group), {.tensor = true}, workers);
                std::copy(moments.tensor().begin(), moments.tensor().end(),
                          out.begin() + static_cast<std::ptrdiff_t>(group * width));
              });
            });
  return out;
}

void halos_vjp(PointsView points, const Members& members, const HaloOptions& options,
               const GroupValues& cotangent, MemberGradient out, const Execution& execution) {
  halo_call("halos_vjp", points, members, options, execution,
            [&]<int D>(const Source& from, const Workers& workers) {
              check_fields(cotangent, members.count(), from.d, from.has_velocity());
              clear_strays(members, from.d, out, workers);
              const MomentsWanted wanted{
                  .radius = !(cotangent.inertia_radius.empty() && cotangent.decorated_mass.empty()),
                  .dispersion = !cotangent.velocity_dispersion.empty(),
                  .tensor = !cotangent.shape_tensor.empty(),
                  .shape = !cotangent.shape.empty()};
              if (!wanted.any() && !out.mass) {
                for_each_group(members, workers, [&](std::size_t group) {
                  write_shares<D>(from, members.of(group), row_of(cotangent.center, group, from.d),
                                  row_of(cotangent.velocity, group, from.d), out);
                });
                return;
              }
              Source read = from;  // velocities only if something depends on them
              const bool needs_velocity =
                  wanted.dispersion || (out.mass && !cotangent.velocity.empty());
              if (!needs_velocity) read.velocity = {};
              const auto in_full = [&](std::size_t group) {
                const HaloMoments<D> moments(read, members.of(group), wanted, workers);
                const GroupVjp<D> vjp(moments, cotangent, group, options.alpha);
                moments.for_each([&](const auto& member) { vjp(member, out); });
              };
              if (needs_velocity || wanted.tensor || wanted.shape)
                return for_each_group(members, workers, in_full);
              for_ranges_of_groups(members, workers, kGroupGrain, [&] {
                return [&, reader = RadiusReader<D>(read, out)](std::size_t group) mutable {
                  if (members.of(group).size() > kLargeGroup) return in_full(group);
                  reader.read(members.of(group), members.offset.back() - members.offset[group + 1]);
                  reader.write(radius_cotangent<D>(cotangent, group, from.d, options.alpha));
                };
              });
            });
}

GroupValues halos_jvp(PointsView points, const Members& members, const HaloOptions& options,
                      const MemberTangent& tangent, const Execution& execution) {
  GroupValues out;
  halo_call("halos_jvp", points, members, options, execution,
            [&]<int D>(const Source& from, const Workers& workers) {
              const std::size_t count = members.count();
              for (auto* field : {&out.mass, &out.inertia_radius, &out.decorated_mass})
                field->resize(count);
              out.center.resize(count * from.d);
              out.shape.resize(count * from.d);
              out.shape_tensor.resize(count * from.d * from.d);
              if (from.has_velocity()) {
                out.velocity.resize(count * from.d);
                out.velocity_dispersion.resize(count);
              }
              for_each_group(members, workers, [&](std::size_t group) {
                const HaloMoments<D> moments(from, members.of(group),
                                             {true, from.has_velocity(), true, true}, workers);
                GroupJvp<D>(moments, tangent).write(group, options.alpha, out);
              });
            });
  return out;
}

}  // namespace kith
