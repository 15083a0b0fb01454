#include "unit_text.hpp"

#include <fmt/format.h>

namespace kith::cli {

std::string box_name(const Box& box, int dimension, const Units& units) {
  if (!box.is_periodic()) return "open";
  bool is_cube = true;
  std::string text;
  for (int axis = 0; axis < dimension; ++axis) {
    is_cube = is_cube && box.side(axis) == box.side(0);
    text += fmt::format("{}{:.6g}", axis == 0 ? "" : " x ", box.side(axis));
  }
  if (is_cube) text = fmt::format("{:.6g}", box.side(0));
  const std::string unit = unit_name(units, {.length = 1});
  return unit.empty() ? text : text + " " + unit;
}

std::string with_unit(double number, const Units& units, const UnitPowers& powers) {
  std::string unit = unit_name(units, powers);
  if (const std::size_t space = unit.find(' ');
      unit.starts_with("1e") && space != std::string::npos) {
    number *= std::stod(unit.substr(0, space));  // "1e10 Msun/h"
    unit.erase(0, space + 1);
  }
  return fmt::format("{:.6g}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::string unit_note(const Units& units, const UnitPowers& powers) {
  const std::string unit = unit_name(units, powers);
  return unit.empty() ? unit : " [" + unit + "]";
}

}  // namespace kith::cli
