#include <cmath>

#include <kith/linking_lengths.hpp>

#include "base/fail.hpp"
#include "groups/labels.hpp"
#include "groups/length_join.hpp"
#include "groups/reach.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

template <class T>
void solve_lengths(const TreeData<T>& data, const LinkingLengths& given, const FofOptions& options,
                   Workers& workers, Groups::Impl& groups) {
  Array<std::uint32_t> parent;
  if (data.planes.points > 0) {
    const PointLengths<T> lengths = point_lengths(data.planes, data.frame, given.length, workers);
    groups.linking_length = std::ldexp(static_cast<double>(lengths.largest), -data.frame.exponent);
    parent =
        join_by_lengths(data.planes, data.frame, lengths, {given.rule, options.strict}, workers);
  }
  write_groups(data.planes, parent.data(), options.min_size, options.keep_roots, workers, groups);
}

}  // namespace

void check_linking_lengths(const LinkingLengths& lengths, std::size_t points,
                           const FofOptions& options, const char* call) {
  if (options.linking_length != 0 || options.b != 0)
    refuse("{}: linking_length = {} and b = {} with a length for each point; leave them 0", call,
           options.linking_length, options.b);
  FofOptions others = options;
  others.linking_length = 1;
  check_fof_options(others, call);
  if (lengths.length.size() != points)
    refuse("{}: {} linking lengths for {} points; give one for each", call, lengths.length.size(),
           points);
  for (std::size_t i = 0; i < points; ++i)
    if (!(lengths.length[i] >= 0 && std::isfinite(lengths.length[i])))
      refuse("{}: linking length {} of point {}; give numbers that are 0 or positive, and finite",
             call, lengths.length[i], i);
}

Groups fof(const AnyTree& tree, const LinkingLengths& lengths, const FofOptions& options,
           const Execution& execution) {
  return public_call("fof", execution, [&](Workers& workers) {
    check_linking_lengths(lengths, tree.input_size(), options, "fof");
    if (options.box != Box() && options.box != tree.box())
      refuse("fof: the box of the options is not that of the tree; leave it out");
    auto groups = std::make_shared<Groups::Impl>();
    groups->label = Array<std::int32_t>(tree.input_size(), workers.pool());
    if (options.keep_roots) groups->root = Array<std::int64_t>(tree.input_size(), workers.pool());
    impl_of(tree).visit(
        [&](const auto& data) { solve_lengths(data, lengths, options, workers, *groups); });
    return wrap_impl<Groups>(std::move(groups));
  });
}

Groups fof(PointsView points, const LinkingLengths& lengths, const FofOptions& options,
           const Execution& execution) {
  return public_call("fof", execution, [&] {
    check_view("fof", points, options.box);
    check_linking_lengths(lengths, points.size, options, "fof");
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return fof(tree, lengths, options, execution);
  });
}

}  // namespace kith
