#include <deque>
#include <memory>
#include <new>
#include <optional>

#include <kith/mpi.hpp>

#include "histories/halo_matcher.hpp"
#include "mpi/histories/dealt_members.hpp"

namespace kith::mpi {
namespace {

void compare_options(Call& call, const MatchOptions& options) {
  call.same().add("weight", kith::name(options.weight));
  call.same().add("most_bound", options.most_bound);
}

Match match_of(Call& call, const DealtMembers& a, const DealtMembers& b,
               const MatchOptions& options) {
  Matches forward = matches_of(call, a, b, options);
  return {std::move(forward), matches_of(call, b, a, options)};
}

/// The members of snapshots, spread over ranks.
class OverRanks : public histories::HaloMatcher {
 public:
  using Connection = std::shared_ptr<std::optional<Communicator>>;

  OverRanks(const LinkOptions& options, Connection connection)
      : connection_(std::move(connection)), options_(options) {}

  void add(const LabeledIds& halos, bool is_known, const Execution& execution,
           const std::function<void(const Found&)>& use) override {
    Call call("trees", **connection_, execution);
    compare_options(call, options_.match);
    call.same().add("reach", static_cast<std::uint64_t>(options_.reach));
    DealtMembers members = deal_members(call, halos, {"trees", "a snapshot"});
    Found found{members.objects};
    call.prepare([&] { found.matches.reserve(latest_.size()); });
    for (std::size_t gap = 1; gap <= latest_.size() && !is_known; ++gap)
      found.matches.push_back(
          match_of(call, latest_[latest_.size() - gap], members, options_.match));
    call.quick([&] {
      use(found);
      latest_.push_back(std::move(members));
      if (latest_.size() > static_cast<std::size_t>(options_.reach)) latest_.pop_front();
    });
  }

 private:
  Connection connection_;
  LinkOptions options_;
  std::deque<DealtMembers> latest_;  ///< of the snapshots within reach, in order of time
};

}  // namespace

Match match(MPI_Comm comm, const LabeledIds& a, const LabeledIds& b, const MatchOptions& options,
            const Execution& execution) {
  return public_call("match", [&] {
    Communicator communicator(comm);
    Call call("match", communicator, execution);
    compare_options(call, options);
    const DealtMembers first = deal_members(call, a, {"match", "a"});
    const DealtMembers other = deal_members(call, b, {"match", "b"});
    return match_of(call, first, other, options);
  });
}

HaloLinker halo_linker(MPI_Comm comm, const LinkOptions& options) {
  return public_call("trees", [&] {
    // All is allocated before the ranks meet: one without memory says so to the others.
    OverRanks::Connection connection;
    std::unique_ptr<OverRanks> matcher;
    try {
      connection = std::make_shared<std::optional<Communicator>>();
      matcher = std::make_unique<OverRanks>(options, connection);
    } catch (const std::bad_alloc&) {
      Communicator(comm, false);  // throws on all ranks
    }
    const Execution execution;
    Call call("trees", connection->emplace(comm), execution);
    std::optional<HaloLinker> linker;
    call.quick([&] { linker.emplace(options, std::move(matcher)); });
    return *std::move(linker);
  });
}

}  // namespace kith::mpi
