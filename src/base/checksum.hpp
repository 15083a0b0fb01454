// A 64-bit checksum at the speed of memory. Eight lanes multiply and rotate; every step is
// one-to-one both in the word that comes in and in what came before, so bytes that differ within
// one word always change the result, and others do but for one case in 2^64. Its values are part of
// the format of saved trees. No defence against someone who searches for equal checksums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kith {

namespace checksum_detail {

inline constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
inline constexpr std::uint64_t kOdd2 = 0xd1b54a32d192ed03;  // 2^64 / 1.2207..., of the same family

inline std::uint64_t stirred(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kOdd2, 31) * kOdd1;
}

inline std::uint64_t finished(std::uint64_t value) {
  value ^= value >> 32;
  value *= kOdd2;
  value ^= value >> 29;
  value *= kOdd1;
  return value ^ (value >> 32);
}

}  // namespace checksum_detail

/// `seed` stands for the place of these bytes among others.
inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0) {
  using namespace checksum_detail;
  constexpr std::size_t kWords = 8, kStep = kWords * sizeof(std::uint64_t);
  std::uint64_t lane[kWords];
  for (std::size_t i = 0; i < kWords; ++i) lane[i] = (seed + i) * kOdd1;
  const auto* at = static_cast<const unsigned char*>(data);
  const auto stir = [&lane](const unsigned char* from) {
    std::uint64_t word[kWords];
    std::memcpy(word, from, kStep);
    for (std::size_t i = 0; i < kWords; ++i) lane[i] = stirred(lane[i], word[i]);
  };
  std::size_t left = bytes;
  for (; left >= kStep; left -= kStep, at += kStep) stir(at);
  if (left > 0) {
    unsigned char rest[kStep] = {};
    std::memcpy(rest, at, left);
    stir(rest);
  }
  std::uint64_t sum = bytes;
  for (const std::uint64_t value : lane) sum = finished(stirred(sum, value));
  return sum;
}

}  // namespace kith
