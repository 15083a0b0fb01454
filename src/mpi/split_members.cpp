#include "mpi/split_members.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/frame.hpp"

namespace kith::mpi {

void SplitMembers::read() {
  call_.prepare([&] {
    const GivenColumns all = columns_.all();
    options_.box = scaled_.box();
    options_.softening = std::ldexp(options_.softening, scaled_.length());
    const CatalogueOptions with{.box = options_.box, .mass = scaled_.mass(), .type = all.type};
    from_ = source_of(scaled_.points(), with, 0);
    is_chosen_.resize(256);
    for (const int type : options_.types) {
      if (type < 0 || type > 255) refuse("{}: type {}; types go from 0 to 255", call_.name(), type);
      is_chosen_[static_cast<std::size_t>(type)] = true;
    }
    if (!options_.types.empty() && all.type.size() != all.points.size)
      refuse("{}: {} types for {} points", call_.name(), all.type.size(), all.points.size);
    if (split_.is_owner()) own_ = from_->at(split_.own().begin);
  });
  origin_ = split_.to_all_parts(own_);
  call_.phase([&](Workers& workers) { put_rows(workers); });
}

void SplitMembers::put_rows(const Workers& workers) {
  rows_.resize(pieces().size());
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    const GroupPiece& piece = pieces()[p];
    rows_[p].resize(piece.size() * d());
    workers.for_ranges(piece.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> members(end - begin);
      std::iota(members.begin(), members.end(), static_cast<std::uint32_t>(piece.begin + begin));
      const MemberBlock block(*from_, members, origin_[p]);
      std::copy(block.x.begin(), block.x.end(), rows_[p].data() + begin * d());
    });
  }
}

std::vector<double> SplitMembers::placed(const std::vector<double>& middle) const {
  std::vector<double> center(d());
  for (std::size_t axis = 0; axis < d(); ++axis) {
    const int a = static_cast<int>(axis);
    const double side = options_.box.side(a), edge = options_.box.origin(a);
    const double x = own_[axis] + middle[axis];
    center[axis] = side > 0 ? edge + wrapped(x, edge, side) : x;
  }
  scale_by(center, -scaled_.length());
  return center;
}

}  // namespace kith::mpi
