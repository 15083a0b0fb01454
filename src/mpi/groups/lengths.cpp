// Friends of friends with a length for each point, as callers see it.
#include "mpi/groups/lengths.hpp"

#include "mpi/groups/members.hpp"

namespace kith::mpi {

Groups fof(const Domains& domains, const LinkingLengths& lengths, const FofOptions& options,
           RowOrder order, const Execution& execution) {
  return public_call("fof", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("fof", *impl.communicator, execution);
    agree_on_groups(call, domains, options, order, Lengths::of_points);
    const SentLengths sent(call, impl, lengths, options);
    return linked_groups(
        call, impl, {.options = options, .values = sent.values(), .lengths = sent.here()}, order);
  });
}

Groups fof(MPI_Comm comm, PointsView points, const LinkingLengths& lengths,
           const FofOptions& options, const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return fof(Domains::curve(comm, points, domains, execution), lengths, options, RowOrder::input,
             execution);
}

}  // namespace kith::mpi
