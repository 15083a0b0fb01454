// The implementations of StoredGroups and StoredCatalogue.
#pragma once

#include <memory>

#include <kith/io/stored_points.hpp>

#include "base/access.hpp"
#include "slabs/member_order.hpp"

namespace kith {

class StoredGroups::Impl {
 public:
  std::shared_ptr<slabs::Scratch> scratch;
  std::uint64_t points = 0;
  std::uint64_t label = 0;  ///< place of the labels of all points, of 32 bits
  std::vector<std::int64_t> size, lowest;
  std::uint64_t grouped = 0;
  double linking_length = 0;
  std::size_t slabs = 0;

  template <class Archive>
  void each_state(Archive& archive) {
    archive(label);
    archive(size);
    archive(lowest);
    archive(grouped);
  }
  void read_labels(std::uint64_t begin, std::span<std::int32_t> out) const {
    scratch->read(label + begin * sizeof(std::int32_t), out);
  }
};

class StoredCatalogue::Impl {
 public:
  Catalogue rows;
  std::vector<double> peak;
  slabs::MemberOrder order;
};

}  // namespace kith
