// The facts in the comments at the beginning of Rockstar's text catalogues: "#Om = 0.3; Ol = 0.7;
// h = 0.7", "#a = 1.0", "#Box size: 62.5 Mpc/h". Units are always Mpc/h, Msun/h and km/s.
#include <cmath>

#include "files/known_units.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

/// The number behind `word` in a comment that begins with `start`; 0 if there is none.
double number_behind(std::string_view line, std::string_view start, std::string_view word) {
  if (!line.starts_with(start)) return 0;
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = line.substr(at + word.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  double value = 0;
  return parse_number(rest.substr(0, rest.find_first_of("; ")), value) && std::isfinite(value) &&
                 value > 0
             ? value
             : 0;
}

}  // namespace

void RockstarHeader::parse(std::string_view line) {
  is_found |= line.starts_with("#ID DescID ") || line.starts_with("#id num_p ");
  const auto keep = [](double& value, double found) {
    if (found > 0) value = found;
  };
  keep(scale_factor, number_behind(line, "#a = ", "a ="));
  keep(omega_m, number_behind(line, "#Om = ", "Om ="));
  keep(omega_lambda, number_behind(line, "#Om = ", "Ol ="));
  keep(h, number_behind(line, "#Om = ", "h ="));
  keep(side, number_behind(line, "#Box size: ", "size:"));
}

void RockstarHeader::apply(SnapshotInfo& info) const {
  if (!is_found) return;
  info.code = "Rockstar";
  info.units = {.length = kMegaparsec,
                .mass = 1.98841e33,
                .velocity = kKmPerS,
                .is_per_h = true,
                .is_comoving = true};
  if (side > 0 && info.dimension == 3) info.box = Box::periodic(side);
  if (!(omega_m > 0) || !(h > 0)) return;
  info.background = {.is_known = true,
                     .omega_m = omega_m,
                     .omega_lambda = omega_lambda,
                     .omega_b = 0,
                     .h = h,
                     .scale_factor = scale_factor,
                     .redshift = 1 / scale_factor - 1};
}

}  // namespace kith::io
