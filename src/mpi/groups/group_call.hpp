// Calls on the groups of domains.
#pragma once

#include <kith/mpi.hpp>

#include "groups/checks.hpp"
#include "mpi/groups/group_columns.hpp"

namespace kith::mpi {

/// A call on the groups of these domains: check(same, workers), which may throw, then body(call).
template <class Options, class Check, class Body>
auto group_call(const char* name, const Domains::Impl& domains, const Options& options,
                const Execution& execution, Check check, Body body,
                Devices devices = Devices::refused) {
  return public_call(name, [&] {
    Call call(name, *domains.communicator, execution, devices);
    call.same().add("mass of all points", options.mass.same);
    call.phase([&](Workers& workers) {
      check(call.same(), workers);
      if (options.box != Box() && options.box != domains.options.tree.box)
        refuse("{}: the box of the options is not that of the domains; leave it out", name);
    });
    return body(call);
  });
}

inline const Domains::Impl& domains_of(const char* name, const Groups& groups) {
  if (!impl_of(groups).domains)
    refuse("{}: these groups are not of points of several types; pass their domains", name);
  return *impl_of(groups).domains;
}

}  // namespace kith::mpi
