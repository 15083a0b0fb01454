#include "mpi/clusters/sample_weights.hpp"

#include <cmath>
#include <numeric>

namespace kith::mpi {

bool are_given(Call& call, std::span<const double> weight) {
  std::int64_t has_none = weight.empty() ? 1 : 0;
  call.communicator().least(&has_none, 1);
  return has_none == 0;
}

RankWeights send_weights(Call& call, const char* name, const Domains::Impl& domains,
                         std::span<const double> weight, Negative negative) {
  const bool is_given = are_given(call, weight);
  double sum = 0;
  std::vector<double> sums;
  call.quick([&] {
    if (is_given) check_sample_weights(name, weight, domains.input_size, negative);
    for (const double one : weight) sum += std::abs(one);
    sums.resize(static_cast<std::size_t>(call.ranks()));
  });
  if (!is_given) return {};
  call.communicator().gather_all(&sum, sizeof sum, sums.data());
  call.quick([&] {
    if (!std::isfinite(std::accumulate(sums.begin(), sums.end(), 0.0)))
      refuse("{}: the sum of the weights overflows; scale them", name);
  });
  return {true, send_values(call, domains.route, weight.data(), sizeof(double))};
}

}  // namespace kith::mpi
