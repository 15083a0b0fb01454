#include "gpu/batches.hpp"
#include "gpu/calls.hpp"
#include "gpu/search.hpp"
#include "gpu/walk.hpp"

namespace kith::gpu {
namespace {

/// The sources of a receiver, as in knn.cl.
enum class Sources : std::uint32_t { all_listed, own_node, others_listed };

/// Neighbors of one pass: as many as the registers of a work-item hold.
std::uint32_t pass_size(std::size_t k) { return k <= 8 ? 8 : k <= 16 ? 16 : 32; }

/// Arrays of the caller as arguments of a kernel, which reads no null.
struct RowArguments {
  template <class T>
  RowArguments(const RowsOnDevice<T>& rows, const Uints& unused)
      : index(rows.index ? rows.index : unused.memory()),
        distance(rows.distance ? rows.distance : unused.memory()),
        words(!rows.index    ? 0
              : rows.is_long ? 2
                             : 1),
        has_distance(rows.distance != nullptr) {}
  Memory index, distance;
  std::uint32_t words, has_distance;
};

template <class T>
class Knn {
 public:
  /// `stays`: where rows go that are not delivered to the host, or null.
  Knn(OpenDevice& device, const DeviceSearch<T>& search, std::size_t k,
      const RowsOnDevice<T>* stays, Workers& workers)
      : device_(device),
        stays_(stays),
        search_(search),
        k_(k),
        trees_(device, search, workers),
        walk_(*trees_.queries, *trees_.sources, trees_.sides,
              {k + (search.exclude_self ? 1 : 0), search.limit2, nullptr,
               begins_with_own(search, k)}),
        begins_with_own_(begins_with_own(search, k)) {}

  std::uint32_t receivers() const { return walk_.receivers(); }
  std::size_t queries() const { return trees_.queries->points(); }

  /// The rows of some receivers; false if memory was short.
  bool run(std::uint32_t begin, std::uint32_t end, std::size_t list_room,
           FunctionRef<void(const DeviceRows<T>&)> deliver) {
    const QueryRange range(queries(), begin, end);
    const std::size_t room = (end - begin) * kGroupQueries * k_;
    Buffer<T> d2(device_, room);
    Uints index(device_, room);
    if (begins_with_own_) {
      pass(no_lists_, Sources::own_node, begin, end, 0, d2, index);
      walk_.lift_reach(begin, end);
    }
    const auto lists = walk_.run(begin, end, list_room);
    if (!lists) return false;
    const Sources sources = begins_with_own_ ? Sources::others_listed : Sources::all_listed;
    for (std::size_t done = 0; done < k_; done += pass_size(k_))
      pass(*lists, sources, begin, end, done, d2, index);
    if (stays_) {
      store(range, d2, index);
      return true;
    }
    rows_.read_queries(*trees_.queries, "knn", range);
    rows_.d2.resize(range.count * k_);
    rows_.index.resize(range.count * k_);
    d2.read(rows_.d2.data(), rows_.d2.size());
    index.read(rows_.index.data(), rows_.index.size());
    rows_.offset.resize(range.count + 1);
    for (std::size_t i = 0; i <= range.count; ++i) rows_.offset[i] = i * k_;
    deliver(rows_.rows(range));
    return true;
  }

 private:
  void store(const QueryRange& range, const Buffer<T>& d2, const Uints& index) {
    const PackedTree<T>& queries = *trees_.queries;
    const RowArguments to(*stays_, unused_);
    device_.launch(queries.program("rows"), "store_rows", range.count * k_, queries.blocks(),
                   std::uint64_t{range.first}, std::uint64_t{range.count},
                   static_cast<std::uint32_t>(k_), std::uint32_t{stays_->in_tree_order}, index, d2,
                   stays_->unscale, to.index, to.words, to.distance, to.has_distance);
    device_.finish();
  }

  /// The neighbors of a point in its own node of 64 give a bound that no boxes give: the lists are
  /// a fifth as long. For points of the tree, and as many neighbors as one pass finds.
  static bool begins_with_own(const DeviceSearch<T>& search, std::size_t k) {
    return !search.queries && !search.query_tree && k <= pass_size(k);
  }

  void pass(const Lists<T>& lists, Sources sources, std::uint32_t begin, std::uint32_t end,
            std::size_t done, Buffer<T>& d2, Uints& index) {
    const PackedTree<T>&from = *trees_.sources, &to = *trees_.queries;
    const std::size_t places = pass_size(k_), wanted = std::min(places, k_ - done);
    device_.launch(from.program("knn", static_cast<int>(pass_size(k_))), "knn",
                   (end - begin) * kGroupSize, to.blocks(), to.boxes(), begin,
                   std::uint64_t{to.points()}, from.blocks(), from.boxes(), from.block_count(),
                   static_cast<std::uint32_t>(sources), lists.first, lists.size, lists.source,
                   lists.lower, trees_.sides, search_.limit2, std::uint32_t{search_.exclude_self},
                   static_cast<std::uint32_t>(k_), static_cast<std::uint32_t>(done),
                   static_cast<std::uint32_t>(places - wanted), d2, index, walk_.reach());
  }

  OpenDevice& device_;
  const RowsOnDevice<T>* stays_;
  Uints unused_{device_, 1};
  const DeviceSearch<T>& search_;
  std::size_t k_;
  SearchTrees<T> trees_;
  Walk<T> walk_;
  bool begins_with_own_;
  Lists<T> no_lists_{Ulongs(device_, 1), Uints(device_, 1), Uints(device_, 1),
                     Buffer<T>(device_, 1)};
  HostRows<T> rows_;
};

template <class T>
void search(OpenDevice& device, const DeviceSearch<T>& search, std::size_t k,
            const RowsOnDevice<T>* stays, FunctionRef<void(const DeviceRows<T>&)> deliver,
            Workers& workers) {
  constexpr std::size_t kMost = 0xffffffff;
  if (k > kMost)
    fail(ErrorCode::too_large, "knn: k = {}; a device finds at most {} neighbors", k, kMost);
  Knn<T> job(device, search, k, stays, workers);
  if (job.queries() == 0) return;
  const Stage stage(workers, "search", job.queries());
  Batches batches(device, job.receivers(), kGroupQueries * k * (sizeof(T) + 4));
  batches.run([&](std::uint32_t begin, std::uint32_t end) {
    workers.check_cancelled();
    if (!job.run(begin, end, batches.list_room(), deliver)) return false;
    workers.advance(QueryRange(job.queries(), begin, end).count);
    return true;
  });
}

}  // namespace

template <class T>
void Calls<T>::knn(const DeviceSearch<T>& what, std::size_t k,
                   FunctionRef<void(const DeviceRows<T>&)> deliver, Workers& workers) {
  search<T>(device_, what, k, nullptr, deliver, workers);
}

template <class T>
void Calls<T>::knn_into(const DeviceSearch<T>& what, std::size_t k, const RowsOnDevice<T>& rows,
                        Workers& workers) {
  device_.wait_for_others();
  const Uints unused(device_, 1);
  const RowArguments to(rows, unused);
  const ProgramKey program{"rows", sizeof(T) == 8, what.tree.dimension};
  device_.launch(program, "fill_rows", rows.rows * k, to.index, to.words, to.distance,
                 to.has_distance, std::uint64_t{rows.rows * k});
  device_.finish();
  const std::size_t points = what.tree.facts([](const auto& data) { return data.planes.points; });
  if (points == 0 || rows.rows == 0 || what.limit2 < 0) return;
  search<T>(
      device_, what, k, &rows, [](const DeviceRows<T>&) {}, workers);
}

template void Calls<float>::knn_into(const DeviceSearch<float>&, std::size_t,
                                     const RowsOnDevice<float>&, Workers&);
template void Calls<double>::knn_into(const DeviceSearch<double>&, std::size_t,
                                      const RowsOnDevice<double>&, Workers&);
template void Calls<float>::knn(const DeviceSearch<float>&, std::size_t,
                                FunctionRef<void(const DeviceRows<float>&)>, Workers&);
template void Calls<double>::knn(const DeviceSearch<double>&, std::size_t,
                                 FunctionRef<void(const DeviceRows<double>&)>, Workers&);

}  // namespace kith::gpu
