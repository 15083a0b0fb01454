// The table of columns, and the rules that the styles derive from it.
#include <cmath>
#include <string_view>

#include <kith/catalogue_columns.hpp>

#include "results/columns.hpp"

namespace kith {
namespace {

using enum ColumnShape;
using enum Convention;

constexpr UnitPowers kNone{};
constexpr UnitPowers kLength{.length = 1};
constexpr UnitPowers kArea{.length = 2};
constexpr UnitPowers kMass{.mass = 1};
constexpr UnitPowers kVelocity{.velocity = 1};
constexpr UnitPowers kMomentum{.length = 1, .mass = 1, .velocity = 1};
constexpr std::monostate kMade{};  // by the writer of a file
constexpr GadgetName kAbsent{};

const CatalogueColumn kColumns[] = {
    {"size",
     &Catalogue::size,
     number,
     kNone,
     {"GroupLen"},
     {"SubhaloLen"},
     "Sizes",
     "Number of member particles.",
     "number of members"},
    {"mass",
     &Catalogue::mass,
     number,
     kMass,
     {"GroupMass"},
     {"SubhaloMass"},
     "Masses",
     "Total mass of the members.",
     "M = Σ m_i"},
    {"center",
     &Catalogue::center,
     vector,
     kLength,
     {"GroupCM"},
     {"SubhaloCM"},
     "Centres",
     "Center of mass, inside the box.",
     "o + D, wrapped into the box, with D = Σ m_i d_i / M"},
    {"velocity",
     &Catalogue::velocity,
     vector,
     kVelocity,
     {"GroupVel", times_scale_factor},
     {"SubhaloVel"},
     "Velocities",
     "Mean peculiar velocity weighted by mass.",
     "V = Σ m_i v_i / M"},
    {"radius",
     &Catalogue::radius,
     number,
     kLength,
     {"GroupRadius"},
     {"SubhaloRadius"},
     "Radii",
     "Distance of the farthest member from the center of mass.",
     "largest \\|d_i - D\\|"},
    {"inertia_radius",
     &Catalogue::inertia_radius,
     number,
     kLength,
     {"GroupInertiaRadius"},
     {"SubhaloInertiaRadius"},
     "InertiaRadii",
     "Root of the mean squared distance from the center of mass, weighted by mass.",
     "sqrt(Σ m_i \\|d_i - D\\|² / M)"},
    {"velocity_dispersion",
     &Catalogue::velocity_dispersion,
     number,
     kVelocity,
     {"GroupVelocityDispersion"},
     {"SubhaloVelDisp", one_axis},
     "VelocityDispersions",
     "Root of the mean squared peculiar velocity about the mean, over all axes.",
     "sqrt(Σ m_i \\|v_i - V\\|² / M), over all axes; divide by √3 for one axis"},
    {"max_circular_velocity",
     &Catalogue::max_circular_velocity,
     number,
     kVelocity,
     {"GroupVmax"},
     kAbsent,
     "MaxCircularVelocities",
     "Largest circular velocity sqrt(G M / r) of the members about the peak, from the 10th on.",
     "largest sqrt(G M_k / r_k), k = 10, 11, ...: r_k is the distance of the k-th nearest member "
     "from `peak` (else from the center) and M_k the mass of the first k; 0 below 10 members"},
    {"angular_momentum",
     &Catalogue::angular_momentum,
     rotation,
     kMomentum,
     {"GroupAngularMomentum"},
     {"SubhaloAngularMomentum"},
     "AngularMomenta",
     "About center of mass and mean velocity.",
     "Σ m_i (d_i - D) × (v_i - V); 3 components in 3-D, one in 2-D"},
    {"shape",
     &Catalogue::shape,
     vector,
     kArea,
     {"GroupShape"},
     {"SubhaloShape"},
     "Shapes",
     "Eigenvalues of the mean of x x^T about the center of mass, weighted by mass, falling.",
     "eigenvalues, falling, of Σ m_i (d_i - D)(d_i - D)ᵀ / M; axis ratios are square roots of "
     "their "
     "ratios"},
    {"axes",
     &Catalogue::axes,
     matrix,
     kNone,
     {"GroupAxes"},
     {"SubhaloAxes"},
     "Axes",
     "The eigenvectors, one after the other.",
     "their unit vectors; the component of largest size is positive"},
    {"lower",
     &Catalogue::lower,
     vector,
     kLength,
     {"GroupLower"},
     {"SubhaloLower"},
     "MinParticlePosition",
     "Least coordinates of the members, not wrapped at the box's edge.",
     "o + least d_i per axis: may lie outside the box for a group across its edge"},
    {"upper",
     &Catalogue::upper,
     vector,
     kLength,
     {"GroupUpper"},
     {"SubhaloUpper"},
     "MaxParticlePosition",
     "Largest coordinates of the members, not wrapped at the box's edge.",
     "o + largest d_i per axis, likewise"},
    {"first",
     &Catalogue::first,
     number,
     kNone,
     {"GroupFirst"},
     {"SubhaloFirst"},
     "FirstParticles",
     "Lowest index of a member, counted over all types that were read, type after type.",
     "index of the first member"},
    {"spans",
     &Catalogue::spans,
     number,
     kNone,
     {"GroupSpans"},
     {"SubhaloSpans"},
     "Spans",
     "1: wider than half the box; the center is then ambiguous.",
     "1 if the group is wider than half a periodic side, largest minus least d_i: center and "
     "moments are then ambiguous"},
    {"contaminating_size",
     &Catalogue::contaminating_size,
     contaminant,
     kNone,
     {"GroupContaminatingLen"},
     kAbsent,
     "ContaminatingSizes",
     "Members of contaminating types.",
     "members of `contaminating_types`, for zoom runs"},
    {"contaminating_mass",
     &Catalogue::contaminating_mass,
     contaminant,
     kMass,
     {"GroupContaminatingMass"},
     kAbsent,
     "ContaminatingMasses",
     "Mass of contaminating types.",
     "their mass"},
    {"type_offset",
     kMade,
     per_type,
     kNone,
     {"GroupOffsetType"},
     {"SubhaloOffsetType"},
     nullptr,
     "Where the members of each type begin in /Order/PartTypeK, and in the sorted snapshot. "
     "Without "
     "one the name ends in ByType, since readers would take it for rows of the snapshot; so does "
     "that of the next column.",
     nullptr},
    {"type_size",
     &Catalogue::type_size,
     per_type,
     kNone,
     {"GroupLenType"},
     {"SubhaloLenType"},
     "SizesByType",
     "Members of each type.",
     "members of each type"},
    {"type_mass",
     &Catalogue::type_mass,
     per_type,
     kMass,
     {"GroupMassType"},
     kAbsent,
     "MassesByType",
     "Mass of each type.",
     "mass of each type"},
    {"peak",
     kMade,
     vector,
     kLength,
     {"GroupPos"},
     kAbsent,
     "PeakPositions",
     "Center of the group, of the kind that the fact `center` names.",
     nullptr},
    {"critical200_mass",
     kMade,
     number,
     kMass,
     {"Group_M_Crit200"},
     kAbsent,
     "Masses200Crit",
     "Mass of all particles in a sphere whose mean density is 200 times critical; 0: none.",
     nullptr},
    {"critical200_radius",
     kMade,
     number,
     kLength,
     {"Group_R_Crit200"},
     kAbsent,
     "Radii200Crit",
     "Radius of the sphere whose mean density is 200 times critical; 0: none.",
     nullptr},
    {"critical500_mass",
     kMade,
     number,
     kMass,
     {"Group_M_Crit500"},
     kAbsent,
     "Masses500Crit",
     "Mass of all particles in a sphere whose mean density is 500 times critical; 0: none.",
     nullptr},
    {"critical500_radius",
     kMade,
     number,
     kLength,
     {"Group_R_Crit500"},
     kAbsent,
     "Radii500Crit",
     "Radius of the sphere whose mean density is 500 times critical; 0: none.",
     nullptr},
    {"mean200_mass",
     kMade,
     number,
     kMass,
     {"Group_M_Mean200"},
     kAbsent,
     "Masses200Mean",
     "Mass of all particles in a sphere whose mean density is 200 times the mean; 0: none.",
     nullptr},
    {"mean200_radius",
     kMade,
     number,
     kLength,
     {"Group_R_Mean200"},
     kAbsent,
     "Radii200Mean",
     "Radius of the sphere whose mean density is 200 times the mean; 0: none.",
     nullptr},
    {"virial_mass",
     kMade,
     number,
     kMass,
     {"Group_M_TopHat200"},
     kAbsent,
     "MassesVirial",
     "Mass of all particles in a sphere of virial density (Bryan & Norman 1998); 0: none.",
     nullptr},
    {"virial_radius",
     kMade,
     number,
     kLength,
     {"Group_R_TopHat200"},
     kAbsent,
     "RadiiVirial",
     "Radius of the sphere of virial density (Bryan & Norman 1998); 0: none.",
     nullptr},
    {"is_resolved",
     kMade,
     number,
     kNone,
     {"GroupIsResolved"},
     kAbsent,
     "IsResolved",
     "1: at least 100 particles in the first of these spheres; 0: its mass is not to be trusted.",
     nullptr},
    {"subhalos",
     kMade,
     number,
     kNone,
     {"GroupNsubs"},
     kAbsent,
     "NumberOfSubhalos",
     "Number of subhalos.",
     nullptr},
    {"first_subhalo",
     kMade,
     number,
     kNone,
     {"GroupFirstSub"},
     kAbsent,
     "FirstSubhalos",
     "Row of the first subhalo; -1: none.",
     nullptr},
    {"parent",
     kMade,
     number,
     kNone,
     kAbsent,
     {"SubhaloGrNr"},
     nullptr,
     "Row of the group that it is in.",
     nullptr},
    {"rank",
     kMade,
     number,
     kNone,
     kAbsent,
     {"SubhaloRankInGr"},
     nullptr,
     "Its place in the group.",
     nullptr},
};

}  // namespace

std::span<const CatalogueColumn> catalogue_columns() { return kColumns; }

std::size_t column_width(const CatalogueColumn& column, const Catalogue& catalogue) {
  const auto d = static_cast<std::size_t>(catalogue.dimension);
  switch (column.shape) {
    case number: return 1;
    case vector: return d;
    case matrix: return d * d;
    case rotation: return d == 3 ? 3 : d == 2 ? 1 : 0;
    case per_type: return static_cast<std::size_t>(catalogue.types);
    case contaminant: return catalogue.types > 0 ? 1 : 0;
  }
  return 0;
}

namespace io {
namespace {

/// What a convention changes, said beside the data.
std::string sentence_of(Convention convention) {
  switch (convention) {
    case same: return "";
    case times_scale_factor:
      return " In files of Gadget's style this is the peculiar velocity times the scale factor, as "
             "in IllustrisTNG; elsewhere the peculiar velocity.";
    case one_axis:
      return " In files of Gadget's style this is that of one axis (over the root of 3), as in "
             "IllustrisTNG.";
  }
  return "";
}

std::string path_of(const char* folder, const char* name) {
  return name ? std::string(folder) + "/" + name : "";
}

ColumnRule rule_of(const CatalogueColumn& column, bool is_subhalo) {
  const GadgetName& gadget = is_subhalo ? column.subhalo : column.group;
  return {.name = (is_subhalo ? "subhalo_" : "") + std::string(column.name),
          .gadget = path_of(is_subhalo ? "Subhalo" : "Group", gadget.name),
          .swift = is_subhalo ? "" : path_of("Groups", column.swift),
          .unit = column.unit,
          .description = column.description + sentence_of(gadget.convention),
          .gadget_convention = gadget.convention};
}

std::vector<ColumnRule> make_rules() {
  std::vector<ColumnRule> rules;
  for (const bool is_subhalo : {false, true})
    for (const CatalogueColumn& column : kColumns)
      if ((is_subhalo ? column.subhalo : column.group).name)
        rules.push_back(rule_of(column, is_subhalo));
  return rules;
}

}  // namespace

std::span<const ColumnRule> column_rules() {
  static const std::vector<ColumnRule> rules = make_rules();
  return rules;
}

const ColumnRule* find_rule(std::string_view name) {
  for (const ColumnRule& rule : column_rules())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string gadget_path(const ColumnRule& rule, const ResultAbout& about) {
  const std::string_view path = rule.gadget;
  const bool is_by_row = path.ends_with("LenType") || path.ends_with("OffsetType");
  if (!is_by_row || !about.sorted_snapshot.empty()) return rule.gadget;
  return std::string(path.substr(0, path.size() - 4)) + "ByType";
}

double factor_of(Convention convention, const ResultAbout& about) {
  switch (convention) {
    case same: return 1;
    case times_scale_factor: return about.background.is_known ? about.background.scale_factor : 1;
    case one_axis: return 1 / std::sqrt(about.dimension);
  }
  return 1;
}

}  // namespace io
}  // namespace kith
