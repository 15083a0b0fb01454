#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "mpi/domains/cells.hpp"
#include "mpi/domains/kd_cells.hpp"
#include "mpi/domains/shipment.hpp"
#include "mpi/domains/splitters.hpp"
#include "mpi/domains/unique_ids.hpp"
#include "neighbors/parts.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

/// Distributes the points of the caller and builds the tree of each rank.
template <class T>
class Distributor {
 public:
  Distributor(Call& call, Domains::Impl& impl, const PointsView& points)
      : call_(call), impl_(impl), points_(points), shipment_(call, impl.route) {}

  void run(Distribution how) {
    impl_.part.template emplace<Part<T>>();
    measure(how);
    call_.note_traffic("frame");
    send(how);
    call_.note_traffic("domains");
    build(how);
    call_.note_traffic("boxes");
  }

 private:
  Part<T>& part() { return std::get<Part<T>>(impl_.part); }

  // ---- one frame for all

  void measure(Distribution how) {
    MeasuredRows<T> measured;
    const auto d = static_cast<std::size_t>(points_.dimension);
    std::vector<double> ends;
    std::vector<std::int64_t> sizes;
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "check", points_.size);
      Parts<T>::check("domains", points_, impl_.options.tree);
      check_ids();
      check_weights(how);
      measured = Parts<T>::measure(points_, impl_.options.tree.non_finite, workers);
      for (std::size_t axis = 0; axis < d; ++axis)
        ends.push_back(static_cast<double>(measured.extent.bounds.lo[axis]));
      for (std::size_t axis = 0; axis < d; ++axis)
        ends.push_back(-static_cast<double>(measured.extent.bounds.hi[axis]));
      sizes.resize(static_cast<std::size_t>(call_.ranks()));
      first_.resize(sizes.size());
    });
    call_.communicator().least(ends.data(), ends.size());
    const auto mine = static_cast<std::int64_t>(points_.size);
    call_.communicator().gather_all(&mine, sizeof mine, sizes.data());
    std::int64_t sums[] = {static_cast<std::int64_t>(measured.rows.size), ids().empty() ? 0 : 1,
                           weight().empty() ? 0 : 1};
    call_.communicator().sum(sums, 3);
    impl_.total = static_cast<std::uint64_t>(sums[0]);
    has_ids_ = sums[1] > 0;
    has_weights_ = sums[2] > 0;
    std::exclusive_scan(sizes.begin(), sizes.end(), first_.begin(),
                        static_cast<std::uint64_t>(impl_.options.first_index));
    if (!has_ids_) impl_.first = first_[static_cast<std::size_t>(call_.rank())];
    Extent<T> extent;
    for (std::size_t axis = 0; axis < d; ++axis) {
      extent.bounds.lo[axis] = static_cast<T>(ends[axis]);
      extent.bounds.hi[axis] = static_cast<T>(-ends[d + axis]);
    }
    call_.prepare([&] {
      if (has_ids_ && ids().empty() && points_.size > 0)
        refuse("domains: ids on other ranks, but not here; give them on all ranks or on none");
      if (has_weights_ && weight().empty() && points_.size > 0)
        refuse("domains: weights on other ranks, but not here; give them on all ranks or on none");
      check_first(first_.back() + static_cast<std::uint64_t>(sizes.back()));
      part().frame = Parts<T>::frame(impl_.options.tree.box, points_.dimension, extent);
      input_ = Parts<T>::input(part().frame, std::move(measured));
    });
  }

  void check_ids() const {
    const auto ids = impl_.options.ids;
    if (!ids.empty() && ids.size() != points_.size)
      refuse("domains: {} ids for {} points; give one for each", ids.size(), points_.size);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i] < 0) refuse("domains: id {} of point {}; ids are 0 or more", ids[i], i);
  }

  void check_weights(Distribution how) const {
    const auto weights = weight();
    if (!weights.empty() && how == Distribution::kd)
      refuse("domains: weights, but kd gives all ranks the same number of points; use curve");
    if (!weights.empty() && how == Distribution::keep)
      refuse("domains: weights, but keep moves no points; use curve");
    if (!weights.empty() && weights.size() != points_.size)
      refuse("domains: {} weights for {} points; give one for each", weights.size(), points_.size);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (!(weights[i] >= 0) || std::isinf(weights[i]))
        refuse("domains: weight {} of point {}; weights are finite and 0 or more", weights[i], i);
  }

  /// `end`: beyond the last index of all ranks.
  void check_first(std::uint64_t end) const {
    const std::int64_t first = impl_.options.first_index;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (first < 0) refuse("domains: first_index = {}; give 0 or more", first);
    if (end > static_cast<std::uint64_t>(kMost) + 1)
      refuse("domains: indices from {} reach {}; the largest is {}", first, end - 1, kMost);
  }

  // ---- to their ranks

  /// Points that stay where they are are read by the tree itself.
  void keep() {
    call_.work([&](Workers& workers) {
      shipment_.plan_keep(input_.size, !input_.live.empty(), workers);
      impl_.route.in = impl_.route.out;
      if (input_.live.empty() && impl_.options.tree.builder != Builder::cells) return;
      const auto d = static_cast<std::size_t>(points_.dimension);
      rows_ = Array<T>(input_.size * d, workers.pool());
      with_dimension(points_.dimension, [&]<int D>() {
        const Axes<D> axes(points_.dimension);
        workers.for_ranges(input_.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) input_.load(i, axes, rows_.data() + i * d);
        });
      });
    });
  }

  void send(Distribution how) {
    if (how == Distribution::keep && !has_ids_) return keep();
    Array<std::uint32_t> rank;
    if (how == Distribution::curve && call_.ranks() > 1) rank = assign_runs();
    if (how == Distribution::kd) rank = assign_kd_cells();
    call_.work([&](Workers& workers) {
      const Stage stage(workers, "plan", input_.size);
      if (rank.empty())
        shipment_.plan_keep(input_.size, !input_.live.empty(), workers);
      else
        shipment_.plan(rank, workers);
    });
    rank = {};
    shipment_.announce();
    const auto d = static_cast<std::size_t>(points_.dimension);
    with_dimension(points_.dimension, [&]<int D>() {
      const Axes<D> axes(points_.dimension);
      rows_ = shipment_.send<T>("send points", d,
                                [&](std::size_t i, T* to) { input_.load(i, axes, to); });
    });
    if (!has_ids_)
      number_rows(shipment_.send<std::uint32_t>(
          "send numbers", 1, [&](std::size_t i, std::uint32_t* to) { *to = input_.index(i); }));
    else
      number_ids(
          shipment_.send<std::uint64_t>("send ids", 1, [&](std::size_t i, std::uint64_t* to) {
            *to = static_cast<std::uint64_t>(ids()[input_.index(i)]);
          }));
  }

  Array<std::uint32_t> assign_runs() {
    SplitJob<T> job = split_job();
    if (has_weights_) job.units = agree_on_units<T>(call_, input_, weight(), impl_.total);
    return destinations<T>(call_, job);
  }

  Array<std::uint32_t> assign_kd_cells() {
    KdCells cells =
        kd_cells<T>(call_, {input_, ids(), first_[static_cast<std::size_t>(call_.rank())],
                            impl_.total, impl_.options.tree.split_axis});
    impl_.splits = std::move(cells.splits);
    return std::move(cells.rank);
  }

  std::span<const std::int64_t> ids() const { return impl_.options.ids; }
  std::span<const double> weight() const { return impl_.options.weight; }

  SplitJob<T> split_job() const {
    const TreeOptions& tree = impl_.options.tree;
    const bool is_cells = tree.builder == Builder::cells;
    return {input_,
            Parts<T>::curve(tree, points_.dimension),
            {ids(), first_[static_cast<std::size_t>(call_.rank())]},
            impl_.total,
            is_cells ? static_cast<std::size_t>(tree.max_leaf_size) : kLanes,
            is_cells};
  }

  // ---- local indices

  /// Rows arrive in the order of their global indices.
  void number_rows(const Array<std::uint32_t>& numbers) {
    const Runs& in = impl_.route.in;
    call_.work([&](Workers& workers) {
      Array<std::uint64_t>& global = part().global =
          Array<std::uint64_t>(in.total(), workers.pool());
      for (std::size_t run = 0; run < in.size(); ++run) {
        const std::uint64_t first = first_[static_cast<std::size_t>(in.rank[run])];
        workers.for_ranges(in.length(run), kPointGrain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = in.offset[run] + begin; i < in.offset[run] + end; ++i)
            global[i] = first + numbers[i];
        });
      }
      list_input_rows(workers);
    });
  }

  /// The same for points that stay: after the tree, so that its peak of memory does not grow.
  void number_here(const Workers& workers) {
    Array<std::uint64_t>& global = part().global =
        Array<std::uint64_t>(input_.size, workers.pool());
    const std::uint64_t first = first_[static_cast<std::size_t>(call_.rank())];
    workers.for_ranges(input_.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) global[i] = first + input_.index(i);
    });
    list_input_rows(workers);
  }

  void number_ids(Array<std::uint64_t> numbers) {
    call_.work([&](Workers& workers) {
      const Stage stage(workers, "number", numbers.size());
      const std::size_t n = numbers.size();
      if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) ==
          numbers.end()) {
        part().global = std::move(numbers);
      } else {
        Array<KeyIndex> order(n, workers.pool());
        for (std::size_t i = 0; i < n; ++i) order[i] = {numbers[i], static_cast<std::uint32_t>(i)};
        Parts<T>::sort(order.data(), n, workers);
        part().global = std::move(numbers);
        reorder(order, workers);
      }
      list_input_rows(workers);
    });
    if (call_.ranks() > 1) check_unique_ids(call_, part().global);
  }

  void reorder(const Array<KeyIndex>& order, const Workers& workers) {
    Route& route = impl_.route;
    const std::size_t n = order.size(), d = static_cast<std::size_t>(points_.dimension);
    route.local = Array<std::uint32_t>(n, workers.pool());
    Array<T> rows(n * d, workers.pool());
    workers.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto [id, arrival] = order[i];
        if (i > 0 && id == order[i - 1].key)
          refuse("domains: two points with the id {}; ids must be different", id);
        part().global[i] = id;
        route.local[arrival] = static_cast<std::uint32_t>(i);
        std::copy_n(rows_.data() + arrival * d, d, rows.data() + i * d);
      }
    });
    rows_ = std::move(rows);
  }

  /// Live points become rows of the caller.
  void list_input_rows(const Workers& workers) {
    if (input_.live.empty()) return;
    Array<std::uint32_t>& row = impl_.route.row;
    workers.for_ranges(row.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) row[i] = input_.index(row[i]);
    });
  }

  // ---- the tree

  void build(Distribution how) {
    const std::size_t n = impl_.route.in.total();
    const TreeOptions& tree = impl_.options.tree;
    const bool is_kept = how == Distribution::keep && !has_ids_;
    if (tree.builder == Builder::cells)
      part().planes = cells_of_rows(call_, rows_.data(), n, points_.dimension, tree,
                                    how == Distribution::curve);
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "tree", n);
      if (tree.builder == Builder::cells)
        part().packed = Parts<T>::packed(part().planes, workers);
      else if (is_kept && input_.live.empty())
        part().planes = Parts<T>::planes(input_, tree, workers);
      else
        part().planes = Parts<T>::planes_of_rows(rows_.data(), n, points_.dimension, tree, workers);
      rows_ = {};
      if (is_kept) number_here(workers);
    });
    part().boxes = gather_boxes<T>(call_, part().view());
  }

  Call& call_;
  Domains::Impl& impl_;
  const PointsView& points_;
  Shipment shipment_;  ///< of live points; Route::row names rows of the caller in the end
  Input<T> input_;
  std::vector<std::uint64_t> first_;  ///< global index of the first point given by each rank
  bool has_ids_ = false, has_weights_ = false;  ///< on any rank
  Array<T> rows_;
};

/// All ranks must pass the same options.
void agree_on_tree(SameOptions& same, const PointsView& points, const DomainOptions& options,
                   Distribution how) {
  const TreeOptions& tree = options.tree;
  same.add("domains", how == Distribution::curve ? "curve"
                      : how == Distribution::kd  ? "kd"
                                                 : "keep");
  same.add_space(points, tree.box);
  same.add_unshown("builder", static_cast<std::uint64_t>(tree.builder));
  same.add_unshown("curve", static_cast<std::uint64_t>(tree.curve));
  same.add_unshown("split_axis", static_cast<std::uint64_t>(tree.split_axis));
  same.add_unshown("non_finite", static_cast<std::uint64_t>(tree.non_finite));
  same.add("max_leaf_size", static_cast<std::uint64_t>(tree.max_leaf_size));
  same.add("coarsening", static_cast<std::uint64_t>(tree.coarsening));
  same.add("max_volume_ratio", tree.max_volume_ratio);
  same.add("first_index", static_cast<std::uint64_t>(options.first_index));
}

std::shared_ptr<const Domains::Impl> make_domains(MPI_Comm comm, const PointsView& points,
                                                  const DomainOptions& options,
                                                  const Execution& execution, Distribution how) {
  std::shared_ptr<Domains::Impl> impl;
  try {
    impl = std::make_shared<Domains::Impl>();
  } catch (const std::bad_alloc&) {
    const Communicator other(comm, false);  // informs the other ranks, and throws
  }
  impl->communicator.emplace(comm);
  impl->options = options;
  TreeOptions& tree = impl->options.tree;
  if (how == Distribution::kd && tree.builder == Builder::packed && tree.curve == Curve::automatic)
    tree.curve = Curve::kd;
  impl->input_size = points.size;
  impl->is_kept = how == Distribution::keep;
  impl->scalar = points.scalar;
  impl->dimension = points.dimension;
  // Trees of ranks are built on the CPU, and copied by the first search on a device.
  Call call("domains", *impl->communicator, execution, Devices::used);
  agree_on_tree(call.same(), points, options, how);
  call.prepare([] {
    if (pending_error) std::rethrow_exception(std::exchange(pending_error, nullptr));
  });
  with_scalar(points.scalar, [&]<class T>() { Distributor<T>(call, *impl, points).run(how); });
  impl->options.ids = {};
  impl->options.weight = {};
  return impl;
}

}  // namespace

Domains Domains::curve(MPI_Comm comm, PointsView points, const DomainOptions& options,
                       const Execution& execution) {
  return public_call("domains", [&] {
    return Domains(make_domains(comm, points, options, execution, Distribution::curve));
  });
}

Domains Domains::kd(MPI_Comm comm, PointsView points, const DomainOptions& options,
                    const Execution& execution) {
  return public_call("domains", [&] {
    return Domains(make_domains(comm, points, options, execution, Distribution::kd));
  });
}

Domains Domains::keep(MPI_Comm comm, PointsView points, const DomainOptions& options,
                      const Execution& execution) {
  return public_call("domains", [&] {
    return Domains(make_domains(comm, points, options, execution, Distribution::keep));
  });
}

}  // namespace kith::mpi
