// Neighbors and densities against brute force.
#include <fmt/format.h>
#include <numbers>

#include <kith/density.hpp>
#include <kith/sky.hpp>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

/// A neighbor by the key of the norm: for p = 2 the squared distance.
struct Near {
  double key;
  std::size_t index;
  bool operator<(const Near& other) const {
    return key < other.key || (key == other.key && index < other.index);
  }
};

/// The conditions for a neighbor, and the norm.
struct Question {
  double p = 2;
  double limit = std::numeric_limits<double>::infinity();  ///< of the key
  bool is_strict = false;
  bool exclude_self = false;
  std::size_t k = 0;    ///< only the first k; 0 = all
  bool is_sky = false;  ///< distances are angles in degrees

  bool admits(double key) const { return is_strict ? key < limit : key <= limit; }
};

/// The first k of the added points.
class Nearest {
 public:
  explicit Nearest(const Question& question) : question_(question) {}
  void add(double key, std::size_t index) {
    if (!question_.admits(key) || key > bound_) return;
    all_.push_back({key, index});
    // Now and then, what cannot be among the first k goes.
    if (question_.k == 0 || all_.size() < 4 * question_.k + 64) return;
    std::nth_element(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(question_.k),
                     all_.end());
    all_.resize(question_.k);
    bound_ = std::max_element(all_.begin(), all_.end())->key;
  }
  std::vector<Near> sorted() {
    std::sort(all_.begin(), all_.end());
    if (question_.k > 0 && all_.size() > question_.k) all_.resize(question_.k);
    return std::move(all_);
  }

 private:
  const Question& question_;
  std::vector<Near> all_;
  double bound_ = std::numeric_limits<double>::infinity();
};

template <class T>
std::vector<Near> neighbors_of(const BruteForce<T>& brute, std::size_t i,
                               const Question& question) {
  Nearest nearest(question);
  if (question.p == 2)
    brute.for_all(brute.place(i), [&](std::size_t first, std::size_t count, const T* d2) {
      for (std::size_t k = 0; k < count; ++k)
        if (!question.exclude_self || first + k != i)
          nearest.add(static_cast<double>(d2[k]), first + k);
    });
  else
    for (std::size_t j = 0; j < brute.size(); ++j)
      if (!question.exclude_self || j != i) nearest.add(brute.norm_key(i, j, question.p), j);
  return nearest.sorted();
}

/// The distance that a result has for a key.
template <class T>
double distance_of(const BruteForce<T>& brute, const Question& question, double key) {
  const double length{brute.norm_length(key, question.p)};
  return question.is_sky ? sky::angle(length) : length;
}

/// Compares a row of a result with the expected one; longer rows end in -1 and infinity.
template <class T>
std::string compare(const BruteForce<T>& brute, std::size_t i, const Question& question,
                    const std::vector<Near>& expected, std::span<const std::int64_t> index,
                    std::span<const double> distance) {
  for (std::size_t rank = 0; rank < index.size(); ++rank) {
    const bool has_rank = rank < expected.size();
    const std::int64_t right = has_rank ? static_cast<std::int64_t>(expected[rank].index) : -1;
    const double far = has_rank ? distance_of(brute, question, expected[rank].key)
                                : std::numeric_limits<double>::infinity();
    if (index[rank] != right)
      return fmt::format("neighbor {} of point {} is {}, not {}", rank, i, right, index[rank]);
    if (distance[rank] != far)
      return fmt::format("neighbor {} of point {} is at {}, not {}", rank, i, far, distance[rank]);
  }
  if (expected.size() > index.size())
    return fmt::format("point {} has {} neighbors, not {}", i, expected.size(), index.size());
  return "";
}

/// Checks of a row that need no other points: distances and their order.
template <class T>
std::string check_row(const BruteForce<T>& brute, std::size_t i, const Question& question,
                      std::span<const std::int64_t> index, std::span<const double> distance) {
  Near before{-1, 0};
  for (std::size_t rank = 0; rank < index.size(); ++rank) {
    if (index[rank] == -1 && std::isinf(distance[rank])) {
      before = {std::numeric_limits<double>::infinity(), 0};
      continue;
    }
    if (index[rank] < 0 || static_cast<std::size_t>(index[rank]) >= brute.size())
      return fmt::format("neighbor {} of point {} is {}, and there are {} points", rank, i,
                         index[rank], brute.size());
    const auto j = static_cast<std::size_t>(index[rank]);
    const Near near{brute.norm_key(i, j, question.p), j};
    const double far = distance_of(brute, question, near.key);
    if (distance[rank] != far)
      return fmt::format("neighbor {} of point {} is at {}, not {}", rank, i, far, distance[rank]);
    if (!question.admits(near.key) || (question.exclude_self && j == i) ||
        (rank > 0 && !(before < near)))
      return fmt::format("neighbor {} of point {} is out of order, or none", rank, i);
    before = near;
  }
  return "";
}

double kernel(SphKernel kind, double q, int dimension) {
  const double p = 1 - q;
  if (kind == SphKernel::cubic_spline) return q < 0.5 ? 1 - 6 * q * q * (1 - q) : 2 * p * p * p;
  return dimension == 1 ? p * p * p * (1 + 3 * q) : p * p * p * p * (1 + 4 * q);
}

double normalization(SphKernel kind, int dimension) {
  constexpr double pi = std::numbers::pi;
  const bool is_spline = kind == SphKernel::cubic_spline;
  if (dimension == 1) return is_spline ? 4.0 / 3 : 1.25;
  if (dimension == 2) return is_spline ? 40 / (7 * pi) : 7 / pi;
  return is_spline ? 8 / pi : 21 / (2 * pi);
}

/// The kernel that the result names; an unknown word is an error.
SphKernel kernel_named(const std::string& word) {
  for (const SphKernel kind : {SphKernel::cubic_spline, SphKernel::wendland_c2})
    if (word == name(kind)) return kind;
  throw Mismatch(fmt::format("the kernel {} is not known; there are {} and {}", printable(word),
                             name(SphKernel::cubic_spline), name(SphKernel::wendland_c2)));
}

void check_shape(const ResultFile& result, const std::string& name, std::size_t rows) {
  if (result.rows(name) != rows)
    throw Mismatch(fmt::format("{} has {} rows for {} points", name, result.rows(name), rows));
}

}  // namespace

namespace {

/// Some thousand rows at a time: check(first row, its rows) on all threads.
void in_pieces(Verification& v, const char* stage, std::size_t rows, std::string& complaint,
               const std::function<std::string(std::size_t begin, std::size_t end)>& check) {
  constexpr std::size_t kPiece = 4096;
  complaint =
      first_complaint(stage, (rows + kPiece - 1) / kPiece, v.execution(), [&](std::size_t piece) {
        const std::size_t begin = piece * kPiece;
        return check(begin, std::min(begin + kPiece, rows));
      });
}

template <class T>
Question question_of(const BruteForce<T>& brute, const ResultAbout& about, double length) {
  Question question{.p = about.p, .exclude_self = about.exclude_self, .is_sky = !about.sky.empty()};
  if (length > 0 || about.kind == ResultKind::radius) {
    question.limit = brute.norm_limit(length, about.p);
    question.is_strict = about.strict;
  }
  return question;
}

}  // namespace

void verify_knn(Verification& v) {
  const std::size_t n = v.input.size();
  for (const char* array : {"index", "distance"}) check_shape(v.result, array, n);
  const std::size_t k = v.result.width("index");
  if (k != v.about().k || v.result.width("distance") != k)
    throw Mismatch(fmt::format("rows of {} neighbors, not {}", k, v.about().k));
  Numbers positions = v.input.positions(v.execution());
  const Indices chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  with_brute_force(v.input, positions, [&](const auto& brute) {
    Question question = question_of(brute, v.about(), v.about().max_radius);
    question.k = k;
    std::string complaint;
    in_pieces(v, "distances", n, complaint, [&](std::size_t begin, std::size_t end) {
      const auto index = v.result.integers("index", begin, end - begin);
      const auto distance = v.result.numbers("distance", begin, end - begin);
      for (std::size_t i = begin; i < end; ++i) {
        std::string text =
            check_row(brute, i, question, std::span(index).subspan((i - begin) * k, k),
                      std::span(distance).subspan((i - begin) * k, k));
        if (!text.empty()) return text;
      }
      return std::string();
    });
    v.settle(fmt::format("distances and order of all {}", counted(n, "row", "rows")), complaint);
    v.settle(
        fmt::format("the {} nearest neighbors of {}", k, counted(chosen.size(), "point", "points")),
        first_complaint("neighbors", chosen.size(), v.execution(),
                        [&](std::size_t s) {
                          const std::size_t i = chosen[s];
                          const auto index = v.result.integers("index", i, 1);
                          const auto distance = v.result.numbers("distance", i, 1);
                          return compare(brute, i, question, neighbors_of(brute, i, question),
                                         index, distance);
                        }),
        {"index", "distance"});
  });
}

void verify_radius(Verification& v) {
  const std::size_t n = v.input.size();
  check_shape(v.result, "offset", n + 1);
  const std::vector<std::int64_t> offset = v.result.integers("offset");
  std::string complaint = offset[0] == 0 ? "" : fmt::format("offset 0 is {}, not 0", offset[0]);
  for (std::size_t i = 0; complaint.empty() && i < n; ++i)
    if (offset[i] > offset[i + 1])
      complaint = fmt::format("offset {} is {} and the next {}", i, offset[i], offset[i + 1]);
  v.settle(fmt::format("offsets of all {}", counted(n, "list", "lists")), complaint);
  for (const char* array : {"index", "distance"})
    check_shape(v.result, array, static_cast<std::size_t>(offset[n]));
  Numbers positions = v.input.positions(v.execution());
  const Indices chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  with_brute_force(v.input, positions, [&](const auto& brute) {
    const Question question = question_of(brute, v.about(), v.about().radius);
    const auto list = [&](std::size_t i, std::size_t j) {
      const auto begin = static_cast<std::size_t>(offset[i]);
      const auto count = static_cast<std::size_t>(offset[j]) - begin;
      return std::pair(v.result.integers("index", begin, count),
                       v.result.numbers("distance", begin, count));
    };
    in_pieces(v, "distances", n, complaint, [&](std::size_t begin, std::size_t end) {
      const auto [index, distance] = list(begin, end);
      for (std::size_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(offset[i] - offset[begin]);
        const auto count = static_cast<std::size_t>(offset[i + 1] - offset[i]);
        std::string text = check_row(brute, i, question, std::span(index).subspan(at, count),
                                     std::span(distance).subspan(at, count));
        if (!text.empty()) return text;
      }
      return std::string();
    });
    v.settle(fmt::format("distances and order of all {}", counted(n, "list", "lists")), complaint);
    v.settle(fmt::format("all neighbors within {:g} of {}", v.about().radius,
                         counted(chosen.size(), "point", "points")),
             first_complaint("neighbors", chosen.size(), v.execution(),
                             [&](std::size_t s) {
                               const std::size_t i = chosen[s];
                               const auto [index, distance] = list(i, i + 1);
                               return compare(brute, i, question, neighbors_of(brute, i, question),
                                              index, distance);
                             }),
             {"offset", "index", "distance"});
  });
}

void verify_density(Verification& v) {
  constexpr double kTolerance = 1e-12;  // sums in another order
  const std::size_t n = v.input.size();
  for (const char* array : {"density", "smoothing_length"}) check_shape(v.result, array, n);
  Numbers positions = v.input.positions(v.execution());
  const Numbers masses = v.input.masses(v.execution());
  const ValuesView mass = v.input.mass_values(masses);
  const Indices chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  const int dimension = v.about().dimension;
  const SphKernel kind = kernel_named(v.about().kernel);
  const double factor = normalization(kind, dimension);
  const auto is_same = [&](double right, double found) {
    return right == found || std::abs(found - right) <= kTolerance * right ||
           (std::isnan(right) && std::isnan(found));
  };
  with_brute_force(v.input, positions, [&](const auto& brute) {
    const Question question{.k = v.about().k};
    const std::string complaint =
        first_complaint("densities", chosen.size(), v.execution(), [&](std::size_t s) {
          const std::size_t i = chosen[s];
          const std::vector<Near> near = neighbors_of(brute, i, question);
          const double h = near.empty() ? 0 : double{brute.norm_length(near.back().key, 2)};
          double sum = 0;
          for (const Near& each : near) {
            const double q = h > 0 ? double{brute.norm_length(each.key, 2)} / h : 0;
            sum += kernel(kind, q, dimension) * (mass.data ? masses[each.index] : mass.same);
          }
          const double right = factor * sum / std::pow(h, dimension);
          const double found = v.result.numbers("density", i, 1)[0];
          if (!is_same(right, found))
            return fmt::format("the density at point {} is {}, not {}", i, right, found);
          const double length = v.result.numbers("smoothing_length", i, 1)[0];
          return length == h
                     ? std::string()
                     : fmt::format("the smoothing length of point {} is {}, not {}", i, h, length);
        });
    v.settle(fmt::format("densities at {}, to one part in 10^12, and smoothing lengths",
                         counted(chosen.size(), "point", "points")),
             complaint, {"density", "smoothing_length"});
  });
}

}  // namespace kith::cli
