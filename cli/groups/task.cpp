// The groups to find: the request of the user, completed and checked against the file.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kith/error.hpp>
#include <kith/io/figure.hpp>
#include <kith/io/particle_roles.hpp>

#include "groups/groups.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr double kDefaultB = 0.2;  // what nearly all catalogues of halos use

std::string types_text(const std::vector<int>& types) {
  return fmt::format("{}", fmt::join(types, ", "));
}

std::vector<int> united(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Extras that a file cannot support are left out with a warning; the groups are found all the
/// same.
void leave_out_overdensities(GroupRequest& request, const Input& input, Session& session) {
  const SnapshotInfo& info = input.info();
  std::vector<std::string> missing;
  if (!info.background.is_known) missing.emplace_back("a cosmology (--cosmology)");
  if (!(info.units.length > 0) || !(info.units.mass > 0) || !(info.units.velocity > 0))
    missing.emplace_back("units (--units)");
  if (!input.has(Field::mass)) missing.emplace_back("masses (--mass)");
  if (missing.empty() && snapshot_cosmology(info)) return;
  request.wants_overdensities = false;
  session.warn(
      fmt::format("the file lacks {}, so the result has no masses and radii of given overdensity",
                  missing.empty() ? std::string("a usable cosmology (--cosmology)")
                                  : fmt::format("{}", fmt::join(missing, " and "))));
}

}  // namespace

GroupTask::GroupTask(const GroupRequest& given, Session& session)
    : request(given), input(given.input), roles(type_roles(given, input, session.execution())) {
  if (!(given.fof.linking_length > 0) && !(given.fof.b > 0) && !has_lengths())
    request.fof.b = kDefaultB;
  if (input.is_sky()) {
    if (request.fof.b > 0)
      throw Error(ErrorCode::invalid_argument,
                  "--sky needs --linking-length, an angle in degrees, and no -b");
    if (!has_lengths()) request.fof.linking_length = input.length(request.fof.linking_length);
  }
  input.choose(united(roles.linked, roles.attached));
  check_lengths();
  check_sight();
  check_outputs();
  if (request.needs_velocity && !input.has(Field::velocity))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: subhalos need velocities, and not all of these particles have one in "
                    "the file",
                    request.input.path));
  session.say(input.describe());
  if (request.wants_overdensities) leave_out_overdensities(request, input, session);
  describe(session);
  choose_memory(session);
}

void GroupTask::choose_memory(Session& session) {
  const double bytes = memory();
  is_stored = request.can_be_stored && goes_to_disk(bytes, session);
  if (!is_stored) return session.need_memory(bytes);
  check_stored();
  say_disk(bytes, session);
}

void GroupTask::check_stored() const {
  if (!roles.attached.empty()) refuse_disk("--attach-types needs");
  if (has_lengths()) refuse_disk("--linking-length-column needs");
  if (!request.los.empty()) refuse_disk("--los needs");
  if (!request.all_lengths.empty()) refuse_disk("--all-lengths needs");
  if (!request.picture.empty()) refuse_disk("--picture needs");
  if (!request.sorted_snapshot.empty()) refuse_disk("--sorted-snapshot needs");
  if (center() == "density") refuse_disk("--center density needs");
  if (request.common.device != "cpu") refuse_disk("--device needs");
  if (input.is_sky()) refuse_disk("--sky needs");
  if (has_types() && style == ResultStyle::npz && has_order(request.needs_velocity))
    refuse_disk("the order of several types in a .npz file needs");
}

void GroupTask::describe(Session& session) const {
  if (input.info().type.size() > 1)
    session.say(
        fmt::format("linked: types {}; attached: {}{}", types_text(roles.linked),
                    roles.attached.empty() ? "none" : types_text(roles.attached),
                    roles.contaminating.empty()
                        ? ""
                        : fmt::format("; contaminating: {}", types_text(roles.contaminating))));
  input.report(session.report());
  session.report().add("link_types", roles.linked);
  session.report().add("attach_types", roles.attached);
  session.report().add("contaminating_types", roles.contaminating);
}

void GroupTask::check_outputs() {
  ResultWriteOptions write = request.write;
  if (request.style == "swift") write.style = ResultStyle::swift;
  if (request.style == "gadget") write.style = ResultStyle::gadget;
  if (!request.output.empty()) {
    style = check_result_path(request.output, write, ResultKind::fof);
    if (style == ResultStyle::csv && (request.wants_labels || request.wants_order))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: a .csv file cannot hold --labels and --order; use "
                              ".hdf5 or .npz",
                              request.output));
    if (style == ResultStyle::swift && request.wants_order)
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: style swift cannot hold --order; use style gadget", request.output));
    input.check_output(request.output, request.write.files);
  }
  if (!request.all_lengths.empty() && request.output == "-")
    throw Error(ErrorCode::invalid_argument,
                "--all-lengths makes one catalogue for each length; give -o the name of a file");
  for (const double b : request.all_lengths) {
    if (!(b > 0))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--all-lengths: b = {:g}; give positive numbers", b));
    if (!request.output.empty()) input.check_output(with_b(request.output, b), request.write.files);
  }
  check_sorted_snapshot();
  if (request.picture.empty()) return;
  check_drawing_path(request.picture);
  input.check_output(request.picture);
}

void GroupTask::check_sorted_snapshot() const {
  const std::string& path = request.sorted_snapshot;
  if (path.empty()) return;
  if (!ends_with(path, ".hdf5") && !ends_with(path, ".h5"))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--sorted-snapshot {}: it must be an HDF5 file; use .hdf5", printable(path)));
  if (!request.all_lengths.empty())
    throw Error(
        ErrorCode::invalid_argument,
        "--sorted-snapshot holds the groups of one linking length; leave out --all-lengths");
  if (path == request.output)
    throw Error(ErrorCode::invalid_argument, "--sorted-snapshot and -o name the same file");
  input.check_output(path);
}

int GroupTask::type_numbers() const {
  return has_types() ? std::max(input.info().types, input.types().back() + 1) : 0;
}

/// The largest of the four moments at which most is held: linking, the catalogue, the spheres, and
/// the writing of it.
double GroupTask::memory() const {
  const double points = static_cast<double>(input.size());
  const MemoryEstimate tree =
      estimate_memory(input.size(), input.dimension(), input.scalar(), {.box = input.box()});
  const double copy = roles.linked.size() > 1 ? input.position_bytes() : 0;
  const double link =
      std::max(static_cast<double>(tree.peak), static_cast<double>(tree.kept) + 12 * points) +
      copy + (has_lengths() ? 33 : 4) * points;
  const double fields =
      input.velocity_bytes() + input.mass_bytes() + (input.types().size() > 1 ? points : 0);
  const bool keeps_tree = has_searches() && input.types().size() == 1;
  const double kept = keeps_tree ? static_cast<double>(tree.kept) : 0;
  constexpr double kSubhalos = 64;  // orders and labels, and the search in the largest halos
  const double catalogue = (request.needs_velocity ? 14 + kSubhalos : 14) * points + fields + kept;
  const double spheres =
      has_searches() ? 8 * points + fields + static_cast<double>(keeps_tree ? tree.kept : tree.peak)
                     : 0;
  const double write =
      request.output.empty() ? 0 : (input.has(Field::id) ? 32 : 16) * points + fields;
  return input.position_bytes() + std::max({link, catalogue, spheres, write});
}

/// Groups that a bridge joins have their center of mass in between, where there may be nothing;
/// the densest member may lie in a small clump; the deepest one lies in the largest.
std::string GroupTask::center() const {
  if (!request.center.empty()) return request.center;
  return request.wants_overdensities ? "potential" : "mass";
}

bool GroupTask::has_searches() const {
  return center() == "density" || request.wants_overdensities;
}

bool GroupTask::has_order(bool has_subhalos) const {
  if (style == ResultStyle::csv) return false;
  return request.wants_order ||
         ((style == ResultStyle::gadget || has_subhalos) && !request.wants_no_order);
}

bool GroupTask::has_labels() const {
  return request.wants_labels || (style != ResultStyle::gadget && style != ResultStyle::csv);
}

bool GroupTask::has_sorted_order() const {
  return style == ResultStyle::gadget && !request.wants_no_order;
}

}  // namespace kith::cli
