// Where groups are, and the spheres about those places.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include <kith/centers.hpp>
#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/particle_roles.hpp>

#include "groups.hpp"
#include "shared_input.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kPeakNeighbors = 16;  // the densest member has the nearest 16th neighbor
constexpr double kSoftening = 0.2;          // of a linking length: 1/25 mean separation at b = 0.2

double inside(double x, const Box& box, int axis) {
  const double side = box.side(axis), origin = box.origin(axis);
  return side > 0 ? x - side * std::floor((x - origin) / side) : x;
}

}  // namespace

/// Distances of the 16th neighbor among the linked points; infinite for the attached ones. Gas and
/// stars lie in separate clumps, and one gas particle can be its own center.
std::vector<double> GroupRun::linked_distances(const Tree& tree) const {
  const auto neighbors = [](const Tree& of) {
    return KnnOptions{.k = std::min(kPeakNeighbors, std::max<std::size_t>(1, of.size()))};
  };
  if (attach_types_.empty()) return kth_distance(tree, neighbors(tree), session_.on_device());
  const Numbers linked = own_linked();
  const Tree own(linked.rows(input_.dimension()),
                 {.box = input_.box(), .non_finite = input_.non_finite()}, session_.on_device());
  return with_attached(kth_distance(own, neighbors(own), session_.on_device()));
}

/// The same over ranks, of the points of this one.
std::vector<double> GroupRun::linked_distances_together() const {
  Numbers linked = positions_;
  together([&] {
    if (!attach_types_.empty()) linked = own_linked();
  });
  if (input_.types().size() > 1) share_points(input_, linked, session_.execution());
  const std::size_t most = std::max<std::size_t>(1, ranks()->points());
  const std::vector<double> found =
      ranks()->kth_distance({.k = std::min(kPeakNeighbors, most)}, session_.on_device());
  std::vector<double> distance;
  together([&] { distance = attach_types_.empty() ? found : with_attached(found); });
  return distance;
}

/// Coordinates of the linked points of this rank.
Numbers GroupRun::own_linked() const {
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  std::size_t count = 0, begin = 0, filled = 0;
  for (const int type : link_types_) count += own_size_of(input_, type);
  Numbers linked(positions_.scalar(), count * dimension);
  for (const int type : input_.types()) {
    const std::size_t end = begin + own_size_of(input_, type);
    for (std::size_t k = begin * dimension; is_linked(type) && k < end * dimension; ++k)
      linked.set(filled++, positions_[k]);
    begin = end;
  }
  return linked;
}

/// Distances of the linked points of this rank, with infinity for the others.
std::vector<double> GroupRun::with_attached(const std::vector<double>& linked) const {
  std::vector<double> distance;
  std::size_t next = 0;
  for (const int type : input_.types())
    for (std::size_t k = 0; k < own_size_of(input_, type); ++k)
      distance.push_back(is_linked(type) ? linked[next++]
                                         : std::numeric_limits<double>::infinity());
  return distance;
}

/// Groups that a bridge joins have their center of mass in between, where there may be nothing;
/// the densest member may lie in a small clump; the deepest one lies in the largest.
std::string GroupRun::center() const {
  if (!request_.center.empty()) return request_.center;
  return request_.wants_overdensities ? "potential" : "mass";
}

double GroupRun::softening() const {
  return center() == "potential" ? kSoftening * found_.linking_length : 0;
}

const Tree& GroupRun::tree() {
  if (!tree_)
    tree_.emplace(points(), TreeOptions{.box = input_.box(), .non_finite = input_.non_finite()},
                  session_.on_device());
  return *tree_;
}

/// Places of the densest members.
std::vector<double> GroupRun::densest() {
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  const auto place = [&](std::size_t point, int axis) {
    return inside(positions_[point * dimension + static_cast<std::size_t>(axis)], input_.box(),
                  axis);
  };
  if (ranks())
    return ranks()->peaks(linked_distances_together(), place, input_.dimension(),
                          session_.execution());
  const std::vector<double> distance = linked_distances(tree());
  const std::vector<std::int64_t> peaks =
      peak_members(members_, values(distance), Peak::smallest, session_.execution());
  std::vector<double> places;
  for (const std::int64_t peak : peaks)
    for (int axis = 0; axis < input_.dimension(); ++axis)
      places.push_back(place(static_cast<std::size_t>(peak), axis));
  return places;
}

void GroupRun::find_peaks() {
  if (center() == "density") {
    rows_.peak = densest();
    return;
  }
  const bool has_attached = !attach_types_.empty();
  const CenterOptions options{
      .box = input_.box(),
      .mass = mass(),
      .type = type_,
      .types = has_attached ? link_types_ : std::vector<int>(),
      .kind = center() == "shrinking" ? CenterKind::shrinking : CenterKind::potential,
      .softening = softening()};
  rows_.peak = ranks() ? ranks()->centers(points(), options, session_.execution())
                       : centers(points(), members_, options, session_.execution());
}

/// Extras that a file cannot support are left out with a warning; the groups are found all the
/// same.
void GroupRun::leave_out_overdensities() {
  const SnapshotInfo& info = input_.info();
  std::vector<std::string> missing;
  if (!info.background.is_known) missing.emplace_back("a cosmology (--cosmology)");
  if (!(info.units.length > 0) || !(info.units.mass > 0) || !(info.units.velocity > 0))
    missing.emplace_back("units (--units)");
  if (!input_.has(Field::mass)) missing.emplace_back("masses (--mass)");
  if (missing.empty() && snapshot_cosmology(info)) return;
  request_.wants_overdensities = false;
  session_.warn(
      fmt::format("the file lacks {}, so the result has no masses and radii of given overdensity",
                  missing.empty() ? std::string("a usable cosmology (--cosmology)")
                                  : fmt::format("{}", fmt::join(missing, " and "))));
}

void GroupRun::find_overdensities() {
  const SnapshotInfo& info = input_.info();
  const Cosmology cosmology = *snapshot_cosmology(info);  // leave_out_overdensities has looked
  edges_ = {Edge::critical200, Edge::critical500, Edge::mean200, Edge::virial};
  // Edges are densities per comoving volume.
  const double physical = info.units.is_comoving ? 1 : std::pow(1 + info.background.redshift, 3);
  OverdensityOptions options{.mass = mass(),
                             .within = values(rows_.catalogue.radius),
                             .mass_guess = values(rows_.catalogue.mass)};
  for (const Edge edge : edges_)
    options.density.push_back(edge_density(edge, cosmology) * physical);
  const std::vector<double>& places = rows_.peak.empty() ? rows_.catalogue.center : rows_.peak;
  if (ranks()) {
    if (input_.types().size() > 1) share_points(input_, positions_, session_.execution());
    rows_.overdensities = ranks()->overdensities(places, options, session_.execution());
  } else {
    rows_.overdensities = overdensities(tree(), places, options, session_.execution());
  }
}

}  // namespace kith::cli
