// Logarithm, exponential and circle functions from additions and multiplications alone.
//
// The C library picks its versions by the processor at run time (with or without fused
// multiply-add), and they differ in the last bit. A sample must have the same bits on every
// machine, so it uses these: correct to a few units in the last place of a double, which is more
// than a float32 result needs.
#pragma once

namespace kith::sample {

double natural_log(double x);             ///< x > 0, normal and finite
double exponential(double x);             ///< |x| < 700
double power(double x, double exponent);  ///< x >= 0; 0 for x = 0

struct CirclePoint {
  double cosine;
  double sine;
};

/// The point of the unit circle after `turns` of full turns; |turns| < 2^50.
CirclePoint circle_point(double turns);

/// The sine of an angle in radians, |angle| < 2^30.
double sine(double angle);

}  // namespace kith::sample
