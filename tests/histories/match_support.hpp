// Random objects with members.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include <kith/match.hpp>

#include "support/property.hpp"

namespace kith::test {

struct LabeledSet {
  std::vector<std::uint64_t> id;
  std::vector<std::int32_t> label;

  void add(std::uint64_t the_id, int the_label) {
    id.push_back(the_id);
    label.push_back(the_label);
  }
  LabeledIds view() const { return {id, label}; }
};

/// Some members are in no object, some IDs in several objects, none twice in one.
inline LabeledSet labeled_set(Draw& draw) {
  const std::size_t n = draw.size(120), objects = 1 + draw.below(12), ids = 1 + draw.size(150);
  const std::uint64_t spread = draw.one_of<std::uint64_t>({1, 0x9e3779b97f4a7c15ULL});
  LabeledSet set;
  std::set<std::pair<std::uint64_t, int>> known;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t id = draw.below(ids) * spread;
    const int label = std::min<int>(static_cast<int>(draw.below(objects)), static_cast<int>(i)) -
                      static_cast<int>(draw.below(4) == 0);
    if (label < 0 || known.insert({id, label}).second) set.add(id, label);
  }
  // As many labels as IDs at most: objects without members in between stay.
  while (set.id.size() < objects) set.add(0, -1);
  return set;
}

}  // namespace kith::test
