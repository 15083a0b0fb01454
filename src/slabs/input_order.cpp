#include "slabs/input_order.hpp"

#include <algorithm>
#include <cstring>

namespace kith::slabs {
namespace {

/// Of values that are read at a time.
constexpr std::size_t kPieceBytes = std::size_t{2} << 20;

}  // namespace

OrderOfInput::OrderOfInput(std::shared_ptr<const Scratch> scratch, std::uint64_t numbers,
                           std::vector<std::uint64_t> begin)
    : scratch_(std::move(scratch)), numbers_(numbers), begin_(std::move(begin)) {
  from_.assign(begin_.begin(), begin_.end() - 1);
}

void OrderOfInput::read(std::uint64_t column, std::size_t bytes, std::uint64_t first,
                        std::size_t points, const void* none, void* out) {
  seek(first);
  const std::size_t most = std::max<std::size_t>(1, kPieceBytes / bytes);
  auto* to = static_cast<char*>(out);
  for (std::size_t done = 0; done < points; done += std::min(most, points - done))
    read_piece(column, bytes, std::min(most, points - done), none, to + done * bytes);
}

void OrderOfInput::seek(std::uint64_t first) {
  if (first < at_) {
    at_ = 0;
    from_.assign(begin_.begin(), begin_.end() - 1);
  }
  while (at_ < first) {
    read_numbers(static_cast<std::size_t>(std::min<std::uint64_t>(first - at_, kPieceBytes)));
    for (const std::uint16_t slab : slab_)
      if (slab != kNoSlab) ++from_[slab];
    at_ += slab_.size();
  }
}

void OrderOfInput::read_numbers(std::size_t points) {
  slab_.resize(points);
  scratch_->read(numbers_ + at_ * sizeof(std::uint16_t), std::span(slab_));
}

/// The points of a piece are a run of points in each slab.
void OrderOfInput::read_piece(std::uint64_t column, std::size_t bytes, std::size_t points,
                              const void* none, char* out) {
  read_numbers(points);
  place_.assign(from_.size() + 1, 0);
  for (const std::uint16_t slab : slab_)
    if (slab != kNoSlab) ++place_[slab + std::size_t{1}];
  sorted_.resize(points * bytes);
  for (std::size_t slab = 0; slab < from_.size(); ++slab) {
    const std::size_t count = place_[slab + 1];
    place_[slab + 1] += place_[slab];
    if (count == 0) continue;
    scratch_->read(column + from_[slab] * bytes,
                   std::span(sorted_).subspan(place_[slab] * bytes, count * bytes));
    from_[slab] += count;
  }
  for (std::size_t i = 0; i < points; ++i)
    std::memcpy(out + i * bytes,
                slab_[i] == kNoSlab ? none : sorted_.data() + place_[slab_[i]]++ * bytes, bytes);
  at_ += points;
}

}  // namespace kith::slabs
