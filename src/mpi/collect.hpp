// Rows of all ranks on the first one: whole arrays, or piece by piece as the code there asks for
// them.
#pragma once

#include <functional>
#include <span>

#include <kith/ranks.hpp>

#include "mpi/call.hpp"

namespace kith::mpi {

/// Values of all ranks, rank by rank, on the first one; nothing on the others. Collective.
template <class Value>
Array<Value> gathered(Call& call, std::span<const Value> values) {
  Runs out;
  call.quick([&] {
    if (!values.empty()) out.add(0, values.size() * sizeof(Value));
  });
  const Runs in = call.announced(out);
  Array<Value> all;
  call.quick([&] { all = Array<Value>(in.total() / sizeof(Value), pool_of(call.execution())); });
  call.exchange(out, reinterpret_cast<const std::byte*>(values.data()), in,
                reinterpret_cast<std::byte*>(all.data()));
  return all;
}
template <class Value>
Array<Value> gathered(Call& call, const Array<Value>& values) {
  return gathered(call, std::span<const Value>(values.data(), values.size()));
}

/// use(access) on the first rank. The others send it the rows that it asks for, or write them to
/// the file that it names. Errors of `use` are thrown on all ranks, on the first one unchanged.
/// Collective.
void collect(Call& call, std::span<const SharedRows> arrays,
             const std::function<void(std::span<const RowAccess>)>& use);

}  // namespace kith::mpi
