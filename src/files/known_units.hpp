// Units that have names, largest first, and constants; all in cgs.
#pragma once

namespace kith::io {

inline constexpr double kMegaparsec = 3.0856775814913673e24, kKmPerS = 1e5;
inline constexpr double kGravity = 6.6743e-8;

struct KnownUnit {
  const char* name;
  double cgs;
};

inline constexpr KnownUnit kLengths[] = {{"Mpc", kMegaparsec},
                                         {"kpc", 3.0856775814913673e21},
                                         {"pc", 3.0856775814913673e18},
                                         {"AU", 1.495978707e13},
                                         {"km", 1e5},
                                         {"m", 100},
                                         {"cm", 1}};
inline constexpr KnownUnit kMasses[] = {{"Msun", 1.98841e33}, {"kg", 1000}, {"g", 1}};
inline constexpr KnownUnit kVelocities[] = {{"km/s", kKmPerS}, {"m/s", 100}, {"cm/s", 1}};

}  // namespace kith::io
