// The progress of all passes of a call as one, so that the time left is that of the call.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <kith/execution.hpp>

#include "parallel/public_call.hpp"

namespace kith::slabs {

/// A stage, and the time that it takes for a point, in any unit.
struct PassCost {
  const char* stage;
  double cost;
};

/// The progress callback receives "CALL: STAGE", and a number of points as if each pass did its
/// share of them. Passes that are skipped do not count.
inline Execution with_whole_progress(const Execution& execution, const std::string& call,
                                     const std::vector<PassCost>& passes, std::uint64_t points) {
  if (!execution.progress) return execution;
  struct State {
    std::vector<PassCost> passes;
    std::size_t at = 0;
    double before = 0, left = 0, share = 0;  ///< of the cost: finished, of later passes, done
    std::string name;
  };
  const auto state = std::make_shared<State>();
  state->passes = passes;
  for (const PassCost& pass : passes) state->left += pass.cost;
  Execution whole = execution;
  whole.progress = [=, tell = execution.progress](const Progress& progress) {
    State& now = *state;
    const auto is_it = [&](const PassCost& pass) { return progress.stage == pass.stage; };
    const auto found = std::find_if(now.passes.begin(), now.passes.end(), is_it);
    if (found == now.passes.end()) return tell(progress);
    const auto at = static_cast<std::size_t>(found - now.passes.begin());
    if (now.name.empty() || at > now.at) {
      // The pass before has ended; those in between were skipped.
      if (!now.name.empty()) now.before += now.passes[now.at].cost;
      for (std::size_t i = now.name.empty() ? 0 : now.at + 1; i <= at; ++i)
        now.left -= now.passes[i].cost;
      now.at = at;
      now.name = call + ": " + std::string(progress.stage);
    }
    const double cost = now.passes[at].cost, all = now.before + cost + now.left;
    const double part = progress.total == 0 ? 1
                                            : static_cast<double>(progress.done) /
                                                  static_cast<double>(progress.total);
    now.share = std::max(now.share, (now.before + cost * part) / all);
    const auto done = static_cast<std::uint64_t>(now.share * static_cast<double>(points));
    tell({now.name, std::min(done, points), points});
  };
  return whole;
}

/// public_call with f(execution, workers).
template <class F>
decltype(auto) watched_call(const char* call, const Execution& given,
                            std::initializer_list<PassCost> passes, std::uint64_t points, F f) {
  return public_call(call, [&]() -> decltype(auto) {
    const Execution execution = with_whole_progress(given, call, passes, points);
    return public_call(call, execution, [&](Workers& workers) { return f(execution, workers); });
  });
}

}  // namespace kith::slabs
