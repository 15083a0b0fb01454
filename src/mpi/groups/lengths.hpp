// A linking length for each point, sent along with the points.
#pragma once

#include <algorithm>
#include <limits>

#include <kith/linking_lengths.hpp>

#include "base/dispatch.hpp"
#include "groups/reach.hpp"
#include "mpi/groups/fof.hpp"

namespace kith::mpi {

/// Checks the lengths.
class SentLengths {
 public:
  SentLengths(Call& call, const Domains::Impl& domains, const LinkingLengths& given,
              const FofOptions& options) {
    call.same().add("rule", kith::name(given.rule));
    double minus = 0;
    call.quick([&] {
      check_linking_lengths(given, domains.input_size, options, call.name());
      const Route& route = domains.route;  // without dropped points
      for (std::size_t i = 0; i < route.size(); ++i)
        minus = std::min(minus, -rounded(given.length[route.row_of(i)], domains.scalar));
    });
    call.communicator().least(&minus, 1);
    sent_ = send_values(call, domains.route, given.length.data(), sizeof(double));
    here_ = {true, given.rule, -minus};
  }

  const LengthsHere& here() const { return here_; }
  PointValues values() const {
    return {1, {reinterpret_cast<const double*>(sent_.data()), sent_.size() / sizeof(double)}};
  }

 private:
  static double rounded(double length, Scalar scalar) {
    return with_scalar(scalar, [&]<class T>() {
      constexpr double kMost = std::numeric_limits<T>::max();
      return static_cast<double>(static_cast<T>(std::min(length, kMost)));
    });
  }

  Array<std::byte> sent_;
  LengthsHere here_;
};

}  // namespace kith::mpi
