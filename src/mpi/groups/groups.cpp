// Friends of friends over ranks as callers see it.
#include <algorithm>

#include "groups/reach.hpp"
#include "mpi/groups/fof.hpp"
#include "mpi/groups/members.hpp"

namespace kith::mpi {

void add_linking(SameOptions& same, const FofOptions& options) {
  same.add("linking_length", options.linking_length);
  same.add("b", options.b);
  same.add("mean_separation", options.mean_separation);
  same.add("volume", options.volume);
  same.add("min_size", std::uint64_t{options.min_size});
  same.add("strict", std::uint64_t{options.strict});
  same.add("keep_roots", std::uint64_t{options.keep_roots});
}

void agree_on_groups(Call& call, const Domains& domains, const FofOptions& options, RowOrder order,
                     Lengths lengths) {
  add_linking(call.same(), options);
  call.same().add("order", name_of(order));
  call.prepare([&] {
    if (lengths == Lengths::one) check_fof_options(options, call.name());
    if (options.box != Box() && options.box != domains.box())
      refuse("{}: the box of the options is not that of the domains; leave it out", call.name());
  });
}

Groups linked_groups(Call& call, const Domains::Impl& domains, const LinkingJob& job,
                     RowOrder order) {
  std::shared_ptr<Groups::Impl> groups;
  call.quick([&] { groups = std::make_shared<Groups::Impl>(); });
  groups->order = order;
  link(call, domains, job, *groups);
  if (order == RowOrder::input) {
    groups->label =
        in_input_order(call, domains, groups->tree_label, groups->cuts.cut.back().label);
    if (job.options.keep_roots)
      groups->root = in_input_order(call, domains, groups->tree_root, kAnyValue);
    groups->tree_label = {};
    groups->tree_root = {};
    call.note_traffic("rows");
  }
  return wrap_impl<Groups>(std::move(groups));
}

Groups fof_in_classes(const Domains& domains, const FofOptions& options, RowOrder order,
                      std::span<const std::uint64_t> classes, const Execution& execution) {
  return public_call("fof", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("fof", *impl.communicator, execution, Devices::used);
    agree_on_groups(call, domains, options, order);
    return linked_groups(call, impl, {options, classes, {}}, order);
  });
}

Groups fof(const Domains& domains, const FofOptions& options, RowOrder order,
           const Execution& execution) {
  return fof_in_classes(domains, options, order, {}, execution);
}

Groups fof(const Domains& domains, const FofOptions& options, std::span<std::int64_t> label,
           const Execution& execution) {
  return public_call("fof", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("fof", *impl.communicator, execution, Devices::used);
    agree_on_groups(call, domains, options, RowOrder::input);
    std::shared_ptr<Groups::Impl> groups;
    call.quick([&] {
      if (label.size() != impl.input_size)
        refuse("fof: room for {} labels of {} points; give one for each", label.size(),
               impl.input_size);
      groups = std::make_shared<Groups::Impl>();
    });
    groups->label = Array<std::int64_t>::borrowed(label.data(), label.size());
    link(call, impl, {options, {}, impl.is_kept ? label : std::span<std::int64_t>()}, *groups);
    if (!impl.is_kept)
      put_in_input_order(call, impl, groups->tree_label, groups->cuts.cut.back().label,
                         label.data());
    if (options.keep_roots) groups->root = in_input_order(call, impl, groups->tree_root, kAnyValue);
    groups->tree_label = {};
    groups->tree_root = {};
    call.note_traffic("rows");
    return wrap_impl<Groups>(std::move(groups));
  });
}

MemoryEstimate estimate_fof_memory(std::size_t size, int dimension, Scalar scalar,
                                   const TreeOptions& options) {
  const MemoryEstimate tree = kith::estimate_memory(size, dimension, scalar, options);
  // Global indices; roots, sizes and lowest members of sets; which points are near an edge.
  const std::size_t kept = tree.kept + 8 * size, linking = (4 + 4 + 4 + 1) * size;
  return {.peak = std::max(tree.peak, kept + linking), .kept = kept};
}

Groups fof(MPI_Comm comm, PointsView points, const FofOptions& options,
           const Execution& execution) {
  const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
  return fof(Domains::curve(comm, points, domains, execution), options, RowOrder::input, execution);
}

namespace {
std::span<const std::int64_t> span_of(const Array<std::int64_t>& values) {
  return {values.data(), values.size()};
}
}  // namespace

std::uint64_t Groups::count() const { return impl_->cuts.cut.back().label; }
std::uint64_t Groups::first() const { return impl_->first; }
std::span<const std::int64_t> Groups::sizes() const { return impl_->size; }
std::span<const std::int64_t> Groups::lowest() const { return impl_->lowest; }
double Groups::linking_length() const { return impl_->linking_length; }
std::span<const std::int64_t> Groups::label() const {
  return span_of(impl_->order == RowOrder::tree ? impl_->tree_label : impl_->label);
}
std::span<const std::int64_t> Groups::root() const {
  return span_of(impl_->order == RowOrder::tree ? impl_->tree_root : impl_->root);
}

}  // namespace kith::mpi
