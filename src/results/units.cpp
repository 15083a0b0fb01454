// Units in words.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include <kith/io/results.hpp>

#include "files/known_units.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// Codes differ in the fourth digit of a parsec and of the Sun.
constexpr double kTolerance = 2e-3;

/// The largest known unit of which the number is a power of ten times as large, from 1 on.
template <std::size_t N>
std::string name_of(double cgs, const io::KnownUnit (&known)[N]) {
  if (!(cgs > 0)) return "";
  for (const io::KnownUnit& unit : known) {
    const double ratio = cgs / unit.cgs;
    const double power = std::round(std::log10(ratio));
    if (power < 0 || std::abs(ratio / std::pow(10, power) - 1) > kTolerance) continue;
    return power == 0 ? unit.name : fmt::format("1e{:.0f} {}", power, unit.name);
  }
  for (const io::KnownUnit& unit : known)
    if (cgs >= unit.cgs) return fmt::format("({:.6g} {})", cgs / unit.cgs, unit.name);
  return fmt::format("({:.6g} {})", cgs, known[N - 1].name);
}

void multiply(std::string& product, const std::string& unit, int power) {
  if (power == 0) return;
  const bool is_simple = unit.find_first_of(" /") == std::string::npos;
  const std::string base = power != 1 && !is_simple ? "(" + unit + ")" : unit;
  if (!product.empty()) product += " ";
  product += power == 1 ? base : fmt::format("{}^{}", base, power);
}

}  // namespace

std::string unit_name(const Units& units, const UnitPowers& powers) {
  return public_call("unit_name", [&] {
    const std::string per_h = units.is_per_h ? "/h" : "";
    const std::string length = name_of(units.length, io::kLengths);
    const std::string mass = name_of(units.mass, io::kMasses);
    const std::string velocity = name_of(units.velocity, io::kVelocities);
    // One that is not known leaves the whole without a name.
    if ((powers.length != 0 && length.empty()) || (powers.mass != 0 && mass.empty()) ||
        (powers.velocity != 0 && velocity.empty()))
      return std::string();
    std::string product;
    multiply(product, mass + per_h, powers.mass);
    multiply(product, length + per_h, powers.length);
    multiply(product, velocity, powers.velocity);
    return product;
  });
}

}  // namespace kith
