#include <bit>

#include "gpu/batches.hpp"
#include "gpu/calls.hpp"
#include "gpu/search.hpp"
#include "gpu/walk.hpp"

namespace kith::gpu {
namespace {

template <class T>
class Radius {
 public:
  Radius(OpenDevice& device, const DeviceSearch<T>& search, Workers& workers)
      : device_(device),
        search_(search),
        trees_(device, search, workers),
        limits2_(limits(device, search)),
        walk_(*trees_.queries, *trees_.sources, trees_.sides,
              {0, search.limits2 ? std::numeric_limits<T>::infinity() : search.limit2,
               search.limits2 ? &limits2_ : nullptr}) {}

  std::uint32_t receivers() const { return walk_.receivers(); }
  std::size_t queries() const { return trees_.queries->points(); }

  bool run(std::uint32_t begin, std::uint32_t end, bool only_count, const Batches& batches,
           FunctionRef<void(const DeviceRows<T>&)> deliver) {
    const auto lists = walk_.run(begin, end, batches.list_room());
    if (!lists) return false;
    const QueryRange range(queries(), begin, end);
    const std::size_t room = (end - begin) * kGroupQueries;
    Ulongs offsets(device_, room + 1);
    fill(device_, offsets, 0, room + 1);
    launch("radius_count", *lists, begin, end, offsets);
    exclusive_scan(device_, offsets, room + 1);
    if (!only_count && !fill_rows(*lists, begin, end, batches.result_room(), offsets)) return false;
    rows_.read_queries(*trees_.queries, "radius", range);
    rows_.offset.resize(range.count + 1);
    offsets.read(rows_.offset.data(), range.count + 1);
    deliver(rows_.rows(range));
    return true;
  }

 private:
  static Buffer<T> limits(OpenDevice& device, const DeviceSearch<T>& search) {
    const std::size_t count = !search.limits2  ? 0
                              : search.queries ? search.queries->size
                                               : search.tree.input_size;
    Buffer<T> limits(device, std::max<std::size_t>(1, count));
    limits.write(search.limits2, count);
    return limits;
  }

  bool fill_rows(const Lists<T>& lists, std::uint32_t begin, std::uint32_t end, std::size_t room,
                 const Ulongs& offsets) {
    const std::size_t queries = (end - begin) * kGroupQueries;
    const std::size_t total = offsets.value(queries);
    if (total * (sizeof(T) + 4) > room) return false;
    Buffer<T> d2(device_, total);
    Uints index(device_, total);
    launch("radius_fill", lists, begin, end, offsets, d2, index);
    device_.launch(program(), "radius_sort", queries * kGroupSize, offsets, d2, index);
    sort_long_rows(offsets, queries, d2, index);
    rows_.d2.resize(total);
    rows_.index.resize(total);
    d2.read(rows_.d2.data(), total);
    index.read(rows_.index.data(), total);
    return true;
  }

  ProgramKey program() const { return trees_.sources->program("radius"); }

  /// By row, d2 and index: a stable sort by the last of them first.
  void sort_long_rows(const Ulongs& offsets, std::size_t rows, Buffer<T>& d2, Uints& index) {
    const std::uint64_t row_count = rows;
    Ulongs begin(device_, rows + 1);
    device_.launch(program(), "long_rows", rows + 1, offsets, row_count, begin);
    exclusive_scan(device_, begin, rows + 1);
    const std::uint64_t n = begin.value(rows);
    if (n == 0) return;
    Buffer<T> copied_d2(device_, n);
    Uints copied_index(device_, n), row_of(device_, n);
    KeySort<std::uint64_t> sort(device_, n);
    device_.launch(program(), "long_entries", n, begin, row_count, offsets, d2, index, n, copied_d2,
                   copied_index, row_of, sort.keys());
    sort.reset(n);
    sort.sort(n, sizeof(T) == 8 ? 32 : 64);
    if (sizeof(T) == 8) {
      device_.launch(program(), "long_keys", n, copied_d2, sort.items(), n, sort.keys());
      sort.sort(n, 64);
    }
    sort.gather(row_of, n);
    sort.sort(n, static_cast<int>(std::bit_width(rows)));
    device_.launch(program(), "long_places", n, begin, row_count, offsets, sort.items(), copied_d2,
                   copied_index, n, d2, index);
  }

  template <class... Out>
  void launch(const char* kernel, const Lists<T>& lists, std::uint32_t begin, std::uint32_t end,
              const Out&... out) {
    const PackedTree<T>&from = *trees_.sources, &to = *trees_.queries;
    device_.launch(program(), kernel, (end - begin) * kGroupSize, to.blocks(), begin,
                   std::uint64_t{to.points()}, from.blocks(), from.boxes(), from.block_count(),
                   lists.first, lists.size, lists.source, trees_.sides, search_.limit2, limits2_,
                   std::uint32_t{search_.limits2 != nullptr}, std::uint32_t{search_.exclude_self},
                   out...);
  }

  OpenDevice& device_;
  const DeviceSearch<T>& search_;
  SearchTrees<T> trees_;
  Buffer<T> limits2_;
  Walk<T> walk_;
  HostRows<T> rows_;
};

}  // namespace

template <class T>
void Calls<T>::radius(const DeviceSearch<T>& search, bool only_count,
                      FunctionRef<void(const DeviceRows<T>&)> deliver, Workers& workers) {
  Radius<T> job(device_, search, workers);
  if (job.queries() == 0) return;
  const Stage stage(workers, only_count ? "count" : "fill", job.queries());
  Batches batches(device_, job.receivers(), kGroupQueries * 16);
  batches.run([&](std::uint32_t begin, std::uint32_t end) {
    workers.check_cancelled();
    if (!job.run(begin, end, only_count, batches, deliver)) return false;
    workers.advance(QueryRange(job.queries(), begin, end).count);
    return true;
  });
}

template void Calls<float>::radius(const DeviceSearch<float>&, bool,
                                   FunctionRef<void(const DeviceRows<float>&)>, Workers&);
template void Calls<double>::radius(const DeviceSearch<double>&, bool,
                                    FunctionRef<void(const DeviceRows<double>&)>, Workers&);

}  // namespace kith::gpu
