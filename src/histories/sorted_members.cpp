#include "histories/sorted_members.hpp"

#include <limits>

#include "base/fail.hpp"
#include "parallel/pieces.hpp"

namespace kith::histories {
namespace {

constexpr std::size_t kMemberGrain = std::size_t{1} << 16;

/// The number of objects; errors if a label is beyond them.
std::size_t checked_objects(const Workers& workers, const LabeledIds& set, const SetName& name) {
  return objects_of(largest_label(workers, set, name), set.label.size(), set.objects, name);
}

/// offset[o + 1]: members of object o. Random access to one counter per object is quick: members of
/// one object mostly stand together.
std::vector<std::size_t> count_members(const Workers& workers, const LabeledIds& set,
                                       std::size_t objects) {
  std::vector<std::size_t> offset = filled<std::size_t>(workers, objects + 1);
  for_each_in_order(workers, set.label.size(), [&](std::size_t i) {
    if (set.label[i] >= 0) ++offset[static_cast<std::size_t>(set.label[i]) + 1];
  });
  for_each_in_order(workers, objects, [&](std::size_t o) { offset[o + 1] += offset[o]; });
  return offset;
}

/// Throws if one of the objects of an ID, which has the rows [begin, end), has it twice.
void refuse_repeated(const SortedMembers& members, std::size_t begin, std::size_t end,
                     const SetName& name) {
  std::vector<std::int32_t> objects;
  for (std::size_t k = begin; k < end; ++k)
    objects.push_back(members.object[members.by_id[k].index]);
  std::sort(objects.begin(), objects.end());
  const auto twice = std::adjacent_find(objects.begin(), objects.end());
  if (twice != objects.end())
    refuse("{}: ID {} is twice a member of object {} of {}; an ID must belong to one particle",
           name.call, members.by_id[begin].key, *twice, name.set);
}

}  // namespace

std::int32_t largest_label(const Workers& workers, const LabeledIds& set, const SetName& name) {
  if (set.id.size() != set.label.size())
    refuse("{}: {} IDs and {} labels for {}; give one label for each ID", name.call, set.id.size(),
           set.label.size(), name.set);
  if (set.id.size() > std::numeric_limits<std::uint32_t>::max())
    fail(ErrorCode::too_large, "{}: {} particles in {}; up to {} can be matched", name.call,
         set.id.size(), name.set, std::numeric_limits<std::uint32_t>::max());
  return reduce(
      workers, set.label.size(), kMemberGrain, std::int32_t{-1},
      [&](std::size_t begin, std::size_t end) {
        return *std::max_element(set.label.data() + begin, set.label.data() + end);
      },
      [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
}

std::size_t objects_of(std::int32_t largest, std::uint64_t labels, std::size_t objects,
                       const SetName& name) {
  const auto needed = static_cast<std::size_t>(std::max(largest, -1) + 1);
  const std::size_t most = objects > 0 ? objects : labels;
  if (needed > most)
    refuse("{}: {} is the largest of {} labels of {}; number the objects 0, 1, ..., {}", name.call,
           largest, labels, name.set, most - 1);
  return objects > 0 ? objects : needed;
}

void sort_by_id(const Workers& workers, SortedMembers& members, const SetName& name) {
  const std::size_t n = members.members();
  sort_keys(workers, members.by_id.data(), n);
  const KeyIndex* const sorted = members.by_id.data();
  workers.for_ranges(n, kMemberGrain, [&](std::size_t begin, std::size_t end) {
    const auto continues = [&](std::size_t k) { return sorted[k].key == sorted[k - 1].key; };
    while (begin > 0 && begin < end && continues(begin)) ++begin;
    for (std::size_t k = begin; k < end;) {  // runs that begin in this range
      const std::size_t first = k++;
      while (k < n && continues(k)) ++k;
      if (k > first + 1) refuse_repeated(members, first, k, name);
    }
  });
}

SortedMembers sorted_members(const Workers& workers, const LabeledIds& set, const SetName& name) {
  SortedMembers members;
  const std::size_t objects = checked_objects(workers, set, name);
  members.offset = count_members(workers, set, objects);
  const std::size_t n = members.offset.back();
  members.object = Array<std::int32_t>(n, workers.pool());
  members.by_id = Array<KeyIndex>(n, workers.pool());
  std::vector<std::size_t> next(members.offset.begin(), members.offset.end() - 1);
  for_each_in_order(workers, set.label.size(), [&](std::size_t i) {
    if (set.label[i] < 0) return;
    const std::size_t place = next[static_cast<std::size_t>(set.label[i])]++;
    members.object[place] = set.label[i];
    members.by_id[place] = {set.id[i], static_cast<std::uint32_t>(place)};
  });
  sort_by_id(workers, members, name);
  return members;
}

}  // namespace kith::histories
