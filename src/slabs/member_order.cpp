#include "slabs/member_order.hpp"

#include "base/fail.hpp"

namespace kith::slabs {

MemberOrder::MemberOrder(std::shared_ptr<Scratch> scratch, TypeParts parts, std::uint64_t grouped,
                         bool has_id)
    : scratch_(std::move(scratch)),
      parts_(std::move(parts)),
      filled_(parts_.count()),
      grouped_(grouped),
      has_id_(has_id),
      rows_(parts_.count()) {
  for (std::size_t part = 0; part < parts_.count(); ++part)
    place_.push_back(scratch_->reserve(parts_.size(part) * sizeof(std::uint64_t)));
  if (has_id_) id_ = scratch_->reserve(grouped * sizeof(std::uint64_t));
}

void MemberOrder::add(std::span<const std::uint64_t> index, std::span<const std::uint64_t> id) {
  for (const std::uint64_t i : index) {
    const std::size_t part = parts_.of(i);
    rows_[part].push_back(i - parts_.begin(part));
  }
  for (std::size_t part = 0; part < rows_.size(); ++part) {
    scratch_->write(place_[part] + filled_[part] * sizeof(std::uint64_t),
                    std::span<const std::uint64_t>(rows_[part]));
    filled_[part] += rows_[part].size();
    rows_[part].clear();
  }
  scratch_->write(id_ + ids_ * sizeof(std::uint64_t), id);
  ids_ += id.size();
}

void MemberOrder::read(std::size_t part, std::uint64_t begin, std::span<std::uint64_t> out) const {
  if (part >= parts_.count() || begin > parts_.size(part) || out.size() > parts_.size(part) - begin)
    refuse("order: {} rows from {} of type number {}; there are fewer", out.size(), begin, part);
  scratch_->read(place_[part] + begin * sizeof(std::uint64_t), out);
}

void MemberOrder::read_ids(std::uint64_t begin, std::span<std::uint64_t> out) const {
  const std::uint64_t ids = has_id_ ? grouped_ : 0;
  if (begin > ids || out.size() > ids - begin)
    refuse("ids: {} rows from {}, of {} members with an id", out.size(), begin, ids);
  scratch_->read(id_ + begin * sizeof(std::uint64_t), out);
}

}  // namespace kith::slabs
