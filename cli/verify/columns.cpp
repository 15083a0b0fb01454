// The columns of groups and subhalos: every row once more, from the members and the definitions.
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using Real = long double;
using Vector = std::vector<Real>;

constexpr Real kTolerance = 1e-9L;  // of sums, relative to the size of the terms

/// Everything that follows from the members of one set, with the size that errors are measured by.
struct Row {
  std::size_t size = 0, lowest = 0;
  bool spans = false;
  Real mass = 0, radius = 0, inertia = 0, dispersion = 0, fastest = 0, momentum_size = 0;
  Real median_speed = 0, energy = 0;
  Vector center, velocity, lower, upper, tensor, momentum;  // center relative to nothing: absolute
  std::vector<std::int64_t> type_size;
  Vector type_mass;
};

class RowMaker {
 public:
  RowMaker(const Verification& v, const ParticleData& data)
      : box_(v.input.box()), data_(data), d_(static_cast<std::size_t>(v.about().dimension)) {}

  std::size_t dimension() const { return d_; }
  double at(std::size_t i, std::size_t axis) const { return data_.positions[i * d_ + axis]; }

  /// By minimum image.
  Real offset(Real to, Real from, std::size_t axis) const {
    const Real side = box_.side(static_cast<int>(axis));
    return side > 0 ? std::remainder(to - from, side) : to - from;
  }

  Row make(std::span<const std::size_t> members, std::size_t types) const {
    Row row;
    row.size = members.size();
    row.lowest = members.front();
    add_sums(members, types, row);
    add_moments(members, row);
    return row;
  }

 private:
  bool has_velocity() const { return data_.velocities.count() > 0; }
  Real weight(std::size_t i, const Row& row) const { return row.mass > 0 ? data_.mass_of(i) : 1; }

  void add_sums(std::span<const std::size_t> members, std::size_t types, Row& row) const {
    row.type_size.assign(types, 0);
    row.type_mass.assign(types, 0);
    for (const std::size_t i : members) {
      row.mass += data_.mass_of(i);
      const auto type = static_cast<std::size_t>(data_.type_of(i));
      if (type >= types) continue;
      ++row.type_size[type];
      row.type_mass[type] += data_.mass_of(i);
    }
    Vector sum(d_), least(d_), most(d_), velocity(d_);
    Real total = 0;
    for (const std::size_t i : members) {
      const Real w = weight(i, row);
      total += w;
      for (std::size_t axis = 0; axis < d_; ++axis) {
        const Real dx = offset(at(i, axis), at(row.lowest, axis), axis);
        sum[axis] += w * dx;
        least[axis] = std::min(least[axis], dx);
        most[axis] = std::max(most[axis], dx);
        if (has_velocity()) velocity[axis] += w * data_.velocities[i * d_ + axis];
      }
    }
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const Real origin = at(row.lowest, axis), side = box_.side(static_cast<int>(axis));
      row.center.push_back(origin + sum[axis] / total);
      row.lower.push_back(origin + least[axis]);
      row.upper.push_back(origin + most[axis]);
      row.velocity.push_back(velocity[axis] / total);
      row.spans |= side > 0 && most[axis] - least[axis] > side / 2;
    }
  }

  void add_moments(std::span<const std::size_t> members, Row& row) const {
    row.tensor.assign(d_ * d_, 0);
    row.momentum.assign(d_ == 3 ? 3 : d_ == 2 ? 1 : 0, 0);
    Real total = 0;
    Vector speed;
    for (const std::size_t i : members) {
      const Real w = weight(i, row);
      total += w;
      Vector x(d_), u(d_);
      Real r2 = 0, u2 = 0, speed2 = 0;
      for (std::size_t axis = 0; axis < d_; ++axis) {
        // Unwrapped about the first member, as the center is.
        x[axis] = at(row.lowest, axis) + offset(at(i, axis), at(row.lowest, axis), axis) -
                  row.center[axis];
        r2 += x[axis] * x[axis];
        if (!has_velocity()) continue;
        const Real v = data_.velocities[i * d_ + axis];
        u[axis] = v - row.velocity[axis];
        u2 += u[axis] * u[axis];
        speed2 += v * v;
      }
      row.radius = std::max(row.radius, r2);
      row.inertia += w * r2;
      row.dispersion += w * u2;
      row.energy += data_.mass_of(i) * u2 / 2;
      speed.push_back(std::sqrt(u2));
      row.fastest = std::max(row.fastest, speed2);
      row.momentum_size += w * std::sqrt(r2 * u2);
      for (std::size_t a = 0; a < d_; ++a)
        for (std::size_t b = 0; b < d_; ++b) row.tensor[a * d_ + b] += w * x[a] * x[b];
      for (std::size_t a = 0; a < row.momentum.size(); ++a)
        row.momentum[a] +=
            d_ == 2 ? w * (x[0] * u[1] - x[1] * u[0])
                    : w * (x[(a + 1) % 3] * u[(a + 2) % 3] - x[(a + 2) % 3] * u[(a + 1) % 3]);
    }
    std::sort(speed.begin(), speed.end());
    row.median_speed = speed[(speed.size() - 1) / 2];
    row.radius = std::sqrt(row.radius);
    row.inertia = std::sqrt(row.inertia / total);
    row.dispersion = std::sqrt(row.dispersion / total);
    row.fastest = std::sqrt(row.fastest);
    for (Real& each : row.tensor) each /= total;
    if (row.mass > 0) return;
    std::fill(row.momentum.begin(), row.momentum.end(), 0);
  }

  const Box& box_;
  const ParticleData& data_;
  std::size_t d_;
};

/// The columns that the file has, and the row that is compared with them.
class ColumnCheck {
 public:
  ColumnCheck(Verification& v, const ParticleData& data, const Sets& sets)
      : v_(v), data_(data), sets_(sets), maker_(v, data) {
    for (const char* name : {"size",
                             "mass",
                             "center",
                             "velocity",
                             "radius",
                             "inertia_radius",
                             "velocity_dispersion",
                             "median_speed",
                             "kinetic_energy",
                             "max_circular_velocity",
                             "max_circular_radius",
                             "half_mass_radius",
                             "angular_momentum",
                             "spin",
                             "shape",
                             "axes",
                             "lower",
                             "upper",
                             "lowest",
                             "spans",
                             "type_size",
                             "type_mass",
                             "contaminating_size",
                             "contaminating_mass",
                             "peak"})
      load(name);
    types_ = has("type_size")   ? v.result.width(sets.prefix + "type_size")
             : has("type_mass") ? v.result.width(sets.prefix + "type_mass")
                                : 0;
    for (const int type : v.about().contaminating_types)
      types_ = std::max(types_, static_cast<std::size_t>(type) + 1);
  }

  std::vector<std::string> arrays() const {
    std::vector<std::string> names;
    for (const auto& [name, values] : columns_)
      if (name != "peak") names.push_back(sets_.prefix + name);
    return names;
  }

  std::string check(std::size_t set) const {
    if (sets_.of(set).empty()) return fmt::format("{} {} has no members", sets_.noun, set);
    const Row row = maker_.make(sets_.of(set), types_);
    std::string complaint = check_counts(set, row);
    if (complaint.empty()) complaint = check_sums(set, row);
    if (complaint.empty()) complaint = check_axes(set, row);
    if (complaint.empty()) complaint = check_circular(set);
    return complaint;
  }

 private:
  void load(const char* name) {
    const std::string full = sets_.prefix + name;
    if (!v_.result.has(full)) return;
    if (v_.result.rows(full) != sets_.count())
      throw Mismatch(
          fmt::format("{} rows of {} for {}", v_.result.rows(full), full,
                      counted(sets_.count(), sets_.noun, std::string(sets_.noun) + "s")));
    columns_.emplace(name, v_.result.numbers(full));
  }
  bool has(const char* name) const { return columns_.contains(name); }
  double value(const char* name, std::size_t at) const { return columns_.at(name)[at]; }

  std::string differs(std::size_t set, const char* name, Real right, Real found) const {
    return fmt::format("{}{} of {} {} is {:.17g}, not {:.17g}", sets_.prefix, name, sets_.noun, set,
                       static_cast<double>(right), static_cast<double>(found));
  }
  /// Compares as many numbers as are expected, each to within a part of `size`.
  std::string compare(std::size_t set, const char* name, std::span<const Real> right, Real size,
                      bool is_position = false) const {
    if (!has(name)) return "";
    for (std::size_t k = 0; k < right.size(); ++k) {
      const Real found = value(name, set * right.size() + k);
      const Real off = is_position ? maker_.offset(found, right[k], k) : found - right[k];
      if (!(std::abs(off) <= kTolerance * size)) return differs(set, name, right[k], found);
    }
    return "";
  }
  std::string compare(std::size_t set, const char* name, Real right, Real size) const {
    return compare(set, name, std::span(&right, 1), size);
  }

  std::string check_counts(std::size_t set, const Row& row) const {
    const auto exact = [&](const char* name, std::size_t width, std::size_t k, std::int64_t right) {
      const bool is_right =
          !has(name) || value(name, set * width + k) == static_cast<double>(right);
      return is_right ? std::string()
                      : differs(set, name, static_cast<Real>(right), value(name, set * width + k));
    };
    std::string complaint = exact("size", 1, 0, static_cast<std::int64_t>(row.size));
    if (complaint.empty()) complaint = exact("lowest", 1, 0, static_cast<std::int64_t>(row.lowest));
    if (complaint.empty()) complaint = exact("spans", 1, 0, row.spans ? 1 : 0);
    const std::size_t width = has("type_size") ? types_in("type_size") : 0;
    for (std::size_t t = 0; complaint.empty() && t < width; ++t)
      complaint = exact("type_size", width, t, row.type_size[t]);
    std::int64_t strange = 0;
    for (const int type : v_.about().contaminating_types)
      strange += row.type_size[static_cast<std::size_t>(type)];
    return complaint.empty() ? exact("contaminating_size", 1, 0, strange) : complaint;
  }
  std::size_t types_in(const char* name) const { return v_.result.width(sets_.prefix + name); }

  static Vector spin_of(const Row& row) {
    Vector spin = row.momentum;
    for (Real& each : spin) each = row.mass > 0 ? each / row.mass : 0;
    return spin;
  }

  std::string check_sums(std::size_t set, const Row& row) const {
    Real extent = row.radius;
    for (std::size_t axis = 0; axis < maker_.dimension(); ++axis)
      extent = std::max({extent, static_cast<Real>(v_.input.box().side(static_cast<int>(axis))),
                         std::abs(row.center[axis])});
    Vector type_mass = row.type_mass;
    if (has("type_mass")) type_mass.resize(types_in("type_mass"));
    Real strange = 0;
    for (const int type : v_.about().contaminating_types)
      strange += row.type_mass[static_cast<std::size_t>(type)];
    for (const std::string& complaint :
         {compare(set, "mass", row.mass, row.mass), compare(set, "type_mass", type_mass, row.mass),
          compare(set, "contaminating_mass", strange, row.mass),
          compare(set, "center", row.center, extent, true),
          compare(set, "velocity", row.velocity, row.fastest),
          compare(set, "radius", row.radius, row.radius),
          compare(set, "inertia_radius", row.inertia, row.radius),
          compare(set, "velocity_dispersion", row.dispersion, row.fastest),
          compare(set, "median_speed", row.median_speed, row.fastest),
          compare(set, "kinetic_energy", row.energy, row.mass * row.fastest * row.fastest),
          compare(set, "angular_momentum", row.momentum, row.momentum_size),
          compare(set, "spin", spin_of(row), row.mass > 0 ? row.momentum_size / row.mass : 1),
          compare(set, "lower", row.lower, extent), compare(set, "upper", row.upper, extent)})
      if (!complaint.empty()) return complaint;
    return "";
  }

  /// A e = lambda e for unit vectors e with falling lambda, the component of largest size positive.
  std::string check_axes(std::size_t set, const Row& row) const {
    if (!has("shape") || !has("axes")) return "";
    const std::size_t d = maker_.dimension();
    Real trace = 0;
    for (std::size_t axis = 0; axis < d; ++axis) trace += row.tensor[axis * d + axis];
    for (std::size_t e = 0; e < d; ++e) {
      const Real lambda = value("shape", set * d + e);
      const double* vector = &columns_.at("axes")[(set * d + e) * d];
      Real norm = 0, largest = 0;
      bool is_right = e == 0 || lambda <= value("shape", set * d + e - 1);
      for (std::size_t a = 0; a < d; ++a) {
        Real product = 0;
        for (std::size_t b = 0; b < d; ++b) product += row.tensor[a * d + b] * vector[b];
        is_right &= std::abs(product - lambda * vector[a]) <= kTolerance * trace;
        norm += Real{vector[a]} * vector[a];
        if (std::abs(vector[a]) > std::abs(largest)) largest = vector[a];
      }
      if (!is_right || !(std::abs(norm - 1) <= kTolerance) || !(largest > 0))
        return fmt::format("{}shape and axes of {} {} are not principal axes", sets_.prefix,
                           sets_.noun, set);
    }
    return "";
  }

  std::string check_circular(std::size_t set) const {
    if (!has("max_circular_velocity")) return "";
    const std::size_t d = maker_.dimension();
    const char* center = has("peak") ? "peak" : "center";
    std::vector<std::pair<Real, Real>> members;
    for (const std::size_t i : sets_.of(set)) {
      Real r2 = 0;
      for (std::size_t axis = 0; axis < d; ++axis) {
        const Real dx = maker_.offset(maker_.at(i, axis), value(center, set * d + axis), axis);
        r2 += dx * dx;
      }
      members.emplace_back(r2, data_.mass_of(i));
    }
    const RotationCheck curve(std::move(members), v_.about().gravity);
    if (has("max_circular_radius") && !curve.is_radius(value("max_circular_radius", set)))
      return fmt::format("{}max_circular_radius of {} {} is not that of the largest velocity",
                         sets_.prefix, sets_.noun, set);
    if (has("half_mass_radius") && !curve.is_half_mass_radius(value("half_mass_radius", set)))
      return fmt::format("{}half_mass_radius of {} {} does not hold half of the mass", sets_.prefix,
                         sets_.noun, set);
    return compare(set, "max_circular_velocity", curve.largest(), curve.largest());
  }

  Verification& v_;
  const ParticleData& data_;
  const Sets& sets_;
  RowMaker maker_;
  std::size_t types_ = 0;
  std::map<std::string, std::vector<double>, std::less<>> columns_;
};

/// Where the members of each type begin: sums of the rows before.
void check_offsets(Verification& v, const Sets& sets) {
  const std::string name = sets.prefix + "type_offset";
  if (!v.result.has(name) || !sets.prefix.empty()) return;
  const std::vector<std::int64_t> offset = v.result.integers(name);
  const std::vector<std::int64_t> size = v.result.integers("type_size");
  const std::size_t types = v.result.width(name);
  std::string complaint = offset.size() == size.size() ? "" : "type_offset and type_size differ";
  for (std::size_t k = 0; complaint.empty() && k < offset.size(); ++k) {
    const std::int64_t right = k < types ? 0 : offset[k - types] + size[k - types];
    if (offset[k] != right)
      complaint = fmt::format("type_offset of group {} is {}, not {}", k / types, right, offset[k]);
  }
  v.settle("type_offset of all groups", complaint, {name});
}

/// The copies of offsets that other programs look for.
void check_copies(Verification& v) {
  for (const auto& [copy, name] : {std::pair("Offsets/Group_SnapByType", "type_offset"),
                                   std::pair("Offsets/Subhalo_SnapByType", "subhalo_type_offset")})
    if (v.result.has(copy))
      v.settle(fmt::format("{} of all groups", copy),
               v.result.integers(copy) == v.result.integers(name)
                   ? ""
                   : fmt::format("{} is not {}", copy, name),
               {copy});
}

/// Numbers that a style adds: the scale factor, or numbers of groups from 1.
void check_additions(Verification& v) {
  const auto all_equal = [&](const char* name, const auto& right_of) {
    if (!v.result.has(name)) return;
    const std::vector<double> found = v.result.numbers(name);
    std::string complaint;
    for (std::size_t g = 0; complaint.empty() && g < found.size(); ++g)
      if (found[g] != right_of(g))
        complaint = fmt::format("{} of group {} is {}, not {}", name, g, right_of(g), found[g]);
    v.settle(fmt::format("{} of all groups", name), complaint, {name});
  };
  const Background& background = v.about().background;
  const double scale = background.is_known ? background.scale_factor : v.about().time;
  all_equal("Group/GroupAscale", [&](std::size_t) { return scale; });
  all_equal("Groups/GroupIDs", [](std::size_t g) { return static_cast<double>(g + 1); });
  if (v.about().kind == ResultKind::subhalos) return;
  all_equal("subhalos", [](std::size_t) { return 0.0; });
  all_equal("first_subhalo", [](std::size_t) { return -1.0; });
}

}  // namespace

void verify_columns(Verification& v, const ParticleData& data, const Sets& sets) {
  const ColumnCheck check(v, data, sets);
  const std::string plural = std::string(sets.noun) + "s";
  v.settle(fmt::format("{} columns of all {}", check.arrays().size(),
                       counted(sets.count(), sets.noun, plural)),
           first_complaint("columns", sets.count(), v.execution(),
                           [&](std::size_t set) { return check.check(set); }),
           check.arrays());
  check_offsets(v, sets);
  if (!sets.prefix.empty()) return;
  check_additions(v);
  check_copies(v);
}

}  // namespace kith::cli
