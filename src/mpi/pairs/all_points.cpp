#include "mpi/pairs/all_points.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "tree/input.hpp"

namespace kith::mpi {
namespace {

std::size_t bytes_of(Scalar scalar) {
  return scalar == Scalar::float32 ? sizeof(float) : sizeof(double);
}

template <class Value>
std::span<const Value> span_of(const Array<std::byte>& all) {
  return {reinterpret_cast<const Value*>(all.data()), all.size() / sizeof(Value)};
}

}  // namespace

AllPoints::AllPoints(Call& call, const PairSet& part, const Box& box, std::size_t words) {
  const PointsView& points = part.points;
  const auto dimension = static_cast<std::size_t>(std::max(0, points.dimension));
  call.same().add_space(points, box);
  std::array<std::int64_t, 3> is_missing{};
  call.quick([&] {
    check_view(call.name(), points, box);
    copy_rows(points);
    counts_.resize(static_cast<std::size_t>(call.ranks()));
    columns_.push_back(
        {"points", rows_.data(), points.size * dimension, dimension, bytes_of(points.scalar)});
    columns_.push_back({"weights", part.weight.data(), part.weight.size(), 1, sizeof(double)});
    columns_.push_back(
        {"region numbers", part.region.data(), part.region.size(), 1, sizeof(std::int32_t)});
    columns_.push_back(
        {"words of bits", part.bits.data(), part.bits.size(), words, sizeof(std::uint64_t)});
    for (std::size_t i = 0; i < 3; ++i) is_missing[i] = columns_[i + 1].values == 0 ? 1 : 0;
  });
  // Ranks that gave no points do not know whether others have weights.
  call.communicator().least(is_missing.data(), is_missing.size());
  for (std::size_t i = 0; i < 3; ++i) columns_[i + 1].is_given = is_missing[i] == 0;
  call.communicator().gather_all(&points.size, sizeof points.size, counts_.data());
  const std::size_t total = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
  call.quick([&] {
    for (const Column& column : columns_)
      if (column.is_given && column.values != points.size * column.row_values)
        refuse("{}: {} {} for the {} points of this rank; give {} for each, on all ranks",
               call.name(), column.values, column.name, points.size, column.row_values);
    check_view(call.name(),
               {counts_.data(), total, points.dimension, points.dimension, points.scalar}, box);
    for (Column& column : columns_)
      if (column.is_given)
        column.all = Array<std::byte>(total * column.row_values * column.value_bytes);
  });
  for (Column& column : columns_) share(call, column);
  first_ = std::accumulate(counts_.begin(), counts_.begin() + call.rank(), std::size_t{0});
  set_ = {{columns_[0].all.data(), total, points.dimension, points.dimension, points.scalar},
          span_of<double>(columns_[1].all),
          span_of<std::int32_t>(columns_[2].all),
          span_of<std::uint64_t>(columns_[3].all)};
}

void AllPoints::copy_rows(const PointsView& points) {
  const std::size_t row = static_cast<std::size_t>(points.dimension) * bytes_of(points.scalar);
  const auto stride = static_cast<std::size_t>(points.stride) * bytes_of(points.scalar);
  rows_.resize(points.size * row);
  for (std::size_t i = 0; i < points.size; ++i)
    std::memcpy(rows_.data() + i * row, static_cast<const std::byte*>(points.data) + i * stride,
                row);
}

void AllPoints::share(Call& call, Column& column) const {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // MPI counts bytes by int
  if (!column.is_given) return;
  std::byte* at = column.all.data();
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    const std::size_t bytes = counts_[rank] * column.row_values * column.value_bytes;
    if (static_cast<int>(rank) == call.rank() && bytes > 0) std::memcpy(at, column.own, bytes);
    for (std::size_t sent = 0; sent < bytes; sent += kMost)
      call.communicator().broadcast(at + sent, std::min(kMost, bytes - sent),
                                    static_cast<int>(rank));
    at += bytes;
  }
}

}  // namespace kith::mpi
