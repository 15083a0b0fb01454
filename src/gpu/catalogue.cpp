// Sums over the members of groups: uploads, and the order of the kernels.
#include "gpu/catalogue.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "gpu/batches.hpp"
#include "gpu/steps.hpp"
#include "gpu/upload.hpp"

namespace kith::gpu {
namespace {

using Bytes = Buffer<std::uint8_t>;

/// Numbers of one scalar type, as they are; the kernels convert them.
struct Numbers {
  Bytes bytes;
  std::uint32_t kind = 0;  ///< as in catalogue.cl: none, float, double

  explicit Numbers(OpenDevice& device) : bytes(device, 8) {}
  Numbers(OpenDevice& device, const PointsView& rows)
      : bytes(device, rows.size * static_cast<std::size_t>(rows.dimension) * bytes_of(rows.scalar)),
        kind(rows.scalar == Scalar::float32 ? 1 : 2) {
    for_packed_rows(rows, [&](const void* data, std::size_t count, std::size_t at) {
      bytes.write(static_cast<const std::uint8_t*>(data), count, at);
    });
  }
};

Numbers rows_on(OpenDevice& device, const PointsView& rows) {
  return rows.data ? Numbers(device, rows) : Numbers(device);
}
Numbers values_on(OpenDevice& device, const ValuesView& values) {
  return rows_on(device, {values.data, values.size, 1, 1, values.scalar});
}

std::size_t bytes_per_point(const DeviceMembers& members) {
  const auto d = static_cast<std::size_t>(members.position.dimension);
  constexpr std::size_t kOrder = 4, kSort = 28;
  return d * bytes_of(members.position.scalar) +
         (members.velocity.data ? d * bytes_of(members.velocity.scalar) : 0) +
         (members.mass.data ? bytes_of(members.mass.scalar) : 0) + (members.types > 0 ? 1 : 0) +
         kOrder + (members.label ? kSort : 0);
}

class Sums {
 public:
  Sums(OpenDevice& device, const DeviceMembers& members, const SumColumns& columns)
      : device_(device),
        members_(members),
        columns_(columns),
        position_(rows_on(device, members.position)),
        velocity_(rows_on(device, members.velocity)),
        mass_(values_on(device, members.mass)),
        type_(device, std::max<std::size_t>(1, members.type.size())),
        sides_(device, members.side.size()),
        order_(device, members.position.size) {
    type_.write(members.type.data(), members.type.size());
    sides_.write(members.side.data(), members.side.size());
    if (members.order)
      order_.write(members.order, order_.size());
    else
      sort_by_group();
  }

  std::uint32_t groups() const { return static_cast<std::uint32_t>(members_.offset.size() - 1); }

  /// The memory that a group of one block takes.
  std::size_t bytes_per_group() const {
    constexpr std::size_t kPlaces = 16;
    return 2 * sizeof(double) * (columns_.sums() + columns_.moments()) + kPlaces;
  }

  /// The sums of the groups [begin, end); false if memory is short.
  bool run(std::uint32_t begin, std::uint32_t end, std::size_t room,
           FunctionRef<void(const DeviceSumRows&)> deliver) {
    Batch batch(device_, end - begin);
    batch.blocks = count_blocks(begin, batch);
    const std::size_t columns = std::max(columns_.sums(), columns_.moments());
    if (batch.blocks * columns * sizeof(double) > room) return false;
    Buffer<double> partial(device_, batch.blocks * columns);
    Buffer<double> sums(device_, batch.groups * columns_.sums());
    Buffer<double> moments(device_, batch.groups * columns_.moments());
    fill(device_, batch.weighs_one, 0, batch.groups);
    add_members(batch, partial, sums);
    if (find_massless(batch, sums)) add_members(batch, partial, sums);
    add_moments(batch, sums, partial, moments);
    read(batch, sums, moments);
    deliver({begin, end, first_.data(), sums_.data(), moments_.data()});
    return true;
  }

 private:
  /// Some groups and their blocks of members.
  struct Batch {
    Batch(OpenDevice& device, std::uint32_t count)
        : groups(count),
          offset(device, count + std::size_t{1}),
          block_first(device, count + std::size_t{1}),
          weighs_one(device, count),
          first(device, count) {}
    std::uint32_t groups;
    std::size_t blocks = 0;
    Uints offset, block_first, weighs_one, first;
  };

  ProgramKey program() const { return {"catalogue", true, members_.position.dimension}; }
  std::uint32_t block_size() const { return static_cast<std::uint32_t>(members_.block); }

  void sort_by_group() {
    const std::size_t n = order_.size();
    Buffer<std::int32_t> label(device_, n);
    label.write(members_.label, n);
    KeySort<std::uint32_t> sort(device_, n);
    device_.launch(program(), "label_keys", n, label, groups(), std::uint64_t{n}, sort.keys());
    sort.reset(n);
    sort.sort(n, static_cast<int>(std::bit_width(groups())));
    std::swap(order_, sort.items());
  }

  std::size_t count_blocks(std::uint32_t begin, Batch& batch) const {
    const auto* from = members_.offset.data() + begin;
    const std::vector<std::uint32_t> offset(from, from + batch.groups + 1);
    batch.offset.write(offset.data(), offset.size());
    device_.launch(program(), "count_blocks", offset.size(), batch.offset, batch.groups,
                   block_size(), batch.block_first);
    exclusive_scan(device_, batch.block_first, offset.size());
    device_.launch(program(), "first_members", batch.groups, order_, batch.offset, batch.groups,
                   batch.first);
    return batch.block_first.value(batch.groups);
  }

  void add_members(const Batch& batch, Buffer<double>& partial, Buffer<double>& sums) const {
    device_.launch(program(), "add_members", batch.blocks * kGroupSize, order_, batch.offset,
                   batch.block_first, batch.groups, block_size(), position_.bytes, position_.kind,
                   velocity_.bytes, velocity_.kind, mass_.bytes, mass_.kind, members_.mass.same,
                   type_, static_cast<std::uint32_t>(members_.types), sides_, batch.weighs_one,
                   partial);
    join(batch, partial, columns_.sums(),
         {columns_.lower(), columns_.upper(), columns_.type_mass()}, sums);
  }

  bool find_massless(const Batch& batch, const Buffer<double>& sums) const {
    Uints any(device_, 1);
    fill(device_, any, 0, 1);
    device_.launch(program(), "find_massless", batch.groups, sums, batch.groups,
                   static_cast<std::uint32_t>(columns_.sums()), batch.weighs_one, any);
    return any.value(0) > 0;
  }

  void add_moments(const Batch& batch, const Buffer<double>& sums, Buffer<double>& partial,
                   Buffer<double>& moments) const {
    device_.launch(program(), "add_moments", batch.blocks * kGroupSize, order_, batch.offset,
                   batch.block_first, batch.groups, block_size(), position_.bytes, position_.kind,
                   velocity_.bytes, velocity_.kind, mass_.bytes, mass_.kind, members_.mass.same,
                   static_cast<std::uint32_t>(columns_.components), sides_, batch.weighs_one, sums,
                   static_cast<std::uint32_t>(columns_.sums()), partial);
    constexpr std::size_t kEnd = SumColumns::kRadius2 + 1;
    join(batch, partial, columns_.moments(), {SumColumns::kRadius2, SumColumns::kRadius2, kEnd},
         moments);
  }

  /// The first column of least values, of largest ones, and of sums again.
  struct Extremes {
    std::size_t least, most, rest;
  };
  void join(const Batch& batch, const Buffer<double>& partial, std::size_t columns,
            const Extremes& of, Buffer<double>& out) const {
    device_.launch(program(), "join_blocks", batch.groups * columns, partial, batch.block_first,
                   batch.groups, static_cast<std::uint32_t>(columns),
                   static_cast<std::uint32_t>(of.least), static_cast<std::uint32_t>(of.most),
                   static_cast<std::uint32_t>(of.rest), out);
  }

  void read(const Batch& batch, const Buffer<double>& sums, const Buffer<double>& moments) {
    first_.resize(batch.groups);
    sums_.resize(sums.size());
    moments_.resize(moments.size());
    batch.first.read(first_.data(), first_.size());
    sums.read(sums_.data(), sums_.size());
    moments.read(moments_.data(), moments_.size());
  }

  OpenDevice& device_;
  const DeviceMembers& members_;
  SumColumns columns_;
  Numbers position_, velocity_, mass_;
  Bytes type_;
  Buffer<double> sides_;
  Uints order_;
  std::vector<std::uint32_t> first_;
  std::vector<double> sums_, moments_;
};

}  // namespace

void MemberSums::run(const DeviceMembers& members, const SumColumns& columns,
                     FunctionRef<void(const DeviceSumRows&)> deliver, Workers& workers) {
  if (members.offset.size() <= 1) return;
  const auto d = static_cast<std::size_t>(members.position.dimension);
  check_room("catalogue", device_, members.position.size, bytes_per_point(members),
             d * sizeof(double));
  Sums job(device_, members, columns);
  Batches batches(device_, job.groups(), job.bytes_per_group());
  batches.run([&](std::uint32_t begin, std::uint32_t end) {
    workers.check_cancelled();
    if (!job.run(begin, end, batches.result_room(), deliver)) return false;
    workers.advance(members.offset[end] - members.offset[begin]);
    return true;
  });
}

}  // namespace kith::gpu
