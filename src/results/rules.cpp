// The table of names.
#include <cmath>

#include "results/columns.hpp"

namespace kith::io {
namespace {

constexpr UnitPowers kNone{};
constexpr UnitPowers kLength{.length = 1};
constexpr UnitPowers kArea{.length = 2};
constexpr UnitPowers kMass{.mass = 1};
constexpr UnitPowers kVelocity{.velocity = 1};
constexpr UnitPowers kMomentum{.length = 1, .mass = 1, .velocity = 1};

constexpr ColumnRule kGroups[] = {
    {"size", "Group/GroupLen", "Groups/Sizes", kNone, "Number of member particles."},
    {"mass", "Group/GroupMass", "Groups/Masses", kMass, "Total mass of the members."},
    {"type_size", "Group/GroupLenType", "Groups/SizesByType", kNone, "Members of each type."},
    {"type_mass", "Group/GroupMassType", "Groups/MassesByType", kMass, "Mass of each type."},
    {"type_offset", "Group/GroupOffsetType", nullptr, kNone,
     "Where the members of each type begin in /Order/PartTypeK."},
    {"peak", "Group/GroupPos", "Groups/PeakPositions", kLength,
     "Position: of the densest member if that was asked for, else the center of mass."},
    {"center", "Group/GroupCM", "Groups/Centres", kLength, "Center of mass, inside the box."},
    {"velocity", "Group/GroupVel", "Groups/Velocities", kVelocity,
     "Mean velocity weighted by mass. In files of Gadget's style this is the peculiar velocity "
     "times the scale factor, as in IllustrisTNG; elsewhere the peculiar velocity.",
     Convention::times_scale_factor},
    {"radius", "Group/GroupRadius", "Groups/Radii", kLength,
     "Distance of the farthest member from the center of mass."},
    {"inertia_radius", "Group/GroupInertiaRadius", "Groups/InertiaRadii", kLength,
     "Root of the mean squared distance from the center of mass, weighted by mass."},
    {"velocity_dispersion", "Group/GroupVelocityDispersion", "Groups/VelocityDispersions",
     kVelocity, "Root of the mean squared peculiar velocity about the mean, over all axes."},
    {"angular_momentum", "Group/GroupAngularMomentum", "Groups/AngularMomenta", kMomentum,
     "About center of mass and mean velocity."},
    {"shape", "Group/GroupShape", "Groups/Shapes", kArea,
     "Eigenvalues of the mean of x x^T about the center of mass, weighted by mass, falling."},
    {"axes", "Group/GroupAxes", "Groups/Axes", kNone, "The eigenvectors, one after the other."},
    {"lower", "Group/GroupLower", "Groups/MinParticlePosition", kLength,
     "Least coordinates of the members, not wrapped at the box's edge."},
    {"upper", "Group/GroupUpper", "Groups/MaxParticlePosition", kLength,
     "Largest coordinates of the members, not wrapped at the box's edge."},
    {"first", "Group/GroupFirst", "Groups/FirstParticles", kNone,
     "Lowest index of a member, counted over all types that were read, type after type."},
    {"spans", "Group/GroupSpans", "Groups/Spans", kNone,
     "1: wider than half the box; the center is then ambiguous."},
    {"contaminating_size", "Group/GroupContaminatingLen", "Groups/ContaminatingSizes", kNone,
     "Members of contaminating types."},
    {"contaminating_mass", "Group/GroupContaminatingMass", "Groups/ContaminatingMasses", kMass,
     "Mass of contaminating types."},
    {"critical200_mass", "Group/Group_M_Crit200", "Groups/Masses200Crit", kMass,
     "Mass of all particles in a sphere whose mean density is 200 times critical; 0: none."},
    {"critical200_radius", "Group/Group_R_Crit200", "Groups/Radii200Crit", kLength,
     "Radius of the sphere whose mean density is 200 times critical; 0: none."},
    {"critical500_mass", "Group/Group_M_Crit500", "Groups/Masses500Crit", kMass,
     "Mass of all particles in a sphere whose mean density is 500 times critical; 0: none."},
    {"critical500_radius", "Group/Group_R_Crit500", "Groups/Radii500Crit", kLength,
     "Radius of the sphere whose mean density is 500 times critical; 0: none."},
    {"mean200_mass", "Group/Group_M_Mean200", "Groups/Masses200Mean", kMass,
     "Mass of all particles in a sphere whose mean density is 200 times the mean; 0: none."},
    {"mean200_radius", "Group/Group_R_Mean200", "Groups/Radii200Mean", kLength,
     "Radius of the sphere whose mean density is 200 times the mean; 0: none."},
    {"virial_mass", "Group/Group_M_TopHat200", "Groups/MassesVirial", kMass,
     "Mass of all particles in a sphere of virial density (Bryan & Norman 1998); 0: none."},
    {"virial_radius", "Group/Group_R_TopHat200", "Groups/RadiiVirial", kLength,
     "Radius of the sphere of virial density (Bryan & Norman 1998); 0: none."},
    {"subhalos", "Group/GroupNsubs", "Groups/NumberOfSubhalos", kNone, "Number of subhalos."},
    {"first_subhalo", "Group/GroupFirstSub", "Groups/FirstSubhalos", kNone,
     "Row of the first subhalo; -1: none."},
};

constexpr ColumnRule kSubhalos[] = {
    {"subhalo_parent", "Subhalo/SubhaloGrNr", nullptr, kNone, "Row of the group that it is in."},
    {"subhalo_rank", "Subhalo/SubhaloRankInGr", nullptr, kNone, "Its place in the group."},
    {"subhalo_size", "Subhalo/SubhaloLen", nullptr, kNone, "Number of member particles."},
    {"subhalo_type_size", "Subhalo/SubhaloLenType", nullptr, kNone, "Members of each type."},
    {"subhalo_type_offset", "Subhalo/SubhaloOffsetType", nullptr, kNone,
     "Where the members of each type begin in /Order/PartTypeK."},
    {"subhalo_mass", "Subhalo/SubhaloMass", nullptr, kMass, "Total mass of the members."},
    {"subhalo_center", "Subhalo/SubhaloCM", nullptr, kLength, "Center of mass, inside the box."},
    {"subhalo_velocity", "Subhalo/SubhaloVel", nullptr, kVelocity,
     "Mean peculiar velocity weighted by mass."},
    {"subhalo_velocity_dispersion", "Subhalo/SubhaloVelDisp", nullptr, kVelocity,
     "Root of the mean squared peculiar velocity about the mean. In files of Gadget's style this "
     "is that of one axis (over the root of 3), as in IllustrisTNG.",
     Convention::one_axis},
    {"subhalo_radius", "Subhalo/SubhaloRadius", nullptr, kLength,
     "Distance of the farthest member from the center of mass."},
    {"subhalo_inertia_radius", "Subhalo/SubhaloInertiaRadius", nullptr, kLength,
     "Root of the mean squared distance from the center of mass, weighted by mass."},
    {"subhalo_angular_momentum", "Subhalo/SubhaloAngularMomentum", nullptr, kMomentum,
     "About center of mass and mean velocity."},
    {"subhalo_shape", "Subhalo/SubhaloShape", nullptr, kArea,
     "Eigenvalues of the mean of x x^T about the center of mass, weighted by mass, falling."},
    {"subhalo_axes", "Subhalo/SubhaloAxes", nullptr, kNone, "The eigenvectors, in order."},
    {"subhalo_lower", "Subhalo/SubhaloLower", nullptr, kLength, "Least coordinates, not wrapped."},
    {"subhalo_upper", "Subhalo/SubhaloUpper", nullptr, kLength,
     "Largest coordinates, not wrapped."},
    {"subhalo_first", "Subhalo/SubhaloFirst", nullptr, kNone, "Lowest index of a member."},
    {"subhalo_spans", "Subhalo/SubhaloSpans", nullptr, kNone, "1: wider than half the box."},
};

}  // namespace

std::span<const ColumnRule> group_rules() { return kGroups; }
std::span<const ColumnRule> subhalo_rules() { return kSubhalos; }

const ColumnRule* find_rule(std::string_view name) {
  for (const auto rules : {group_rules(), subhalo_rules()})
    for (const ColumnRule& rule : rules)
      if (rule.name == name) return &rule;
  return nullptr;
}

double factor_of(Convention convention, const ResultAbout& about) {
  switch (convention) {
    case Convention::same: return 1;
    case Convention::times_scale_factor:
      return about.background.is_known ? about.background.scale_factor : 1;
    case Convention::one_axis: return 1 / std::sqrt(about.dimension);
  }
  return 1;
}

const char* name_of(Edge edge) {
  switch (edge) {
    case Edge::critical200: return "critical200";
    case Edge::critical500: return "critical500";
    case Edge::mean200: return "mean200";
    case Edge::virial: return "virial";
  }
  return "?";
}

}  // namespace kith::io
