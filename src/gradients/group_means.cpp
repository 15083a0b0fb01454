// Means over the members of groups, and the soft mass function.
#include <algorithm>
#include <cmath>

#include <kith/gradients.hpp>

#include "base/fail.hpp"
#include "groups/columns.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// Adds in the order of the members; blocks of them first, so that long sums stay accurate.
constexpr std::size_t kBlock = 4096;

template <class Term>
double sum_of(std::span<const std::uint32_t> members, Term term) {
  double total = 0;
  for (std::size_t begin = 0; begin < members.size(); begin += kBlock) {
    double part = 0;
    const std::size_t end = std::min(begin + kBlock, members.size());
    for (std::size_t i = begin; i < end; ++i) part += term(members[i]);
    total += part;
  }
  return total;
}

/// Weights of a group's members that add up to 1: shares of its mass, or equal ones if it has none.
class Shares {
 public:
  Shares(std::span<const std::uint32_t> members, const ValueReader& mass)
      : mass_(mass), total_(sum_of(members, mass)), count_(static_cast<double>(members.size())) {}
  double operator()(std::uint32_t i) const { return total_ > 0 ? mass_(i) / total_ : 1 / count_; }

 private:
  const ValueReader& mass_;
  double total_, count_;
};

void check(const char* call, std::size_t size, std::size_t expected, const Members& members,
           const ValuesView& mass, const Workers& workers) {
  check_members(call, members, members.order.size(), workers);
  if (size != expected) refuse("{}: {} numbers, expected {}", call, size, expected);
  check_values(call, "mass", mass, members.order.size(), workers);
}

/// body(group, its members, their shares) for all groups.
template <class Body>
void over_groups(const Members& members, const ValuesView& mass, const Workers& workers,
                 Body body) {
  const ValueReader read(mass);
  workers.for_ranges(members.count(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      const auto of = members.of(group);
      body(group, of, Shares(of, read));
    }
  });
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logistic_slope(double x) {
  const double s = logistic(x);
  return s * (1 - s);
}

void check(const SoftMassFunctionOptions& options) {
  if (options.edge.size() < 2)
    refuse("soft_mass_function: {} edges; a bin has two", options.edge.size());
  for (std::size_t i = 0; i < options.edge.size(); ++i)
    if (!(options.edge[i] > (i == 0 ? 0 : options.edge[i - 1])))
      refuse("soft_mass_function: edge {} is {}; edges are positive and rise", i, options.edge[i]);
  if (!(options.width > 0))
    refuse("soft_mass_function: width = {}; give a positive one", options.width);
}

/// visit(halo, bin, d count / d mass) for all halos of positive mass.
template <class Visit>
void visit_slopes(std::span<const double> mass, const SoftMassFunctionOptions& options,
                  Visit visit) {
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (!(mass[i] > 0)) continue;
    double before = 0;
    for (std::size_t edge = 0; edge < options.edge.size(); ++edge) {
      const double u = std::log(mass[i] / options.edge[edge]) / options.width;
      const double slope = logistic_slope(u) / (options.width * mass[i]);
      if (edge > 0) visit(i, edge - 1, before - slope);
      before = slope;
    }
  }
}

}  // namespace

std::vector<double> group_means(const Members& members, std::span<const double> values,
                                std::size_t width, ValuesView mass, const Execution& execution) {
  return public_call("group_means", execution, [&](Workers& workers) {
    check("group_means", values.size(), members.order.size() * width, members, mass, workers);
    std::vector<double> out(members.count() * width);
    over_groups(members, mass, workers, [&](std::size_t group, auto of, const Shares& share) {
      for (std::size_t column = 0; column < width; ++column)
        out[group * width + column] =
            sum_of(of, [&](std::uint32_t i) { return share(i) * values[i * width + column]; });
    });
    return out;
  });
}

std::vector<double> group_means_vjp(const Members& members, std::span<const double> cotangent,
                                    std::size_t width, ValuesView mass,
                                    const Execution& execution) {
  return public_call("group_means_vjp", execution, [&](Workers& workers) {
    check("group_means_vjp", cotangent.size(), members.count() * width, members, mass, workers);
    std::vector<double> out(members.order.size() * width);
    over_groups(members, mass, workers, [&](std::size_t group, auto of, const Shares& share) {
      for (const std::uint32_t i : of)
        for (std::size_t column = 0; column < width; ++column)
          out[i * width + column] = share(i) * cotangent[group * width + column];
    });
    return out;
  });
}

std::vector<double> soft_mass_function(std::span<const double> mass,
                                       const SoftMassFunctionOptions& options) {
  return public_call("soft_mass_function", [&] {
    check(options);
    std::vector<double> count(options.edge.size() - 1);
    for (const double m : mass) {
      if (!(m > 0)) continue;
      double before = 0;
      for (std::size_t edge = 0; edge < options.edge.size(); ++edge) {
        const double above = logistic(std::log(m / options.edge[edge]) / options.width);
        if (edge > 0) count[edge - 1] += before - above;
        before = above;
      }
    }
    return count;
  });
}

std::vector<double> soft_mass_function_vjp(std::span<const double> mass,
                                           const SoftMassFunctionOptions& options,
                                           std::span<const double> cotangent) {
  return public_call("soft_mass_function", [&] {
    check(options);
    if (cotangent.size() + 1 != options.edge.size())
      refuse("soft_mass_function_vjp: {} cotangents for {} bins", cotangent.size(),
             options.edge.size() - 1);
    std::vector<double> out(mass.size());
    visit_slopes(mass, options, [&](std::size_t halo, std::size_t bin, double slope) {
      out[halo] += slope * cotangent[bin];
    });
    return out;
  });
}

std::vector<double> soft_mass_function_jvp(std::span<const double> mass,
                                           const SoftMassFunctionOptions& options,
                                           std::span<const double> tangent) {
  return public_call("soft_mass_function", [&] {
    check(options);
    if (tangent.size() != mass.size())
      refuse("soft_mass_function_jvp: {} tangents for {} masses", tangent.size(), mass.size());
    std::vector<double> out(options.edge.size() - 1);
    visit_slopes(mass, options, [&](std::size_t halo, std::size_t bin, double slope) {
      out[bin] += slope * tangent[halo];
    });
    return out;
  });
}

}  // namespace kith
