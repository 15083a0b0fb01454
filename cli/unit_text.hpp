// Numbers and boxes with their units, for people.
#pragma once

#include <string>

#include <kith/io/results.hpp>

namespace kith::cli {

/// "100 Mpc/h" or "100 x 100 x 50", or "open".
std::string box_name(const Box& box, int dimension, const Units& units);

/// A number in few digits, with its unit.
std::string with_unit(double number, const Units& units, const UnitPowers& powers);

/// " [Mpc/h]", or nothing.
std::string unit_note(const Units& units, const UnitPowers& powers);

}  // namespace kith::cli
