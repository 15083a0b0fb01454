#include "mpi/domains/selection.hpp"

#include <bit>
#include <vector>

#include "mpi/domains/key_search.hpp"

namespace kith::mpi {
namespace {

constexpr int kBits = 11;  // of a number that one round finds
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

double double_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits & kSign ? bits & ~kSign : ~bits);
}

}  // namespace

double nth_of_all(Call& call, std::span<const double> values, std::uint64_t n) {
  std::vector<std::int64_t> counts;
  std::uint64_t prefix = 0;  // the bits above `shift` of the number that is wanted
  for (int shift = 64; shift > 0;) {
    const int step = std::min(kBits, shift), next = shift - step;
    call.phase([&](Workers& workers) {
      counts.assign(std::size_t{1} << step, 0);
      workers.check_cancelled();
      for (const double value : values) {
        const std::uint64_t bits = ordered_bits(value);
        if (shift < 64 && bits >> shift != prefix) continue;
        ++counts[static_cast<std::size_t>(bits >> next) & (counts.size() - 1)];
      }
    });
    call.communicator().sum(counts.data(), counts.size());
    std::size_t bin = 0;
    while (n >= static_cast<std::uint64_t>(counts[bin]) && bin + 1 < counts.size())
      n -= static_cast<std::uint64_t>(counts[bin++]);
    prefix = prefix << step | bin;
    shift = next;
  }
  return double_of(prefix);
}

}  // namespace kith::mpi
