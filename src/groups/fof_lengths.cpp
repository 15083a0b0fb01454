#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/linking_lengths.hpp>

#include "base/fail.hpp"
#include "groups/join.hpp"
#include "groups/labels.hpp"
#include "groups/length_join.hpp"
#include "groups/reach.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

/// Lengths in the frame of a tree, in its order; and the least and the largest.
template <class T>
struct LengthsOfTree {
  Array<T> length;
  T least = std::numeric_limits<T>::infinity(), largest = 0;
};

template <class T>
LengthsOfTree<T> lengths_of(const TreeData<T>& data, std::span<const double> given,
                            const Workers& workers) {
  constexpr T kMost = std::numeric_limits<T>::max();
  const std::size_t points = data.planes.points;
  LengthsOfTree<T> lengths{Array<T>(data.planes.lanes_up(points), workers.pool())};
  std::fill(lengths.length.begin(), lengths.length.end(), T(0));
  std::vector<LengthsOfTree<T>> parts(range_count(points, kPointGrain));
  workers.for_ranges(points, kPointGrain, [&](std::size_t begin, std::size_t end) {
    LengthsOfTree<T>& part = parts[begin / kPointGrain];
    each_point(data.planes, begin, end, [&](std::size_t at, std::uint32_t index) {
      const double value = given[index];
      const T rounded = value < double{kMost} ? static_cast<T>(value) : kMost;
      const T scaled = std::min(std::ldexp(rounded, data.frame.exponent), kMost);
      lengths.length[at] = scaled;
      part.least = std::min(part.least, scaled);
      part.largest = std::max(part.largest, scaled);
    });
  });
  for (const LengthsOfTree<T>& part : parts) {
    lengths.least = std::min(lengths.least, part.least);
    lengths.largest = std::max(lengths.largest, part.largest);
  }
  return lengths;
}

template <class T>
void solve_lengths(const TreeData<T>& data, const LinkingLengths& given, const FofOptions& options,
                   Workers& workers, Groups::Impl& groups) {
  Array<std::uint32_t> parent;
  if (data.planes.points > 0) {
    const LengthsOfTree<T> lengths = lengths_of(data, given.length, workers);
    groups.linking_length = std::ldexp(static_cast<double>(lengths.largest), -data.frame.exponent);
    const T reach2 = reach2_of(lengths.least, options.strict);
    parent = join(data.planes, data.frame.side, reach2, workers);
    // If lengths differ more, points within the largest one form few groups, which show nothing.
    constexpr T kAlike = 2;
    Array<std::uint32_t> widest;
    if (lengths.least < lengths.largest && lengths.largest <= kAlike * lengths.least)
      widest =
          join(data.planes, data.frame.side, reach2_of(lengths.largest, options.strict), workers);
    if (lengths.least < lengths.largest)
      join_by_lengths(data.planes, data.frame, lengths.length.data(), given.rule, options.strict,
                      parent.data(), widest.data(), workers);
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
