// Weights that callers give with their points, on the ranks that have the points.
#pragma once

#include <span>

#include "clusters/sample_weights.hpp"
#include "mpi/domains/domain.hpp"

namespace kith::mpi {

struct RankWeights {
  bool is_given = false;   ///< by any rank that has points
  Array<std::byte> local;  ///< doubles by local index

  /// Null without weights; never null with them, also on ranks without points: others send weights
  /// with their points.
  const double* data() const {
    static const double none = 0;
    if (!is_given) return nullptr;
    return local.empty() ? &none : reinterpret_cast<const double*>(local.data());
  }
};

/// Whether a rank gives weights: those without points do not know. Collective.
bool are_given(Call& call, std::span<const double> weight);

/// Checks the weights of the points that this rank gave, and sends them to the points. `name`: of
/// the call, in messages. Collective.
RankWeights send_weights(Call& call, const char* name, const Domains::Impl& domains,
                         std::span<const double> weight, Negative negative);

}  // namespace kith::mpi
