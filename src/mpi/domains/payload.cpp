// Values that travel with the points: from the caller's rows to the ranks that have the points,
// and results back.
#include <cstring>

#include "mpi/domains/domain.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

/// f(copy) with copy(to, from) for rows of this many bytes. Those of the usual sizes need no call
/// for each row.
template <class F>
void with_row_copy(std::size_t bytes, F f) {
  const auto fixed = [&]<std::size_t kBytes>() {
    f([](std::byte* to, const std::byte* from) { std::memcpy(to, from, kBytes); });
  };
  switch (bytes) {
    case 1: return fixed.template operator()<1>();
    case 4: return fixed.template operator()<4>();
    case 8: return fixed.template operator()<8>();
    case 12: return fixed.template operator()<12>();
    case 24: return fixed.template operator()<24>();
    default: f([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
  }
}

/// move(i, copy) for i in [0, n), where copy(to, from) copies one row.
template <class Move>
void move_rows(std::size_t n, std::size_t bytes, const Workers& workers, Move move) {
  with_row_copy(bytes, [&](auto copy) {
    workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) move(i, copy);
    });
  });
}

}  // namespace

Array<std::byte> send_values(Call& call, const Route& route, const void* from, std::size_t bytes) {
  const auto* rows = static_cast<const std::byte*>(from);
  Array<std::byte> out;
  call.phase([&](Workers& workers) {
    out = Array<std::byte>(route.size() * bytes, workers.pool());
    move_rows(route.size(), bytes, workers, [&](std::size_t i, auto copy) {
      copy(out.data() + i * bytes, rows + route.row_of(i) * bytes);
    });
  });
  Array<std::byte> arrived = call.exchange(route.out, out.data(), route.in, bytes);
  if (!route.local.empty())
    call.phase([&](Workers& workers) {
      Array<std::byte> ordered(arrived.size(), workers.pool());
      move_rows(route.in.total(), bytes, workers, [&](std::size_t i, auto copy) {
        copy(ordered.data() + route.local[i] * bytes, arrived.data() + i * bytes);
      });
      arrived = std::move(ordered);
    });
  else
    call.quick([] {});
  return arrived;
}

void return_values(Call& call, const Route& route, FunctionRef<const void*(std::size_t)> row,
                   std::size_t bytes, void* to) {
  Array<std::byte> out;
  call.phase([&](Workers& workers) {
    out = Array<std::byte>(route.in.total() * bytes, workers.pool());
    move_rows(route.in.total(), bytes, workers, [&](std::size_t i, auto copy) {
      copy(out.data() + i * bytes, static_cast<const std::byte*>(row(route.local_of(i))));
    });
  });
  return_rows_of(call, route, out.data(), bytes, to);
}

void return_rows_of(Call& call, const Route& route, const void* from, std::size_t bytes, void* to) {
  const Array<std::byte> arrived =
      call.exchange(route.in, static_cast<const std::byte*>(from), route.out, bytes);
  call.phase([&](Workers& workers) {
    auto* rows = static_cast<std::byte*>(to);
    move_rows(route.size(), bytes, workers, [&](std::size_t i, auto copy) {
      copy(rows + route.row_of(i) * bytes, arrived.data() + i * bytes);
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
    const Array<std::byte> local = send_values(call, impl_->route, from, bytes);
    call.phase([&](Workers& workers) {
      auto* to = static_cast<std::byte*>(room(size()));
      impl_->visit([&](const auto& part) {
        move_rows(part.planes.points, bytes, workers, [&](std::size_t i, auto copy) {
          copy(to + i * bytes, local.data() + part.planes.index(i) * bytes);
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
    return_values(
        call, impl_->route,
        [&](std::size_t local) -> const void* {
          return static_cast<const std::byte*>(from) + position[local] * bytes;
        },
        bytes, to);
    call.note_traffic("payload");
  });
}

}  // namespace kith::mpi
