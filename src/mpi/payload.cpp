// Values that travel with the points: from the caller's rows to the ranks that have the points,
// and results back.
#include <cstring>

#include "mpi/domain.hpp"

namespace kith::mpi {
namespace {

constexpr std::size_t kPayloadGrain = std::size_t{1} << 14;

}  // namespace

Array<std::byte> carried(Call& call, const Route& route, const void* from, std::size_t bytes) {
  const auto* rows = static_cast<const std::byte*>(from);
  Array<std::byte> out;
  Runs to, back;
  call.phase([&](Workers& workers) {
    to = route.out.times(bytes);
    back = route.in.times(bytes);
    out = Array<std::byte>(route.size() * bytes, workers.pool());
    workers.for_ranges(route.size(), kPayloadGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(out.data() + i * bytes, rows + route.row_of(i) * bytes, bytes);
    });
  });
  Array<std::byte> arrived = call.exchange(to, out.data(), back);
  if (!route.local.empty())
    call.phase([&](Workers& workers) {
      Array<std::byte> ordered(arrived.size(), workers.pool());
      workers.for_ranges(route.in.total(), kPayloadGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          std::memcpy(ordered.data() + route.local[i] * bytes, arrived.data() + i * bytes, bytes);
      });
      arrived = std::move(ordered);
    });
  else
    call.quick([] {});
  return arrived;
}

void carried_back(Call& call, const Route& route, FunctionRef<const void*(std::size_t)> row,
                  std::size_t bytes, void* to) {
  Array<std::byte> out;
  Runs runs, back;
  call.phase([&](Workers& workers) {
    runs = route.in.times(bytes);
    back = route.out.times(bytes);
    out = Array<std::byte>(route.in.total() * bytes, workers.pool());
    workers.for_ranges(route.in.total(), kPayloadGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(out.data() + i * bytes, row(route.local_of(i)), bytes);
    });
  });
  const Array<std::byte> arrived = call.exchange(runs, out.data(), back);
  call.phase([&](Workers& workers) {
    auto* rows = static_cast<std::byte*>(to);
    workers.for_ranges(route.size(), kPayloadGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(rows + route.row_of(i) * bytes, arrived.data() + i * bytes, bytes);
    });
  });
}

void Domains::carry(const void* from, std::size_t count, std::size_t bytes, const Room& room,
                    const Execution& execution) const {
  public_call("to_tree_order", [&] {
    Call call("to_tree_order", *impl_->communicator, execution);
    call.quick([&] {
      if (count != input_size())
        refuse("to_tree_order: {} values for {} points; give one for each", count, input_size());
    });
    const Array<std::byte> local = carried(call, impl_->route, from, bytes);
    call.phase([&](Workers& workers) {
      auto* to = static_cast<std::byte*>(room(size()));
      impl_->visit([&](const auto& part) {
        workers.for_ranges(
            part.planes.points, kPayloadGrain, [&](std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i)
                std::memcpy(to + i * bytes, local.data() + part.planes.index(i) * bytes, bytes);
            });
      });
    });
    call.note_traffic("payload");
  });
}

void Domains::carry_back(const void* from, std::size_t count, std::size_t bytes, const Room& room,
                         const Execution& execution) const {
  public_call("to_input_order", [&] {
    Call call("to_input_order", *impl_->communicator, execution);
    Array<std::uint32_t> position;
    void* to = nullptr;
    call.phase([&](Workers& workers) {
      if (count != size())
        refuse("to_input_order: {} values for {} points; give one for each", count, size());
      to = room(input_size());
      position = Array<std::uint32_t>(size(), workers.pool());
      impl_->visit([&](const auto& part) {
        for (std::size_t i = 0; i < part.planes.points; ++i)
          position[part.planes.index(i)] = static_cast<std::uint32_t>(i);
      });
    });
    carried_back(
        call, impl_->route,
        [&](std::size_t local) -> const void* {
          return static_cast<const std::byte*>(from) + position[local] * bytes;
        },
        bytes, to);
    call.note_traffic("payload");
  });
}

}  // namespace kith::mpi
