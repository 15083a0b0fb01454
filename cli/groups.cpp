#include "groups.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numbers>

#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/figure.hpp>

namespace kith::cli {
namespace {

constexpr double kGravity = 6.6743e-8;    // cgs
constexpr double kSameSeparation = 0.01;  // what constants and rounded masses may make

constexpr std::size_t kPeakNeighbors = 16;  // the densest member has the nearest 16th neighbor

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

double inside(double x, const Box& box, int axis) {
  const double side = box.side(axis), origin = box.origin(axis);
  return side > 0 ? x - side * std::floor((x - origin) / side) : x;
}

/// "none", or numbers.
std::vector<int> parsed_types(const std::vector<std::string>& words) {
  std::vector<int> types;
  if (words.size() == 1 && words[0] == "none") return types;
  for (const std::string& word : words) {
    int type = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), type);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("--attach-types: {} is no type; give numbers, or none", printable(word)));
    types.push_back(type);
  }
  return types;
}

std::string types_text(const std::vector<int>& types) {
  return fmt::format("{}", fmt::join(types, ", "));
}

}  // namespace

/// Newton's constant in the snapshot's units, for its lengths as they are; 0 if it does not say
/// them.
double gravity_of(const SnapshotInfo& info) {
  const Units& units = info.units;
  if (!(units.length > 0) || !(units.mass > 0) || !(units.velocity > 0)) return 0;
  return kGravity * units.mass / (units.length * units.velocity * units.velocity) /
         (units.is_comoving ? info.background.scale_factor : 1);
}

Cosmology cosmology_of(const SnapshotInfo& info) {
  constexpr double kMpc = 3.0856775814913673e24, kKmPerS = 1e5;
  const Units& units = info.units;
  const Background& background = info.background;
  if (!background.is_known || !(units.length > 0) || !(units.mass > 0) || !(units.velocity > 0))
    throw Error(ErrorCode::invalid_argument,
                "--overdensities needs the units and the cosmology of the snapshot, and it does "
                "not say them");
  // 1/h in the unit of length cancels the h of the Hubble constant.
  const double h = units.is_per_h ? 1 : background.h;
  return {.omega_m = background.omega_m,
          .omega_lambda = background.omega_lambda,
          .redshift = background.redshift,
          .hubble = 100 * h * (units.length / kMpc) / (units.velocity / kKmPerS),
          .gravity = kGravity * units.mass / (units.length * units.velocity * units.velocity)};
}

GroupRun::GroupRun(const GroupRequest& request, Session& session)
    : request_(request), session_(session), input_(request.input) {
  choose_roles();
  check_outputs();
  if (request.wants_overdensities) cosmology_of(input_.info());
  if (request.needs_velocity && !input_.has(Field::velocity))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: subhalos need velocities, and the file has none for all of these "
                            "particles",
                            request.input.path));
  session.say(input_.describe());
  if (input_.info().type.size() > 1)
    session.say(fmt::format("linked: types {}; attached: {}", types_text(link_types_),
                            attach_types_.empty() ? "none" : types_text(attach_types_)));
  input_.report(session.report());
  session.report().add("link_types", link_types_);
  session.report().add("attach_types", attach_types_);
  session.need_memory(memory());
}

/// As in other codes: dark matter makes the groups, gas, stars and black holes join them.
void GroupRun::choose_roles() {
  std::vector<int> present;
  for (const SnapshotType& type : input_.info().type) present.push_back(type.type);
  link_types_ = request_.link_types;
  attach_types_ = parsed_types(request_.attach_types);
  if (link_types_.empty() && request_.attach_types.empty() && contains(present, 1)) {
    link_types_ = {1};
    for (const int type : {0, 4, 5})
      if (contains(present, type)) attach_types_.push_back(type);
  } else if (link_types_.empty()) {
    std::copy_if(present.begin(), present.end(), std::back_inserter(link_types_),
                 [&](int type) { return !contains(attach_types_, type); });
  }
  for (const int type : attach_types_)
    if (contains(link_types_, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("type {} is to be linked and attached; choose one", type));
  std::vector<int> all = link_types_;
  all.insert(all.end(), attach_types_.begin(), attach_types_.end());
  input_.choose(std::move(all));
}

void GroupRun::check_outputs() {
  ResultWriteOptions write = request_.write;
  if (request_.style == "swift") write.style = ResultStyle::swift;
  if (request_.style == "gadget") write.style = ResultStyle::gadget;
  if (!request_.output.empty()) {
    style_ = check_result_path(request_.output, write, ResultKind::fof);
    if (style_ == ResultStyle::csv && (request_.wants_labels || request_.wants_order))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: a table of groups has no room for --labels and --order; use "
                              ".hdf5 or .npz",
                              request_.output));
    if (style_ == ResultStyle::swift && request_.wants_order)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: style swift has no place for --order; use style gadget",
                              request_.output));
    input_.check_output(request_.output);
  }
  for (const double b : request_.all_lengths) {
    if (!(b > 0))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--all-lengths: b = {:g}; give positive numbers", b));
    if (!request_.output.empty()) input_.check_output(with_b(request_.output, b));
  }
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
    part.size = input_.size_of(type);
    begin += part.size;
    parts.push_back({part, contains(link_types_, type) ? Role::linked : Role::attached});
  }
  return parts;
}

PointsView GroupRun::velocity() const {
  return velocities_.count() > 0 ? velocities_.rows(input_.dimension()) : PointsView{};
}

/// (m / rho)^(1/3) of the linked particles, with rho the mean density of what they stand for: dark
/// matter where the file has other matter too. 0 if the file does not say enough.
double GroupRun::separation_by_mass() const {
  const SnapshotInfo& info = input_.info();
  const Background& background = info.background;
  const Units& units = info.units;
  if (!background.is_known || !(units.length > 0) || !(units.mass > 0) || !(units.velocity > 0) ||
      input_.dimension() != 3 || !input_.snapshot().has(Field::mass, link_types_))
    return 0;
  bool has_baryons = false;
  for (const SnapshotType& type : info.type)
    has_baryons |= !contains(link_types_, type.type) && contains({0, 4, 5}, type.type);
  if (has_baryons && !(background.omega_b > 0)) return 0;
  const double omega = background.omega_m - (has_baryons ? background.omega_b : 0);
  const Cosmology cosmology = cosmology_of(info);
  const double critical =
      3 * cosmology.hubble * cosmology.hubble / (8 * std::numbers::pi * cosmology.gravity);
  const double physical = units.is_comoving ? 1 : std::pow(1 + background.redshift, 3);
  std::vector<double> mass(input_.snapshot().size(link_types_));
  input_.snapshot().read(Field::mass, mass, link_types_, session_.execution());
  double sum = 0;
  for (const double each : mass) sum += each;
  const double mean = mass.empty() ? 0 : sum / static_cast<double>(mass.size());
  return std::cbrt(mean / (omega * critical * physical));
}

/// Particles of a zoom run fill a part of the box alone: their number says nothing about how far
/// apart they are there, but their mass does, as in Gadget-4 and SWIFT.
void GroupRun::choose_separation(FofOptions& options) {
  if (!(options.b > 0) || options.mean_separation > 0 || options.volume > 0) return;
  double volume = 1;
  for (int axis = 0; axis < input_.dimension(); ++axis) volume *= input_.box().side(axis);
  std::uint64_t count = 0;
  for (const int type : link_types_) count += input_.size_of(type);
  const double by_mass = separation_by_mass();
  if (!(volume > 0) || count == 0 || !(by_mass > 0)) return;
  const double by_number = std::cbrt(volume / static_cast<double>(count));
  if (std::abs(by_mass / by_number - 1) <= kSameSeparation) return;
  options.mean_separation = by_mass;
  session_.say(fmt::format(
      "mean separation {} from the mass of the linked particles: they do not fill the box, over "
      "which it would be {:.6g}",
      with_unit(by_mass, units(), {.length = 1}), by_number));
  session_.report().add("mean_separation", by_mass);
}

void GroupRun::find() {
  positions_ = input_.positions(session_.execution());
  FofOptions options = request_.fof;
  options.box = input_.box();
  choose_separation(options);
  options.non_finite = input_.non_finite();
  if (input_.types().size() > 1) {
    take(fof(typed(), options, session_.execution()), options.b);
  } else if (needs_tree()) {
    take(fof(tree(), options, session_.execution()), options.b);
  } else {
    take(fof(points(), options, session_.execution()), options.b);
  }
}

/// Makes these the groups that are measured and written.
void GroupRun::take(const Groups& found, double b) {
  groups_ = found;
  b_ = b;
  output_ = request_.output;
  const FofOptions& options = request_.fof;
  members_ = kith::members(*groups_, session_.execution());
  const double length = groups_->linking_length();
  const std::uint64_t grouped_points = members_.offset.back();
  session_.say(fmt::format("linking length {}{}", with_unit(length, units(), {.length = 1}),
                           b > 0 ? fmt::format(" (b = {:g})", b) : ""));
  session_.say(fmt::format(
      "{} of at least {}, with {} ({:.1f} %)", counted(groups_->count(), "group", "groups"),
      options.min_size, counted(grouped_points, "point", "points"),
      input_.size() > 0
          ? 100.0 * static_cast<double>(grouped_points) / static_cast<double>(input_.size())
          : 0));
  Report& report = hierarchy_ ? length_reports_.emplace_back() : session_.report();
  report.add("linking_length", length);
  if (b > 0) report.add("b", b);
  report.add_count("min_size", options.min_size);
  report.add_count("groups", groups_->count());
  report.add_count("grouped_points", grouped_points);
}

void GroupRun::measure() {
  const Execution& execution = session_.execution();
  masses_ = input_.masses(execution);
  if (input_.has(Field::velocity)) velocities_ = input_.velocities(execution);
  if (input_.types().size() > 1 && type_.empty())
    for (const int type : input_.types())
      type_.insert(type_.end(), input_.size_of(type), static_cast<std::uint8_t>(type));
  peak_.clear();
  if (wants_peaks()) find_peaks(tree());
  catalogue_ = kith::catalogue(
      points(), members_,
      {.box = input_.box(),
       .mass = mass(),
       .velocity = velocity(),
       .type = type_,
       .types = type_.empty() ? 0 : std::max(input_.info().types, input_.types().back() + 1),
       .gravity = input_.has(Field::mass) ? gravity_of(input_.info()) : 0,
       .peak = peak_},
      execution);
  if (request_.wants_overdensities) find_overdensities(tree());
  if (!hierarchy_) tree_.reset();
}

/// Distances of the 16th neighbor among the linked points; infinite for the attached ones. Gas and
/// stars lie in clumps of their own, and one gas particle can be its own center.
std::vector<double> GroupRun::linked_distances(const Tree& tree) const {
  const auto neighbors = [](const Tree& of) {
    return KnnOptions{.k = std::min(kPeakNeighbors, std::max<std::size_t>(1, of.size()))};
  };
  if (attach_types_.empty()) return kth_distance(tree, neighbors(tree), session_.execution());
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  std::size_t count = 0, begin = 0, filled = 0;
  for (const int type : link_types_) count += input_.size_of(type);
  Numbers linked(positions_.scalar(), count * dimension);
  for (const int type : input_.types()) {
    const std::size_t end = begin + input_.size_of(type);
    for (std::size_t k = begin * dimension; contains(link_types_, type) && k < end * dimension; ++k)
      linked.set(filled++, positions_[k]);
    begin = end;
  }
  const Tree own(linked.rows(input_.dimension()),
                 {.box = input_.box(), .non_finite = input_.non_finite()}, session_.execution());
  const std::vector<double> found = kth_distance(own, neighbors(own), session_.execution());
  std::vector<double> distance;
  std::size_t next = 0;
  for (const int type : input_.types())
    for (std::size_t k = 0; k < input_.size_of(type); ++k)
      distance.push_back(contains(link_types_, type) ? found[next++]
                                                     : std::numeric_limits<double>::infinity());
  return distance;
}

/// Groups that a bridge joins have their center of mass in between, where there may be nothing.
bool GroupRun::wants_peaks() const {
  return request_.center.empty() ? request_.wants_overdensities : request_.center == "density";
}

const Tree& GroupRun::tree() {
  if (!tree_)
    tree_.emplace(points(), TreeOptions{.box = input_.box(), .non_finite = input_.non_finite()},
                  session_.execution());
  return *tree_;
}

void GroupRun::find_peaks(const Tree& tree) {
  const std::vector<double> distance = linked_distances(tree);
  const std::vector<std::int64_t> peaks =
      peak_members(members_, values(distance), Peak::smallest, session_.execution());
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  peak_.resize(peaks.size() * dimension);
  for (std::size_t g = 0; g < peaks.size(); ++g)
    for (std::size_t axis = 0; axis < dimension; ++axis)
      peak_[g * dimension + axis] =
          inside(positions_[static_cast<std::size_t>(peaks[g]) * dimension + axis], input_.box(),
                 static_cast<int>(axis));
}

void GroupRun::find_overdensities(const Tree& tree) {
  if (!input_.has(Field::mass))
    throw Error(ErrorCode::invalid_argument, "--overdensities needs masses, and the file has none");
  const SnapshotInfo& info = input_.info();
  const Cosmology cosmology = cosmology_of(info);
  edges_ = {Edge::critical200, Edge::critical500, Edge::mean200, Edge::virial};
  // Edges are densities per comoving volume.
  const double physical = info.units.is_comoving ? 1 : std::pow(1 + info.background.redshift, 3);
  OverdensityOptions options{
      .mass = mass(), .within = values(catalogue_.radius), .mass_guess = values(catalogue_.mass)};
  for (const Edge edge : edges_)
    options.density.push_back(edge_density(edge, cosmology) * physical);
  overdensities_ =
      overdensities(tree, peak_.empty() ? catalogue_.center : peak_, options, session_.execution());
}

ResultAbout GroupRun::about(ResultKind kind) const {
  ResultAbout about = input_.about(kind);
  about.link_types = link_types_;
  about.attach_types = attach_types_;
  about.linking_length = groups_->linking_length();
  about.b = b_;
  about.min_size = request_.fof.min_size;
  about.strict = request_.fof.strict;
  about.center = peak_.empty() ? "mass" : "density";
  about.gravity = input_.has(Field::mass) ? gravity_of(input_.info()) : 0;
  if (!subhalo_options_) return about;
  about.subhalo_linking_length = subhalo_options_->linking_length;
  about.position_scale = subhalo_options_->position_scale;
  about.velocity_scale = subhalo_options_->velocity_scale;
  about.subhalo_min_size = subhalo_options_->min_size;
  return about;
}

void GroupRun::draw() const {
  if (request_.picture.empty()) return;
  PictureOptions view{.box = input_.box(), .size = request_.picture_size};
  if (input_.dimension() > 2 && input_.box().is_periodic(2)) {
    // A tenth of the box: through all of it, filaments lie over each other and fade.
    view.thickness = input_.box().side(2) / 10;
    view.center = input_.box().side(2) / 2;
  }
  const Drawing drawing = figure(
      points(),
      {.view = view,
       .length_unit = unit_name(units(), {.length = 1}),
       .circles = {.center = catalogue_.center, .radius = catalogue_.radius, .legend = "groups"}},
      session_.execution());
  write_drawing(request_.picture, drawing, 2, session_.execution());
  session_.report().add("picture", request_.picture);
  session_.say(request_.picture);
}

}  // namespace kith::cli
