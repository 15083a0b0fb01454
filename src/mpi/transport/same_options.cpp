#include "mpi/transport/same_options.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/fail.hpp"

namespace kith::mpi {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * kPrime; }

template <std::size_t kSize>
void copy_text(const char* from, char (&to)[kSize]) {
  const std::size_t length = std::min(std::strlen(from), kSize - 1);
  std::copy_n(from, length, to);
}

std::string text_of(const SameOptions::Option& option) {
  switch (option.kind) {
    case SameOptions::Kind::number: return formatted("{}", option.bits);
    case SameOptions::Kind::real: return formatted("{}", std::bit_cast<double>(option.bits));
    default: return option.text;
  }
}

bool is_equal(const SameOptions::Option& a, const SameOptions::Option& b) {
  return a.kind == b.kind && a.bits == b.bits && std::strcmp(a.name, b.name) == 0;
}

}  // namespace

void SameOptions::add_space(const PointsView& points, const Box& box) {
  add("dimension", static_cast<std::uint64_t>(points.dimension));
  add("type", points.scalar == Scalar::float32 ? "float32" : "float64");
  double numbers[2 * kMaxDimension] = {};
  for (int axis = 0; axis < std::min(points.dimension, kMaxDimension); ++axis) {
    numbers[axis] = box.side(axis);
    numbers[kMaxDimension + axis] = box.origin(axis);
  }
  add("side of the box", numbers[0]);
  add_unshown("box", numbers);
}

SameOptions::Option& SameOptions::next(const char* name, Kind kind, std::uint64_t bits) {
  hash_ = mix(hash_, bits);
  Option& option = count_ < kMost ? options_[count_++] : beyond_;
  copy_text(name, option.name);
  option.kind = kind;
  option.bits = bits;
  return option;
}

void SameOptions::add(const char* name, std::uint64_t value) { next(name, Kind::number, value); }
void SameOptions::add(const char* name, double value) {
  next(name, Kind::real, std::bit_cast<std::uint64_t>(value));
}
void SameOptions::add(const char* name, const char* text) {
  std::uint64_t bits = 0;
  for (const char* at = text; *at; ++at) bits = mix(bits, static_cast<unsigned char>(*at));
  copy_text(text, next(name, Kind::text, bits).text);
}
void SameOptions::add_unshown(const char* name, std::uint64_t value) {
  next(name, Kind::unshown, value);
}
void SameOptions::add_unshown(const char* name, std::span<const double> values) {
  std::uint64_t bits = mix(0, values.size());
  for (const double value : values) bits = mix(bits, std::bit_cast<std::uint64_t>(value));
  next(name, Kind::unshown, bits);
}

void SameOptions::compare(const char* call, const Options& first) const {
  for (std::size_t i = 0; i < kMost; ++i) {
    const Option &mine = options_[i], &other = first[i];
    if (is_equal(mine, other)) continue;
    if (std::strcmp(mine.name, other.name) != 0)
      refuse("{}: other options than on rank 0; pass the same on all ranks", call);
    if (mine.kind == Kind::unshown)
      refuse("{}: another {} than on rank 0; pass the same on all ranks", call, mine.name);
    refuse("{}: {} = {} here, {} on rank 0; pass the same on all ranks", call, mine.name,
           text_of(mine), text_of(other));
  }
}

}  // namespace kith::mpi
