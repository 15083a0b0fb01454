#include "sample/line_transform.hpp"

#include "sample/elementary.hpp"

namespace kith::sample {
namespace {

using Complex = LineTransform::Complex;

/// Not operator*, which also looks for infinities.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The first factor of n among `radix` and those after it: 4, 2, 3, 5, 7, ..., or n itself if it is
/// prime.
std::size_t next_radix(std::size_t radix, std::size_t n) {
  while (n % radix != 0) {
    radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
    if (radix * radix > n) radix = n;
  }
  return radix;
}

}  // namespace

LineTransform::LineTransform(std::size_t n, Direction direction) : direction_(direction) {
  const double sign = direction == Direction::forward ? -1 : 1;
  for (std::size_t j = 0; j < n; ++j) {
    const CirclePoint root = circle_point(sign * static_cast<double>(j) / static_cast<double>(n));
    roots_.emplace_back(static_cast<float>(root.cosine), static_cast<float>(root.sine));
  }
  std::size_t radix = 4;
  do {
    radix = next_radix(radix, n);
    n /= radix;
    stages_.push_back({radix, n});
  } while (n > 1);
}

void LineTransform::run(const Complex* in, Complex* out) const { transform(0, 1, in, out); }

/// Every stride-th number of `in`: those of equal remainder by the radix one after the other, then
/// together.
void LineTransform::transform(std::size_t depth, std::size_t stride, const Complex* in,
                              Complex* out) const {
  const Stage stage = stages_[depth];
  if (stage.part == 1)
    for (std::size_t q = 0; q < stage.radix; ++q) out[q] = in[q * stride];
  else
    for (std::size_t q = 0; q < stage.radix; ++q)
      transform(depth + 1, stride * stage.radix, in + q * stride, out + q * stage.part);
  switch (stage.radix) {
    case 2: return combine2(stage.part, stride, out);
    case 3: return combine3(stage.part, stride, out);
    case 4: return combine4(stage.part, stride, out);
    default: return combine_any(stage, stride, out);
  }
}

void LineTransform::combine2(std::size_t part, std::size_t stride, Complex* out) const {
  for (std::size_t k = 0; k < part; ++k) {
    const Complex a = out[k];
    const Complex b = times(out[k + part], roots_[k * stride]);
    out[k] = a + b;
    out[k + part] = a - b;
  }
}

void LineTransform::combine3(std::size_t part, std::size_t stride, Complex* out) const {
  const float sine = roots_[stride * part].imag();  // of a third of a turn
  for (std::size_t k = 0; k < part; ++k) {
    const Complex a = out[k];
    const Complex b = times(out[k + part], roots_[k * stride]);
    const Complex c = times(out[k + 2 * part], roots_[2 * k * stride]);
    const Complex sum = b + c;
    const Complex turned = (b - c) * sine;
    const Complex middle = a - sum * 0.5F;
    out[k] = a + sum;
    out[k + part] = {middle.real() - turned.imag(), middle.imag() + turned.real()};
    out[k + 2 * part] = {middle.real() + turned.imag(), middle.imag() - turned.real()};
  }
}

void LineTransform::combine4(std::size_t part, std::size_t stride, Complex* out) const {
  const bool is_forward = direction_ == Direction::forward;
  for (std::size_t k = 0; k < part; ++k) {
    const Complex b = times(out[k + part], roots_[k * stride]);
    const Complex c = times(out[k + 2 * part], roots_[2 * k * stride]);
    const Complex d = times(out[k + 3 * part], roots_[3 * k * stride]);
    const Complex even = out[k] + c, odd = out[k] - c;
    const Complex sum = b + d, difference = b - d;
    const Complex clockwise(odd.real() + difference.imag(), odd.imag() - difference.real());
    const Complex counterclockwise(odd.real() - difference.imag(), odd.imag() + difference.real());
    out[k] = even + sum;
    out[k + part] = is_forward ? clockwise : counterclockwise;
    out[k + 2 * part] = even - sum;
    out[k + 3 * part] = is_forward ? counterclockwise : clockwise;
  }
}

/// Any other radix: the sums as they are defined.
void LineTransform::combine_any(Stage stage, std::size_t stride, Complex* out) const {
  std::vector<Complex> part(stage.radix);
  for (std::size_t k = 0; k < stage.part; ++k) {
    for (std::size_t q = 0; q < stage.radix; ++q) part[q] = out[k + q * stage.part];
    for (std::size_t i = k; i < stage.radix * stage.part; i += stage.part) {
      Complex sum = part[0];
      std::size_t turn = 0;
      for (std::size_t q = 1; q < stage.radix; ++q) {
        turn += stride * i;
        if (turn >= roots_.size()) turn -= roots_.size();
        sum += times(part[q], roots_[turn]);
      }
      out[i] = sum;
    }
  }
}

}  // namespace kith::sample
