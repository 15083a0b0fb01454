#include "mpi/same_options.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/fail.hpp"

namespace kith::mpi {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3;

std::uint64_t with(std::uint64_t print, std::uint64_t value) { return (print ^ value) * kPrime; }

template <std::size_t kSize>
void copy_text(const char* from, char (&to)[kSize]) {
  const std::size_t length = std::min(std::strlen(from), kSize - 1);
  std::copy_n(from, length, to);
}

std::string shown(const SameOptions::Option& option) {
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

SameOptions::Option& SameOptions::next(const char* name, Kind kind, std::uint64_t bits) {
  print_ = with(print_, bits);
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
  for (const char* at = text; *at; ++at) bits = with(bits, static_cast<unsigned char>(*at));
  copy_text(text, next(name, Kind::text, bits).text);
}
void SameOptions::add_unshown(const char* name, std::uint64_t value) {
  next(name, Kind::unshown, value);
}
void SameOptions::add_unshown(const char* name, std::span<const double> values) {
  std::uint64_t bits = with(0, values.size());
  for (const double value : values) bits = with(bits, std::bit_cast<std::uint64_t>(value));
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
           shown(mine), shown(other));
  }
}

}  // namespace kith::mpi
