#include "gpu/walk.hpp"

#include <algorithm>

namespace kith::gpu {
namespace {

/// More nodes than this are not searched for a bound: the bound of the plane above is used instead.
constexpr std::size_t kMostWanted = 8;

}  // namespace

/// The lists of one step: receivers of plane r_plane from r_first on, sources of plane s_plane.
template <class T>
struct Walk<T>::Level {
  int r_plane, s_plane;
  std::uint32_t r_first = 0;
  Lists<T> lists;
  Buffer<T> bound2;
  Uints bound_index;
};

template <class T>
Walk<T>::Walk(const PackedTree<T>& receivers, const PackedTree<T>& sources, const Buffer<T>& sides,
              const WalkGoal<T>& goal)
    : receivers_(receivers),
      sources_(sources),
      sides_(sides),
      goal_(goal),
      device_(sources.device()),
      reach_(device_, 1),
      reach_at_(static_cast<std::size_t>(receivers.top()) + 1, 0) {
  if (has_reach()) make_reach();
}

template <class T>
void Walk<T>::make_reach() {
  std::uint64_t room = 0;
  for (int p = 1; p <= receivers_.top(); ++p) {
    reach_at_[static_cast<std::size_t>(p)] = room;
    room += receivers_.plane(p).nodes;
  }
  reach_ = Buffer<T>(device_, room);
  const ProgramKey program = receivers_.program("walk");
  const std::uint32_t groups = receivers_.plane(1).nodes;
  // Receivers of other batches visit no sources.
  device_.launch(program, "fill_reach", room, reach_, T(-1), room);
  if (!goal_.limits2) return;
  device_.launch(program, "reach_of_groups", groups, receivers_.blocks(), *goal_.limits2,
                 std::uint64_t{receivers_.points()}, groups, reach_);
  lift_reach(0, groups);
}

template <class T>
void Walk<T>::lift_reach(std::uint32_t begin, std::uint32_t end) {
  for (int p = 2; p <= receivers_.top(); ++p) {
    const auto at = static_cast<std::size_t>(p);
    const int shift = 3 * (p - 1);
    const std::uint32_t first = begin >> shift, last = ((end - 1) >> shift) + 1;
    device_.launch(receivers_.program("walk"), "reach_of_nodes", last - first, reach_,
                   reach_at_[at - 1], receivers_.plane(p - 1).nodes, reach_at_[at], first, last);
  }
}

template <class T>
std::optional<Lists<T>> Walk<T>::run(std::uint32_t begin, std::uint32_t end,
                                     std::size_t room) const {
  Level level{receivers_.top(), sources_.top()};
  const std::uint64_t start = 0;
  const std::uint32_t root = 0, one = 1, no_index = kNoIndex;
  const T zero = 0;
  level.lists = {Ulongs(device_, 1), Uints(device_, 1), Uints(device_, 1), Buffer<T>(device_, 1)};
  level.lists.first.write(&start, 1);
  level.lists.size.write(&one, 1);
  level.lists.source.write(&root, 1);
  level.lists.lower.write(&zero, 1);
  level.bound2 = Buffer<T>(device_, 1);
  level.bound2.write(&goal_.limit2, 1);
  level.bound_index = Uints(device_, 1);
  level.bound_index.write(&no_index, 1);
  while (level.r_plane > 1 || level.s_plane > 1)
    if (!step(begin, end, room, level)) return std::nullopt;
  return std::move(level.lists);
}

template <class T>
bool Walk<T>::step(std::uint32_t begin, std::uint32_t end, std::size_t room, Level& level) const {
  const int was_r = level.r_plane, was_s = level.s_plane;
  const bool r_down = was_r >= was_s && was_r > 1, s_down = was_s >= was_r && was_s > 1;
  const std::uint32_t r_fan = r_down ? kLanes : 1, s_shift = s_down ? 3 : 0;
  const int r_plane = was_r - (r_down ? 1 : 0), s_plane = was_s - (s_down ? 1 : 0);
  const int shift = 3 * (r_plane - 1);
  const std::uint32_t first = begin >> shift, last = ((end - 1) >> shift) + 1;
  const std::size_t count = last - first;
  const PlaneAt &r_at = receivers_.plane(r_plane), &s_at = sources_.plane(s_plane);
  const std::size_t node_points = std::size_t{1} << (3 * (s_plane + 1));
  const std::size_t wanted = (goal_.k + node_points - 1) / node_points;
  const auto full = static_cast<std::uint32_t>(sources_.points() / node_points);
  const ProgramKey program = sources_.program("walk");

  Ulongs new_first(device_, count + 1);
  device_.launch(program, "walk_room", count + 1, first, r_fan, level.r_first, s_shift,
                 std::uint64_t{count}, level.lists.size, new_first);
  exclusive_scan(device_, new_first, count + 1);
  const std::size_t total = new_first.value(count);
  if (total * (sizeof(T) + sizeof(std::uint32_t)) > room) return false;

  Lists<T> lists{std::move(new_first), Uints(device_, count), Uints(device_, total),
                 Buffer<T>(device_, total)};
  Buffer<T> bound2(device_, count);
  Uints bound_index(device_, count);
  device_.launch(program, "walk_step", count * kGroupSize, receivers_.boxes(), r_at.box, first,
                 r_fan, level.r_first, sources_.boxes(), s_at.box, s_at.nodes, s_shift,
                 sources_.ranges(), s_at.range, level.lists.first, level.lists.size,
                 level.lists.source, level.bound2, level.bound_index,
                 static_cast<std::uint32_t>(wanted > kMostWanted ? 0 : wanted), full, reach_,
                 reach_at_[static_cast<std::size_t>(r_plane)], std::uint32_t{has_reach()}, sides_,
                 bound2, bound_index, lists.first, lists.size, lists.source, lists.lower);
  level = {r_plane, s_plane, first, std::move(lists), std::move(bound2), std::move(bound_index)};
  return true;
}

template class Walk<float>;
template class Walk<double>;

}  // namespace kith::gpu
