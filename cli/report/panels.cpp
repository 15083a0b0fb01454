// The content of the panel of a group beside the columns of the table, as JSON: its sphere, shells
// and fit, members by type, spin and shape, subhalos, its match in another catalogue, and its past.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "html.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kMostSubhalos = 20000;

/// Items of a list, made one by one.
template <class Make>
std::string json_list(std::size_t count, Make&& make) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += make(i);
  }
  return text + "]";
}

/// [x, y, z, radius, mass, points, first fitted shell, concentration, [counts], [masses]]; short
/// where the sphere is not resolved, and 0 where there is none.
std::string sphere_row(const HaloSpheres& spheres, std::size_t g, bool has_masses) {
  const HaloSphere& s = spheres.of[g];
  if (!(s.radius > 0)) return "0";
  const double* at = spheres.center.data() + 3 * g;
  std::string row =
      fmt::format("[{},{},{},{},{},{}", script_number(at[0]), script_number(at[1]),
                  script_number(at[2]), script_number(s.radius), script_number(s.mass), s.size);
  if (!s.shell_count.empty()) {
    row += fmt::format(",{},{},{}", s.first_fitted, script_number(s.concentration),
                       json_numbers(s.shell_count));
    if (has_masses) row += "," + json_numbers(s.shell_mass);
  }
  return row + "]";
}

std::string spheres_json(const Findings& findings, const HaloSpheres& spheres) {
  const bool has_masses = findings.mass.data != nullptr;
  if (spheres.of.empty()) return "null";
  return fmt::format(
      R"({{"letter":{},"name":{},"density":{},"innermost":{},"shells":{},"mass":{},"resolved":{},)"
      "\"rows\":{}}}",
      script_text(spheres.reference.letter), script_text(spheres.reference.name),
      script_number(spheres.reference.density), kInnermost, kShells,
      has_masses ? "0" : script_number(findings.mass.same), kResolvedSize,
      json_list(spheres.of.size(),
                [&](std::size_t g) { return sphere_row(spheres, g, has_masses); }));
}

/// Members and mass of every type of the snapshot that a group has.
std::string types_json(const Findings& findings, std::size_t rows) {
  const Catalogue& c = findings.catalogue;
  const auto types = static_cast<std::size_t>(c.types);
  const auto name = [&](std::size_t t) {
    const bool has_name = t < findings.type_names.size() && !findings.type_names[t].empty();
    return script_text(has_name ? findings.type_names[t] : fmt::format("type {}", t));
  };
  if (types == 0 && findings.about.types.size() == 1 && findings.type_names.size() > 1) {
    const auto all = [&](std::size_t g) {
      return fmt::format("[[0,{},{}]]", c.size[g], script_number(c.mass[g]));
    };
    return fmt::format(R"({{"names":[{}],"rows":{}}})",
                       name(static_cast<std::size_t>(findings.about.types[0])),
                       json_list(rows, all));
  }
  if (types < 2 || c.type_size.size() < rows * types) return "null";
  const auto row = [&](std::size_t g) {
    std::string text;
    for (std::size_t t = 0; t < types; ++t) {
      const std::size_t at = g * types + t;
      if (c.type_size[at] == 0) continue;
      text += fmt::format("{}[{},{},{}]", text.empty() ? "" : ",", t, c.type_size[at],
                          script_number(at < c.type_mass.size() ? c.type_mass[at] : NAN));
    }
    return "[" + text + "]";
  };
  return fmt::format(R"({{"names":{},"rows":{}}})", json_list(types, name), json_list(rows, row));
}

/// A number of every group that is not in the table.
struct PanelColumn {
  std::string name;  ///< a label
  std::string unit;  ///< plain
  std::vector<double> values;
};

void add_shape(const Catalogue& c, std::size_t rows, std::vector<PanelColumn>& list) {
  if (c.dimension != 3 || c.shape.size() < 3 * rows) return;
  PanelColumn middle{"b / a", "", {}}, triaxial{"triaxiality", "", {}};
  for (std::size_t g = 0; g < rows; ++g) {
    const double a = c.shape[3 * g], b = c.shape[3 * g + 1], s = c.shape[3 * g + 2];
    middle.values.push_back(std::sqrt(std::max(0.0, b) / a));
    triaxial.values.push_back((a - b) / (a - s));
  }
  list.push_back(std::move(middle));
  list.push_back(std::move(triaxial));
}

/// Specific angular momentum, and Bullock's spin in terms of the sphere's mass and radius.
void add_spin(const Findings& findings, const HaloSpheres& spheres, std::size_t rows,
              std::vector<PanelColumn>& list) {
  const Catalogue& c = findings.catalogue;
  if (c.dimension != 3 || c.angular_momentum.size() < 3 * rows) return;
  PanelColumn specific{
      "|J| / M", unit_name(findings.about.units, {.length = 1, .velocity = 1}), {}};
  PanelColumn spin{"spin \u03bb\u2032", "", {}};
  for (std::size_t g = 0; g < rows; ++g) {
    const double* j = c.angular_momentum.data() + 3 * g;
    const double size = std::hypot(j[0], j[1], j[2]) / c.mass[g];
    specific.values.push_back(size);
    const HaloSphere sphere = g < spheres.of.size() ? spheres.of[g] : HaloSphere{};
    const double circular = std::sqrt(2 * findings.about.gravity * sphere.mass * sphere.radius);
    spin.values.push_back(circular > 0 ? size / circular : NAN);
  }
  list.push_back(std::move(specific));
  if (findings.about.gravity > 0 && !spheres.of.empty()) list.push_back(std::move(spin));
}

std::string columns_json(const Findings& findings, const HaloSpheres& spheres, std::size_t rows) {
  std::vector<PanelColumn> list;
  add_shape(findings.catalogue, rows, list);
  add_spin(findings, spheres, rows, list);
  const std::vector<double>& circular = findings.catalogue.max_circular_velocity;
  if (circular.size() >= rows && !circular.empty() && findings.about.gravity > 0)
    list.push_back({"V_{max}",
                    unit_name(findings.about.units, {.velocity = 1}),
                    {circular.begin(), circular.begin() + static_cast<std::ptrdiff_t>(rows)}});
  return json_list(list.size(), [&](std::size_t i) {
    return fmt::format(R"({{"name":{},"unit":{},"values":{}}})", script_text(list[i].name),
                       script_text(list[i].unit), json_numbers(list[i].values));
  });
}

/// [group, members, mass, x, y, z, radius]
std::string subhalos_json(const Findings& findings) {
  const Catalogue& s = findings.subhalos;
  if (findings.parent.empty() || s.dimension != 3) return "null";
  return json_list(std::min(kMostSubhalos, s.count()), [&](std::size_t i) {
    return fmt::format("[{},{},{},{},{},{},{}]", findings.parent[i], s.size[i],
                       script_number(s.mass[i]), script_number(s.center[3 * i]),
                       script_number(s.center[3 * i + 1]), script_number(s.center[3 * i + 2]),
                       script_number(s.radius[i]));
  });
}

std::string comparison_json(const std::optional<Comparison>& comparison, std::size_t rows) {
  if (!comparison) return "null";
  const Comparison& c = *comparison;
  const auto row = [&](std::size_t g) -> std::string {
    const std::int64_t other = c.match[g];
    if (other < 0) return "0";
    const auto at = static_cast<std::size_t>(other);
    return fmt::format("[{},{},{},{}]", other, c.catalogue.size[at],
                       script_number(c.catalogue.mass[at]),
                       c.shared.empty() ? "null" : script_number(c.shared[g]));
  };
  return fmt::format(R"({{"name":{},"rows":{}}})", script_text(c.name), json_list(rows, row));
}

}  // namespace

std::string panel_data(const Findings& findings, const ReportParts& parts) {
  const std::size_t rows = std::min(kMostRows, findings.catalogue.count());
  return fmt::format(
      "{{\"spheres\":{},\n\"types\":{},\n\"columns\":{},\n\"subhalos\":{},\n\"comparison\":{},"
      "\n\"histories\":{}}}",
      spheres_json(findings, parts.spheres), types_json(findings, rows),
      columns_json(findings, parts.spheres, rows), subhalos_json(findings),
      comparison_json(parts.comparison, rows), histories_json(findings, parts.histories, rows));
}

}  // namespace kith::cli
