// The unit sphere: points from angles, and angles from chords, with the same bits on every machine.
//
// The C library picks its sin, cos and asin by the processor and changes them between versions; the
// last bits differ. These are made of operations that IEEE 754 rounds exactly (+ - * / and the
// square root), so positions on the sky, and all that follows from them, have the same bits
// everywhere. Errors: sine and cosine below 2^-52, angles from chords below 0.75 units of the last
// place (tests/geometry/sphere_test.cpp).
#pragma once

namespace kith {

/// The meaning of lengths between points: distances, or the angles of chords of the unit sphere.
enum class Measure { length, degrees, radians };

/// A point of the unit circle.
struct OnCircle {
  double cosine, sine;
};

/// At any finite angle. Quarter turns are removed exactly: 90 degrees is (0, 1), and angles that
/// differ by whole turns are one point.
OnCircle at_degrees(double angle);

/// At an angle of at most kMostRadians. The double next to pi / 2 is not a quarter turn, and its
/// cosine is not 0.
inline constexpr double kMostRadians = 1e6;
OnCircle at_radians(double angle);

/// The angle between two points of the unit sphere at this distance: 2 asin(chord / 2) in radians.
/// It never falls as the chord grows. Chords over 2, which rounding can make, count as 2; infinity
/// stays infinity, and NaN stays NaN.
double angle_of_chord(double chord);

/// A distance in this measure: itself, or the angle in this unit, rounded once more.
double measured(double distance, Measure measure);
/// The other way: 2 sin(angle / 2). Half a turn and more is the chord 3, longer than all others.
double distance_of(double measured, Measure measure);

}  // namespace kith
