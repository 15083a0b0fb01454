#include "results/about.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <fmt/ranges.h>
#include <utility>

#include <kith/io/result_facts.hpp>
#include <kith/version.hpp>

#include "base/fail.hpp"
#include "base/sides.hpp"
#include "files/number.hpp"

namespace kith {

const char* name(ResultKind kind) {
  switch (kind) {
    case ResultKind::fof: return "fof";
    case ResultKind::subhalos: return "subhalos";
    case ResultKind::knn: return "knn";
    case ResultKind::radius: return "radius";
    case ResultKind::density: return "density";
    case ResultKind::clusters: return "clusters";
    case ResultKind::match: return "match";
  }
  return "?";
}

namespace io {
namespace {

constexpr ResultKind kKinds[] = {ResultKind::fof,    ResultKind::subhalos, ResultKind::knn,
                                 ResultKind::radius, ResultKind::density,  ResultKind::clusters,
                                 ResultKind::match};
constexpr Scalar kScalars[] = {Scalar::float32, Scalar::float64};

const char* name_of(Scalar scalar) { return scalar == Scalar::float32 ? "float32" : "float64"; }

/// A field as what files can hold: words, numbers, whole numbers, and lists of them.
struct FactMaker {
  int dimension;
  std::vector<Fact>& facts;

  void operator()(const ResultFact& fact, const Box& box) const {
    facts.push_back({fact.name, on_axes(box, dimension, &Box::side)});
    facts.push_back({"origin", on_axes(box, dimension, &Box::origin)});
  }
  void operator()(const ResultFact& fact, ResultKind kind) const {
    facts.push_back({fact.name, name(kind)});
  }
  void operator()(const ResultFact& fact, Scalar scalar) const {
    facts.push_back({fact.name, name_of(scalar)});
  }
  void operator()(const ResultFact& fact, const std::string& text) const {
    facts.push_back({fact.name, text});
  }
  void operator()(const ResultFact& fact, double number) const {
    facts.push_back({fact.name, number});
  }
  template <std::integral T>
  void operator()(const ResultFact& fact, T number) const {
    facts.push_back({fact.name, static_cast<std::int64_t>(number)});
  }
  template <std::integral T>
  void operator()(const ResultFact& fact, const std::vector<T>& list) const {
    facts.push_back({fact.name, std::vector<std::int64_t>(list.begin(), list.end())});
  }
};

/// Reads facts into fields; those that are not there keep what the field had.
class FactReader {
 public:
  FactReader(const FactSource& source, const std::string& where, ResultAbout& about)
      : source_(source), where_(where), about_(about) {}

  void operator()(const ResultFact& fact, ResultKind& kind) const {
    choose(fact.name, kind, kKinds, [](ResultKind each) { return name(each); });
  }
  void operator()(const ResultFact& fact, Scalar& scalar) const {
    choose(fact.name, scalar, kScalars, name_of);
  }
  /// Behind the dimension, which says how many sides there are.
  void operator()(const ResultFact& fact, Box& box) const {
    if (about_.dimension < 1 || about_.dimension > kMaxDimension)
      fail(ErrorCode::io, "{}: dimension = {}; it is not a result of kith", where_,
           about_.dimension);
    const auto dimension = static_cast<std::size_t>(about_.dimension);
    try {
      box = Box::periodic(list(fact.name, dimension)).with_origin(list("origin", dimension));
    } catch (const Error& error) {
      fail(ErrorCode::io, "{}: {}", where_, error.what());
    }
  }
  void operator()(const ResultFact& fact, std::string& text) const {
    text = source_.text(fact.name).value_or(text);
  }
  void operator()(const ResultFact& fact, double& number) const {
    const auto found = source_.numbers(fact.name);
    if (found && !found->empty()) number = found->front();
  }
  template <std::integral T>
  void operator()(const ResultFact& fact, T& number) const {
    const auto found = source_.numbers(fact.name);
    if (found && !found->empty()) number = count<T>(fact.name, found->front());
  }
  template <std::integral T>
  void operator()(const ResultFact& fact, std::vector<T>& field) const {
    const auto found = source_.numbers(fact.name);
    if (!found) return;
    field.clear();
    for (const double number : *found) field.push_back(count<T>(fact.name, number));
  }

 private:
  /// The value whose word the file has; an unknown word is an error.
  template <class Enum, std::size_t N, class Name>
  void choose(const char* fact, Enum& field, const Enum (&values)[N], Name name_of_value) const {
    const auto word = source_.text(fact);
    if (!word)
      fail(ErrorCode::io, "{}: does not state its {}; it is not a result of kith", where_, fact);
    for (const Enum value : values) {
      if (*word != name_of_value(value)) continue;
      field = value;
      return;
    }
    fail(ErrorCode::io, "{}: {} = {}, which this version of kith does not know", where_, fact,
         word->substr(0, 40));
  }
  std::vector<double> list(const std::string& name, std::size_t size) const {
    auto found = source_.numbers(name).value_or(std::vector<double>(size));
    if (found.size() != size)
      fail(ErrorCode::io, "{}: {} numbers for {}; {} were expected", where_, found.size(), name,
           size);
    return found;
  }
  /// Doubles hold all whole numbers up to 2^53.
  template <std::integral T>
  T count(const std::string& name, double number) const {
    const auto found = number <= 0x1p53 ? whole_number<T>(number) : std::nullopt;
    if (!found || number < 0)
      fail(ErrorCode::io, "{}: {} = {} is not a count", where_, name, number);
    return *found;
  }
  const FactSource& source_;
  const std::string& where_;
  ResultAbout& about_;
};

/// No format has more; types are bytes elsewhere.
void check_types(const ResultAbout& about, const std::string& where) {
  constexpr int kMost = 256;
  int most = about.type_numbers - 1;
  std::size_t longest = 0;
  for (const auto* types :
       {&about.types, &about.link_types, &about.attach_types, &about.contaminating_types}) {
    for (const int type : *types) most = std::max(most, type);
    longest = std::max(longest, types->size());
  }
  if (most >= kMost || longest > kMost)
    fail(ErrorCode::io, "{}: {} types of particles up to number {}; results have types 0 to {}",
         where, longest, most, kMost - 1);
}

void check_counts(const ResultAbout& about, const std::string& where) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : about.counts) sum += count;
  if (about.counts.size() != about.types.size() || (!about.counts.empty() && sum != about.points))
    fail(ErrorCode::io, "{}: {} points, but the types add up to {}", where, about.points, sum);
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

std::vector<Fact> facts_of(const ResultAbout& given) {
  ResultAbout about = given;
  about.version = KITH_VERSION;
  std::vector<Fact> facts;
  for_each_fact(std::as_const(about), [&](const ResultFact& fact, const auto& field) {
    if (has_fact(about, fact)) FactMaker{about.dimension, facts}(fact, field);
  });
  return facts;
}

ResultAbout about_of(const FactSource& source, const std::string& where) {
  ResultAbout about;
  for_each_fact(about, FactReader(source, where, about));
  check_types(about, where);
  check_counts(about, where);
  return about;
}

std::string lines_of(std::span<const Fact> facts) {
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
