// Positive numbers with a separate exponent, for products and quotients that may lie outside the
// range of a double although their root does not: the volume of a box of side 1e200.
#pragma once

#include <cmath>

namespace kith {

class WideNumber {
 public:
  explicit WideNumber(double value) : mantissa_(std::frexp(value, &exponent_)) {}

  WideNumber& operator*=(double factor) { return *this = {mantissa_ * factor, exponent_}; }
  WideNumber& operator/=(double divisor) {
    const WideNumber other(divisor);
    return *this = {mantissa_ / other.mantissa_, exponent_ - other.exponent_};
  }

  double root(int n) const {
    const int rest = ((exponent_ % n) + n) % n;
    return std::ldexp(std::pow(std::ldexp(mantissa_, rest), 1.0 / n), (exponent_ - rest) / n);
  }

 private:
  WideNumber(double value, int exponent) : WideNumber(value) { exponent_ += exponent; }

  int exponent_ = 0;
  double mantissa_;
};

}  // namespace kith
