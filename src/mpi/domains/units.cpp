#include "mpi/domains/units.hpp"

#include <algorithm>
#include <bit>

#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

/// The sum of weights has fewer bits, to which one unit for each point is added.
constexpr int kBits = 61;

template <class T>
double greatest(Call& call, const Input<T>& input, std::span<const double> weight) {
  double least = 0;
  call.phase([&](Workers& workers) {
    least = reduce(
        workers, input.size, kPointGrain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t i = begin; i < end; ++i) part = std::min(part, -weight[input.index(i)]);
          return part;
        },
        [](double a, double b) { return std::min(a, b); });
  });
  call.communicator().least(&least, 1);
  return -least;
}

template <class T>
void add_up(Call& call, const Input<T>& input, Units& units) {
  std::int64_t sum = 0;
  call.phase([&](Workers& workers) {
    sum = reduce(
        workers, input.size, kPointGrain, std::int64_t{0},
        [&](std::size_t begin, std::size_t end) {
          std::int64_t part = 0;
          for (std::size_t i = begin; i < end; ++i)
            part += static_cast<std::int64_t>(units(input.index(i)));
          return part;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
  });
  call.communicator().sum(&sum, 1);
  units.total = static_cast<std::uint64_t>(sum);
}

}  // namespace

template <class T>
Units agree_on_units(Call& call, const Input<T>& input, std::span<const double> weight,
                     std::uint64_t total) {
  const double most = greatest(call, input, weight);
  Units units{weight, 0, total};
  if (most == 0) return units;
  // With this scale sums fit for any weights up to the greatest; their sum then gives a finer one,
  // by which a few great weights do not round the others to nothing.
  units.exponent = kBits - static_cast<int>(std::bit_width(total)) - 1 - std::ilogb(most);
  add_up(call, input, units);
  units.exponent += kBits - static_cast<int>(std::bit_width(units.total));
  add_up(call, input, units);
  return units;
}

template Units agree_on_units(Call&, const Input<float>&, std::span<const double>, std::uint64_t);
template Units agree_on_units(Call&, const Input<double>&, std::span<const double>, std::uint64_t);

}  // namespace kith::mpi
