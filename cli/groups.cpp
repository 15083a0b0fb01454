#include "groups.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/figure.hpp>

#include "shared_input.hpp"

namespace kith::cli {
namespace {

constexpr double kDefaultB = 0.2;  // what nearly all catalogues of halos use

std::string types_text(const std::vector<int>& types) {
  return fmt::format("{}", fmt::join(types, ", "));
}

}  // namespace

GroupRun::GroupRun(const GroupRequest& request, Session& session)
    : request_(request), session_(session), input_(request.input) {
  if (!(request.fof.linking_length > 0) && !(request.fof.b > 0)) request_.fof.b = kDefaultB;
  choose_roles();
  check_sight();
  check_outputs();
  if (request.needs_velocity && !input_.has(Field::velocity))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: subhalos need velocities, and not all of these particles have one in "
                    "the file",
                    request.input.path));
  session.say(input_.describe());
  if (request.wants_overdensities) leave_out_overdensities();
  if (input_.info().type.size() > 1)
    session.say(
        fmt::format("linked: types {}; attached: {}{}", types_text(link_types_),
                    attach_types_.empty() ? "none" : types_text(attach_types_),
                    contaminating_types_.empty()
                        ? ""
                        : fmt::format("; contaminating: {}", types_text(contaminating_types_))));
  input_.report(session.report());
  session.report().add("link_types", link_types_);
  session.report().add("attach_types", attach_types_);
  session.report().add("contaminating_types", contaminating_types_);
  session.need_memory(memory());
}

void GroupRun::check_outputs() {
  ResultWriteOptions write = request_.write;
  if (request_.style == "swift") write.style = ResultStyle::swift;
  if (request_.style == "gadget") write.style = ResultStyle::gadget;
  if (!request_.output.empty()) {
    style_ = check_result_path(request_.output, write, ResultKind::fof);
    if (style_ == ResultStyle::csv && (request_.wants_labels || request_.wants_order))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: a .csv file cannot hold --labels and --order; use "
                              ".hdf5 or .npz",
                              request_.output));
    if (style_ == ResultStyle::swift && request_.wants_order)
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: style swift cannot hold --order; use style gadget", request_.output));
    input_.check_output(request_.output, request_.write.files);
  }
  for (const double b : request_.all_lengths) {
    if (!(b > 0))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--all-lengths: b = {:g}; give positive numbers", b));
    if (!request_.output.empty())
      input_.check_output(with_b(request_.output, b), request_.write.files);
  }
  check_sorted_snapshot();
  if (request_.picture.empty()) return;
  check_drawing_path(request_.picture);
  input_.check_output(request_.picture);
}

/// The largest of the four moments at which most is held: linking, the catalogue, the spheres, and
/// the writing of it.
double GroupRun::memory() const {
  const double points = static_cast<double>(input_.size());
  const MemoryEstimate tree =
      estimate_memory(input_.size(), input_.dimension(), input_.scalar(), {.box = input_.box()});
  const double copy = link_types_.size() > 1 ? input_.position_bytes() : 0;
  const double link =
      std::max(static_cast<double>(tree.peak), static_cast<double>(tree.kept) + 12 * points) +
      copy + 4 * points;
  const double fields =
      input_.velocity_bytes() + input_.mass_bytes() + (input_.types().size() > 1 ? points : 0);
  const bool keeps_tree = needs_tree() && input_.types().size() == 1;
  const double kept = keeps_tree ? static_cast<double>(tree.kept) : 0;
  const double catalogue = 14 * points + fields + kept;
  const double spheres =
      needs_tree() ? 8 * points + fields + static_cast<double>(keeps_tree ? tree.kept : tree.peak)
                   : 0;
  const double write =
      request_.output.empty() ? 0 : (input_.has(Field::id) ? 32 : 16) * points + fields;
  return input_.position_bytes() + std::max({link, catalogue, spheres, write});
}

std::vector<TypedPoints> GroupRun::typed() const {
  std::vector<TypedPoints> parts;
  std::size_t begin = 0;
  for (const int type : input_.types()) {
    PointsView part = points();
    const std::size_t offset = begin * static_cast<std::size_t>(part.dimension);
    part.data = static_cast<const char*>(part.data) +
                offset * (part.scalar == Scalar::float32 ? sizeof(float) : sizeof(double));
    part.size = own_size_of(input_, type);
    begin += part.size;
    parts.push_back({part, is_linked(type) ? Role::linked : Role::attached});
  }
  return parts;
}

PointsView GroupRun::velocity() const {
  return velocities_.count() > 0 ? velocities_.rows(input_.dimension()) : PointsView{};
}

void GroupRun::find() {
  FofOptions options = request_.fof;
  together([&] {
    positions_ = input_.positions(session_.execution());
    choose_separation(options);
  });
  options.box = input_.box();
  options.non_finite = input_.non_finite();
  if (ranks()) {
    found_ = found_together(options);
    output_ = request_.output;
    tell_found(options.b);
  } else if (!request_.los.empty()) {
    take(redshift_fof(points(), options, sight(), session_.on_device()), options.b);
  } else if (input_.types().size() > 1) {
    take(fof(typed(), options, session_.on_device()), options.b);
  } else if (needs_tree()) {
    take(fof(tree(), options, session_.on_device()), options.b);
  } else {
    take(fof(points(), options, session_.on_device()), options.b);
  }
}

SharedGroups GroupRun::found_together(const FofOptions& options) {
  if (input_.types().size() > 1) return ranks()->fof(typed(), options, session_.on_device());
  share_points(input_, positions_, session_.execution());
  if (!request_.los.empty())
    return ranks()->redshift_fof(points(), options, sight(), session_.execution());
  return ranks()->fof(options, session_.on_device());
}

/// Makes these the groups that are measured and written.
void GroupRun::take(const Groups& found, double b) {
  groups_ = found;
  members_ = kith::members(*groups_, session_.execution());
  found_ = {.count = found.count(),
            .grouped = members_.offset.back(),
            .linking_length = found.linking_length()};
  output_ = request_.output;
  tell_found(b);
}

void GroupRun::tell_found(double b) {
  b_ = b;
  const FofOptions& options = request_.fof;
  const double length = found_.linking_length;
  session_.say(fmt::format("linking length {}{}", with_unit(length, units(), {.length = 1}),
                           b > 0 ? fmt::format(" (b = {:g})", b) : ""));
  if (!request_.los.empty())
    session_.say(fmt::format("along the line of sight ({}) {}", line_of_sight(),
                             with_unit(length * sight().stretch, units(), {.length = 1})));
  session_.say(fmt::format(
      "{} of at least {}, with {} ({:.1f} %)", counted(found_.count, "group", "groups"),
      options.min_size, counted(found_.grouped, "point", "points"),
      input_.size() > 0
          ? 100.0 * static_cast<double>(found_.grouped) / static_cast<double>(input_.size())
          : 0));
  Report& report = report_of_groups();
  report.add("linking_length", length);
  if (b > 0) report.add("b", b);
  if (!request_.los.empty()) report.add("linking_length_parallel", length * sight().stretch);
  report.add_count("min_size", options.min_size);
  report.add_count("groups", found_.count);
  report.add_count("grouped_points", found_.grouped);
  if (b > 1)
    session_.warn(fmt::format(
        "b = {:g} links points over more than the mean separation; halos are found with 0.2", b));
  if (found_.count == 0 && input_.size() > 1) explain_no_groups();
}

/// Finding nothing is rarely what was wanted: says how far apart the points are.
void GroupRun::explain_no_groups() {
  const double nearest = median_nearest(), length = found_.linking_length;
  if (!std::isfinite(nearest) || !(length > 0)) return;
  const std::string fact = fmt::format(
      "no group has {} members: half of the linked points have their nearest neighbor beyond {}, "
      "which is {:.3g} linking lengths",
      request_.fof.min_size, with_unit(nearest, units(), {.length = 1}), nearest / length);
  if (nearest <= length)
    return session_.warn(fact + "; groups are smaller: lower --min-size, or link over more");
  session_.warn(fact + (b_ > 0
                            ? "; is this a part of a simulation, a subsample, or a zoom? The mean "
                              "separation is that of the "
                              "whole box then: give --linking-length, or --mean-separation with -b"
                            : "; is --linking-length in the units of the file?"));
}

/// The median distance to the nearest other linked point.
double GroupRun::median_nearest() {
  const KnnOptions nearest{.k = 1, .exclude_self = true};
  const std::uint64_t middle = input_.snapshot().size(link_types_) / 2;
  if (ranks()) {
    if (input_.types().size() > 1)
      return std::numeric_limits<double>::quiet_NaN();  // not only the linked
    const std::vector<double> distance = ranks()->kth_distance(nearest, session_.execution());
    return ranks()->nth(distance, std::min(middle, sum_of_all(distance.size()) - 1));
  }
  const Numbers linked = own_linked();
  const Tree tree(linked.rows(input_.dimension()),
                  {.box = input_.box(), .non_finite = input_.non_finite()}, session_.execution());
  std::vector<double> distance = kth_distance(tree, nearest, session_.execution());
  if (distance.empty()) return std::numeric_limits<double>::infinity();
  const auto place = distance.begin() + static_cast<std::ptrdiff_t>(distance.size() / 2);
  std::nth_element(distance.begin(), place, distance.end());
  return *place;
}

void GroupRun::measure() {
  const Execution& execution = session_.execution();
  together([&] {
    masses_ = input_.masses(execution);
    if (input_.has(Field::velocity)) velocities_ = input_.velocities(execution);
  });
  if (input_.types().size() > 1 && type_.empty())
    for (const int type : input_.types())
      type_.insert(type_.end(), own_size_of(input_, type), static_cast<std::uint8_t>(type));
  rows_.peak.clear();
  if (center() != "mass") find_peaks();
  const CatalogueOptions options{
      .box = input_.box(),
      .mass = mass(),
      .velocity = velocity(),
      .type = type_,
      .types = type_.empty() ? 0 : std::max(input_.info().types, input_.types().back() + 1),
      .contaminating_types = contaminating_types_,
      .gravity = input_.has(Field::mass) ? snapshot_gravity(input_.info()) : 0,
      .peak = rows_.peak};
  rows_.catalogue = ranks() ? ranks()->catalogue(points(), options, session_.on_device())
                            : kith::catalogue(points(), members_, options, session_.on_device());
  if (request_.wants_overdensities) find_overdensities();
  if (ranks()) take_first_rows();
  if (!hierarchy_) tree_.reset();
}

ResultAbout GroupRun::about(ResultKind kind) const {
  ResultAbout about = input_.about(kind);
  about.link_types = link_types_;
  about.attach_types = attach_types_;
  about.linking_length = found_.linking_length;
  about.b = b_;
  about.min_size = request_.fof.min_size;
  about.strict = request_.fof.strict;
  about.line_of_sight = line_of_sight();
  if (!request_.los.empty()) about.stretch = sight().stretch;
  about.contaminating_types = contaminating_types_;
  about.sorted_snapshot = request_.sorted_snapshot;
  about.center = center();
  about.softening = softening();
  about.gravity = input_.has(Field::mass) ? snapshot_gravity(input_.info()) : 0;
  if (!subhalo_options_) return about;
  about.subhalo_linking_length = subhalo_options_->linking_length;
  about.position_scale = subhalo_options_->position_scale;
  about.velocity_scale = subhalo_options_->velocity_scale;
  about.subhalo_min_size = subhalo_options_->min_size;
  return about;
}

}  // namespace kith::cli
