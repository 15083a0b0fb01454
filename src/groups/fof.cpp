#include <new>

#include <kith/groups.hpp>

#include "base/fail.hpp"
#include "groups/join.hpp"
#include "groups/labels.hpp"
#include "groups/reach.hpp"
#include "neighbors/on_device.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

template <class T>
void solve(const TreeData<T>& data, const Box& box, const FofOptions& options, Workers& workers,
           Groups::Impl& groups) {
  const std::size_t points = data.planes.points;
  const double length = linking_length_of(options, box, points, data.planes.dimension);
  const LinkingReach<T> reach = reach_of<T>(length, options.strict, data.frame);
  groups.linking_length = static_cast<double>(reach.linking_length);
  const Array<std::uint32_t> parent =
      points == 0 ? Array<std::uint32_t>()
                  : join(data.planes, data.frame.side, reach.reach2, workers);
  write_groups(data.planes, parent.data(), options.min_size, options.keep_roots, workers, groups);
}

template <class T>
void solve_on_device(const AnyTree& tree, const FofOptions& options, const Execution& execution,
                     Workers& workers, Groups::Impl& groups) {
  const Frame<T>& frame = frame_of_tree<T>(tree);
  const double length = linking_length_of(options, tree.box(), tree.size(), tree.dimension());
  const LinkingReach<T> reach = reach_of<T>(length, options.strict, frame);
  groups.linking_length = static_cast<double>(reach.linking_length);
  DeviceGroups found{options.min_size,
                     groups.label.data(),
                     options.keep_roots ? groups.root.data() : nullptr,
                     {},
                     {}};
  device_calls<T>("fof", execution).fof(impl_of(tree), reach.reach2, found, workers);
  groups.lowest = Array<std::uint32_t>(found.lowest.size(), workers.pool());
  groups.size = Array<std::uint64_t>(found.size.size(), workers.pool());
  std::copy(found.lowest.begin(), found.lowest.end(), groups.lowest.begin());
  std::copy(found.size.begin(), found.size.end(), groups.size.begin());
}

}  // namespace

Groups fof(const AnyTree& tree, const FofOptions& options, const Execution& execution) {
  return device_call("fof", execution, [&](Workers& workers) {
    check_fof_options(options);
    if (options.box != Box() && options.box != tree.box())
      refuse("fof: the box of the options is not that of the tree; leave it out");
    auto groups = std::make_shared<Groups::Impl>();
    groups->label = Array<std::int32_t>(tree.input_size(), workers.pool());
    if (options.keep_roots) groups->root = Array<std::int64_t>(tree.input_size(), workers.pool());
    if (is_cpu(execution))
      impl_of(tree).visit(
          [&](const auto& data) { solve(data, tree.box(), options, workers, *groups); });
    else
      with_scalar(tree.scalar(), [&]<class T>() {
        solve_on_device<T>(tree, options, execution, workers, *groups);
      });
    return wrap_impl<Groups>(std::move(groups));
  });
}

Groups fof(PointsView points, const FofOptions& options, const Execution& execution) {
  return device_call("fof", execution, [&] {
    check_view("fof", points, options.box);
    check_fof_options(options);
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return fof(tree, options, execution);
  });
}

std::size_t Groups::count() const { return impl_->size.size(); }
std::span<const std::int32_t> Groups::label() const {
  return {impl_->label.data(), impl_->label.size()};
}
std::size_t Groups::size(std::size_t group) const { return impl_->size[group]; }
std::size_t Groups::lowest(std::size_t group) const { return impl_->lowest[group]; }
std::vector<std::int64_t> Groups::sizes() const {
  return public_call(
      "groups", [&] { return std::vector<std::int64_t>(impl_->size.begin(), impl_->size.end()); });
}
std::vector<std::int64_t> Groups::lowest_members() const {
  return public_call("groups", [&] {
    return std::vector<std::int64_t>(impl_->lowest.begin(), impl_->lowest.end());
  });
}
std::span<const std::int64_t> Groups::root() const {
  return {impl_->root.data(), impl_->root.size()};
}
double Groups::linking_length() const { return impl_->linking_length; }

}  // namespace kith
