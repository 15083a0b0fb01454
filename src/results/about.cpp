#include "results/about.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/ranges.h>

#include <kith/version.hpp>

#include "base/fail.hpp"

namespace kith {

const char* name(ResultKind kind) {
  switch (kind) {
    case ResultKind::fof: return "fof";
    case ResultKind::subhalos: return "subhalos";
    case ResultKind::knn: return "knn";
    case ResultKind::radius: return "radius";
    case ResultKind::density: return "density";
  }
  return "?";
}

namespace io {
namespace {

constexpr ResultKind kKinds[] = {ResultKind::fof, ResultKind::subhalos, ResultKind::knn,
                                 ResultKind::radius, ResultKind::density};

std::int64_t signed_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

template <class T>
std::vector<std::int64_t> signed_of(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

void add_points(std::vector<Fact>& facts, const ResultAbout& about) {
  std::vector<double> sides, origin;
  for (int axis = 0; axis < about.dimension; ++axis) {
    sides.push_back(about.box.side(axis));
    origin.push_back(about.box.origin(axis));
  }
  facts.push_back({"snapshot", about.snapshot});
  facts.push_back({"points", signed_of(about.points)});
  facts.push_back({"dimension", std::int64_t{about.dimension}});
  facts.push_back({"scalar", about.scalar == Scalar::float32 ? "float32" : "float64"});
  facts.push_back({"box", sides});
  facts.push_back({"origin", origin});
  facts.push_back({"type_numbers", std::int64_t{about.type_numbers}});
  facts.push_back({"types", signed_of(about.types)});
  facts.push_back({"counts", signed_of(about.counts)});
}

void add_universe(std::vector<Fact>& facts, const ResultAbout& about) {
  const Units& units = about.units;
  const Background& background = about.background;
  facts.push_back({"time", about.time});
  facts.push_back({"unit_length", units.length});
  facts.push_back({"unit_mass", units.mass});
  facts.push_back({"unit_velocity", units.velocity});
  facts.push_back({"is_per_h", std::int64_t{units.is_per_h}});
  facts.push_back({"is_comoving", std::int64_t{units.is_comoving}});
  facts.push_back({"is_cosmological", std::int64_t{background.is_known}});
  if (!background.is_known) return;
  facts.push_back({"omega_m", background.omega_m});
  facts.push_back({"omega_lambda", background.omega_lambda});
  facts.push_back({"omega_b", background.omega_b});
  facts.push_back({"h", background.h});
  facts.push_back({"scale_factor", background.scale_factor});
  facts.push_back({"redshift", background.redshift});
}

void add_groups(std::vector<Fact>& facts, const ResultAbout& about) {
  facts.push_back({"link_types", signed_of(about.link_types)});
  facts.push_back({"attach_types", signed_of(about.attach_types)});
  facts.push_back({"linking_length", about.linking_length});
  facts.push_back({"b", about.b});
  facts.push_back({"min_size", signed_of(about.min_size)});
  facts.push_back({"strict", std::int64_t{about.strict}});
}

void add_kind(std::vector<Fact>& facts, const ResultAbout& about) {
  switch (about.kind) {
    case ResultKind::subhalos:
      facts.push_back({"subhalo_linking_length", about.subhalo_linking_length});
      facts.push_back({"position_scale", about.position_scale});
      facts.push_back({"velocity_scale", about.velocity_scale});
      facts.push_back({"subhalo_min_size", signed_of(about.subhalo_min_size)});
      [[fallthrough]];
    case ResultKind::fof: return add_groups(facts, about);
    case ResultKind::knn:
      facts.push_back({"k", signed_of(about.k)});
      facts.push_back({"exclude_self", std::int64_t{about.exclude_self}});
      facts.push_back({"max_radius", about.max_radius});
      return;
    case ResultKind::radius:
      facts.push_back({"radius", about.radius});
      facts.push_back({"exclude_self", std::int64_t{about.exclude_self}});
      facts.push_back({"strict", std::int64_t{about.strict}});
      return;
    case ResultKind::density:
      facts.push_back({"k", signed_of(about.k)});
      facts.push_back({"kernel", about.kernel});
      return;
  }
}

/// Reads facts; those that are not there keep what the field had.
class Reader {
 public:
  Reader(const FactSource& source, const std::string& where) : source_(source), where_(where) {}

  std::string text(const std::string& name) const {
    const auto found = source_.text(name);
    if (!found)
      fail(ErrorCode::io, "{}: does not say its {}; it is no result of kith", where_, name);
    return *found;
  }
  void get(const std::string& name, std::string& field) const {
    field = source_.text(name).value_or(field);
  }
  void get(const std::string& name, double& field) const {
    const auto found = source_.numbers(name);
    if (found && !found->empty()) field = found->front();
  }
  template <class T>
  requires std::is_integral_v<T>
  void get(const std::string& name, T& field) const {
    double number = static_cast<double>(field);
    get(name, number);
    field = static_cast<T>(whole(name, number));
  }
  template <class T>
  requires std::is_integral_v<T>
  void get(const std::string& name, std::vector<T>& field) const {
    const auto found = source_.numbers(name);
    if (!found) return;
    field.clear();
    for (const double number : *found) field.push_back(static_cast<T>(whole(name, number)));
  }
  std::vector<double> list(const std::string& name, std::size_t size) const {
    const auto found = source_.numbers(name).value_or(std::vector<double>(size));
    if (found.size() != size)
      fail(ErrorCode::io, "{}: {} numbers for {} where {} belong", where_, found.size(), name,
           size);
    return found;
  }

 private:
  double whole(const std::string& name, double number) const {
    if (!(number >= 0) || number > 9e15 || number != std::floor(number))
      fail(ErrorCode::io, "{}: {} = {} is no count", where_, name, number);
    return number;
  }
  const FactSource& source_;
  const std::string& where_;
};

void read_points(const Reader& reader, const std::string& where, ResultAbout& about) {
  reader.get("snapshot", about.snapshot);
  reader.get("points", about.points);
  reader.get("dimension", about.dimension);
  if (about.dimension < 1 || about.dimension > kMaxDimension)
    fail(ErrorCode::io, "{}: dimension = {}; it is no result of kith", where, about.dimension);
  const std::string scalar = reader.text("scalar");
  about.scalar = scalar == "float32" ? Scalar::float32 : Scalar::float64;
  const auto dimension = static_cast<std::size_t>(about.dimension);
  const std::vector<double> sides = reader.list("box", dimension);
  try {
    about.box = Box::periodic(sides).with_origin(reader.list("origin", dimension));
  } catch (const Error& error) {
    fail(ErrorCode::io, "{}: {}", where, error.what());
  }
  reader.get("type_numbers", about.type_numbers);
  reader.get("types", about.types);
  reader.get("counts", about.counts);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : about.counts) sum += count;
  if (about.counts.size() != about.types.size() || (!about.counts.empty() && sum != about.points))
    fail(ErrorCode::io, "{}: {} points, but types that make {}", where, about.points, sum);
}

void read_universe(const Reader& reader, ResultAbout& about) {
  reader.get("time", about.time);
  reader.get("unit_length", about.units.length);
  reader.get("unit_mass", about.units.mass);
  reader.get("unit_velocity", about.units.velocity);
  reader.get("is_per_h", about.units.is_per_h);
  reader.get("is_comoving", about.units.is_comoving);
  Background& background = about.background;
  reader.get("is_cosmological", background.is_known);
  reader.get("omega_m", background.omega_m);
  reader.get("omega_lambda", background.omega_lambda);
  reader.get("omega_b", background.omega_b);
  reader.get("h", background.h);
  reader.get("scale_factor", background.scale_factor);
  reader.get("redshift", background.redshift);
}

void read_options(const Reader& reader, ResultAbout& about) {
  reader.get("link_types", about.link_types);
  reader.get("attach_types", about.attach_types);
  reader.get("linking_length", about.linking_length);
  reader.get("b", about.b);
  reader.get("min_size", about.min_size);
  reader.get("strict", about.strict);
  reader.get("subhalo_linking_length", about.subhalo_linking_length);
  reader.get("position_scale", about.position_scale);
  reader.get("velocity_scale", about.velocity_scale);
  reader.get("subhalo_min_size", about.subhalo_min_size);
  reader.get("k", about.k);
  reader.get("exclude_self", about.exclude_self);
  reader.get("max_radius", about.max_radius);
  reader.get("radius", about.radius);
  reader.get("kernel", about.kernel);
}

std::string line_of(const Fact& fact) {
  return std::visit(
      [&](const auto& value) {
        if constexpr (requires { value.begin(); } &&
                      !std::is_same_v<std::decay_t<decltype(value)>, std::string>)
          return fmt::format("{} = {}\n", fact.name, fmt::join(value, ", "));
        else
          return fmt::format("{} = {}\n", fact.name, value);
      },
      fact.value);
}

}  // namespace

std::vector<Fact> facts_of(const ResultAbout& about) {
  std::vector<Fact> facts{{"kind", name(about.kind)}, {"version", KITH_VERSION}};
  add_points(facts, about);
  add_kind(facts, about);
  add_universe(facts, about);
  return facts;
}

ResultAbout about_of(const FactSource& source, const std::string& where) {
  const Reader reader(source, where);
  ResultAbout about;
  const std::string kind = reader.text("kind");
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](ResultKind each) { return kind == name(each); });
  if (found == std::end(kKinds))
    fail(ErrorCode::io, "{}: a result of kind {}, which this version does not know", where, kind);
  about.kind = *found;
  reader.get("version", about.version);
  read_points(reader, where, about);
  read_universe(reader, about);
  read_options(reader, about);
  return about;
}

std::string lines_of(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    std::string line = line_of(fact);
    // A file's name may hold anything; a line may not hold another.
    std::replace_if(
        line.begin(), line.end() - 1, [](char c) { return static_cast<unsigned char>(c) < 0x20; },
        '?');
    text += line;
  }
  return text;
}

FactLines::FactLines(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (const std::size_t sign = line.find(" = "); sign != std::string::npos)
      values_[line.substr(0, sign)] = line.substr(sign + 3);
    begin = end + 1;
  }
}

std::optional<std::string> FactLines::text(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::vector<double>> FactLines::numbers(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  std::vector<double> numbers;
  const char* next = found->second.data();
  const char* end = next + found->second.size();
  while (next < end) {
    double number = 0;
    const auto [after, error] = std::from_chars(next, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    next = after;
    while (next < end && (*next == ',' || *next == ' ')) ++next;
  }
  return numbers;
}

}  // namespace io
}  // namespace kith
