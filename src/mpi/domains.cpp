#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/checked_sort.hpp"
#include "mpi/domain.hpp"
#include "mpi/kd_cells.hpp"
#include "mpi/splitters.hpp"
#include "neighbors/parts.hpp"

namespace kith::mpi {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 14;

/// The steps from the caller's points to a part of space.
template <class T>
class Dealing {
 public:
  Dealing(Call& call, Domains::Impl& impl, const PointsView& points)
      : call_(call), impl_(impl), points_(points) {}

  void run(Dealt how) {
    impl_.part.template emplace<Part<T>>();
    measure();
    call_.note_traffic("frame");
    send(how);
    call_.note_traffic("domains");
    build();
    call_.note_traffic("boxes");
  }

 private:
  Part<T>& part() { return std::get<Part<T>>(impl_.part); }

  // ---- one frame for all

  void measure() {
    MeasuredRows<T> measured;
    const auto d = static_cast<std::size_t>(points_.dimension);
    std::vector<double> ends;
    std::vector<std::int64_t> sizes;
    call_.phase([&](Workers& workers) {
      const Stage stage(workers, "check", points_.size);
      Parts<T>::check("domains", points_, impl_.options.tree);
      check_ids();
      measured = Parts<T>::measure(points_, impl_.options.tree.non_finite, workers);
      for (std::size_t axis = 0; axis < d; ++axis)
        ends.push_back(static_cast<double>(measured.extent.bounds.lo[axis]));
      for (std::size_t axis = 0; axis < d; ++axis)
        ends.push_back(-static_cast<double>(measured.extent.bounds.hi[axis]));
      sizes.resize(static_cast<std::size_t>(call_.ranks()));
    });
    call_.communicator().least(ends.data(), ends.size());
    const auto mine = static_cast<std::int64_t>(points_.size);
    call_.communicator().gather_all(&mine, sizeof mine, sizes.data());
    std::int64_t live = static_cast<std::int64_t>(measured.rows.size);
    call_.communicator().sum(&live, 1);
    impl_.total = static_cast<std::uint64_t>(live);
    first_ = std::accumulate(sizes.begin(), sizes.begin() + call_.rank(), std::uint64_t{0});
    Extent<T> extent;
    for (std::size_t axis = 0; axis < d; ++axis) {
      extent.bounds.lo[axis] = static_cast<T>(ends[axis]);
      extent.bounds.hi[axis] = static_cast<T>(-ends[d + axis]);
    }
    call_.quick([&] {
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

  std::uint64_t global_of(std::size_t row) const {
    return impl_.options.ids.empty() ? first_ + row
                                     : static_cast<std::uint64_t>(impl_.options.ids[row]);
  }

  // ---- to their ranks

  void send(Dealt how) {
    Array<std::uint64_t> global;
    call_.phase([&](Workers& workers) {
      global = Array<std::uint64_t>(input_.size, workers.pool());
      workers.for_ranges(input_.size, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) global[i] = global_of(input_.index(i));
      });
    });
    Array<std::uint32_t> rank;
    if (how == Dealt::curve) rank = destinations<T>(call_, split_job(global));
    if (how == Dealt::kd) rank = deal_cells();
    call_.phase([&](Workers& workers) { plan(rank, workers); });
    rank = {};
    const auto d = static_cast<std::size_t>(points_.dimension);
    rows_ = shipped(d * sizeof(T), [&](std::size_t i, std::byte* to) {
      T x[kMaxDimension];
      input_.load(i, Axes<kAnyDimension>(points_.dimension), x);
      std::memcpy(to, x, d * sizeof(T));
    });
    impl_.route.in = std::move(arrived_);
    for (std::size_t& at : impl_.route.in.offset) at /= d * sizeof(T);
    const Array<std::byte> numbers = shipped(
        sizeof(std::uint64_t),
        [&](std::size_t i, std::byte* to) { std::memcpy(to, &global[i], sizeof(std::uint64_t)); });
    call_.phase([&](Workers& workers) { number(numbers, workers); });
  }

  Array<std::uint32_t> deal_cells() {
    KdCells cells = kd_cells<T>(
        call_, {input_, impl_.options.ids, first_, impl_.total, impl_.options.tree.split_axis});
    impl_.splits = std::move(cells.splits);
    return std::move(cells.rank);
  }

  SplitJob<T> split_job(const Array<std::uint64_t>& global) const {
    const TreeOptions& tree = impl_.options.tree;
    const bool is_cells = tree.builder == Builder::cells;
    return {input_,
            Parts<T>::curve(tree, points_.dimension),
            global.data(),
            impl_.total,
            is_cells ? static_cast<std::size_t>(tree.max_leaf_size) : kLanes,
            is_cells};
  }

  /// Rows by destination, in the order of input. They count live points until `number` turns them
  /// into rows of the caller.
  void plan(const Array<std::uint32_t>& rank, const Workers& workers) {
    Route& route = impl_.route;
    std::vector<std::size_t> counts(static_cast<std::size_t>(call_.ranks()));
    const auto mine = static_cast<std::uint32_t>(call_.rank());
    const auto to = [&](std::size_t i) { return rank.empty() ? mine : rank[i]; };
    for (std::size_t i = 0; i < input_.size; ++i) ++counts[to(i)];
    std::vector<std::size_t> at(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), at.begin(), std::size_t{0});
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (counts[r] > 0) route.out.add(static_cast<int>(r), counts[r]);
    route.row = Array<std::uint32_t>(input_.size, workers.pool());
    for (std::size_t i = 0; i < input_.size; ++i)
      route.row[at[to(i)]++] = static_cast<std::uint32_t>(i);
  }

  template <class Fill>
  Array<std::byte> shipped(std::size_t bytes, Fill fill) {
    Array<std::byte> out;
    Runs runs;
    const Route& route = impl_.route;
    call_.phase([&](Workers& workers) {
      runs = route.out.times(bytes);
      out = Array<std::byte>(route.row.size() * bytes, workers.pool());
      workers.for_ranges(route.row.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) fill(route.row[i], out.data() + i * bytes);
      });
    });
    Arrived arrived = call_.exchange(runs, out.data());
    arrived_ = std::move(arrived.runs);
    return std::move(arrived.bytes);
  }

  // ---- local indices

  void number(const Array<std::byte>& numbers, Workers& workers) {
    const auto* arrived = reinterpret_cast<const std::uint64_t*>(numbers.data());
    const std::size_t n = impl_.route.in.total();
    if (n > kMaxPoints)
      fail(ErrorCode::too_large, "domains: {} points on one rank; it holds at most {}", n,
           kMaxPoints);
    Route& route = impl_.route;
    for (std::size_t i = 0; i < route.row.size(); ++i) route.row[i] = input_.index(route.row[i]);
    part().global = Array<std::uint64_t>(n, workers.pool());
    if (std::is_sorted(arrived, arrived + n)) {
      std::copy_n(arrived, n, part().global.data());
      return;
    }
    std::vector<Numbered> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = {arrived[i], static_cast<std::uint32_t>(i)};
    checked_sort(order.begin(), order.end(), [&] { workers.check_cancelled(); });
    reorder(order, workers);
  }

  using Numbered = std::pair<std::uint64_t, std::uint32_t>;  ///< global index and arrival

  void reorder(const std::vector<Numbered>& order, const Workers& workers) {
    Route& route = impl_.route;
    const std::size_t n = order.size(),
                      bytes = sizeof(T) * static_cast<std::size_t>(points_.dimension);
    route.local = Array<std::uint32_t>(n, workers.pool());
    Array<std::byte> rows(n * bytes, workers.pool());
    for (std::size_t i = 0; i < n; ++i) {
      const auto [global, arrival] = order[i];
      part().global[i] = global;
      if (i > 0 && global == order[i - 1].first)
        refuse("domains: two points with the id {}; ids must be different", global);
      route.local[arrival] = static_cast<std::uint32_t>(i);
      std::memcpy(rows.data() + i * bytes, rows_.data() + arrival * bytes, bytes);
    }
    rows_ = std::move(rows);
  }

  // ---- the tree

  void build() {
    call_.phase([&](Workers& workers) {
      const std::size_t n = part().global.size();
      const Stage stage(workers, "tree", n);
      part().planes = planes_of_rows(reinterpret_cast<const T*>(rows_.data()), n, points_.dimension,
                                     impl_.options.tree, workers);
      rows_ = {};
      if (impl_.options.tree.builder == Builder::cells)
        part().packed = Parts<T>::packed(part().planes, workers);
    });
    part().boxes = gathered_boxes<T>(call_, part().view());
  }

  Call& call_;
  Domains::Impl& impl_;
  const PointsView& points_;
  Input<T> input_;
  std::uint64_t first_ = 0;  ///< global index of the first point given here
  Array<std::byte> rows_;
  Runs arrived_;
};

/// All ranks must mean the same tree.
void require_same(Call& call, const PointsView& points, const DomainOptions& options) {
  const TreeOptions& tree = options.tree;
  call.require_same(static_cast<std::uint64_t>(points.dimension));
  call.require_same(static_cast<std::uint64_t>(points.scalar));
  for (int axis = 0; axis < std::min(points.dimension, kMaxDimension); ++axis) {
    call.require_same(tree.box.side(axis));
    call.require_same(tree.box.origin(axis));
  }
  call.require_same(static_cast<std::uint64_t>(tree.builder));
  call.require_same(static_cast<std::uint64_t>(tree.curve));
  call.require_same(static_cast<std::uint64_t>(tree.split_axis));
  call.require_same(static_cast<std::uint64_t>(tree.non_finite));
  call.require_same(static_cast<std::uint64_t>(tree.max_leaf_size));
}

std::shared_ptr<const Domains::Impl> made(MPI_Comm comm, const PointsView& points,
                                          const DomainOptions& options, const Execution& execution,
                                          Dealt how) {
  std::shared_ptr<Domains::Impl> impl;
  try {
    impl = std::make_shared<Domains::Impl>();
  } catch (const std::bad_alloc&) {
    const Communicator other(comm, false);  // tells the other ranks, and throws
  }
  impl->communicator.emplace(comm);
  impl->options = options;
  TreeOptions& tree = impl->options.tree;
  if (how == Dealt::kd && tree.builder == Builder::packed && tree.curve == Curve::automatic)
    tree.curve = Curve::kd;
  impl->input_size = points.size;
  impl->scalar = points.scalar;
  impl->dimension = points.dimension;
  Call call("domains", *impl->communicator, execution);
  require_same(call, points, options);
  with_scalar(points.scalar, [&]<class T>() { Dealing<T>(call, *impl, points).run(how); });
  impl->options.ids = {};
  return impl;
}

}  // namespace

template <class T>
Planes<T> planes_of_rows(const T* rows, std::size_t n, int dimension, const TreeOptions& options,
                         Workers& workers) {
  using Box = Bounds<kAnyDimension, T>;
  const Axes<kAnyDimension> axes(dimension);
  const auto d = static_cast<std::size_t>(dimension);
  Input<T> input;
  input.data = rows;
  input.stride = dimension;
  input.dimension = dimension;
  input.size = n;
  input.bounds = reduce(
      workers, n, kGrain, Box::empty(),
      [&](std::size_t begin, std::size_t end) {
        Box part = Box::empty();
        for (std::size_t i = begin; i < end; ++i) part.add(rows + i * d, axes);
        return part;
      },
      [&](Box sum, const Box& part) {
        sum.add(part, axes);
        return sum;
      });
  return Parts<T>::planes(input, options, workers);
}

template Planes<float> planes_of_rows(const float*, std::size_t, int, const TreeOptions&, Workers&);
template Planes<double> planes_of_rows(const double*, std::size_t, int, const TreeOptions&,
                                       Workers&);

Domains Domains::curve(MPI_Comm comm, PointsView points, const DomainOptions& options,
                       const Execution& execution) {
  return public_call("domains",
                     [&] { return Domains(made(comm, points, options, execution, Dealt::curve)); });
}

Domains Domains::kd(MPI_Comm comm, PointsView points, const DomainOptions& options,
                    const Execution& execution) {
  return public_call("domains",
                     [&] { return Domains(made(comm, points, options, execution, Dealt::kd)); });
}

Domains Domains::keep(MPI_Comm comm, PointsView points, const DomainOptions& options,
                      const Execution& execution) {
  return public_call("domains",
                     [&] { return Domains(made(comm, points, options, execution, Dealt::keep)); });
}

std::size_t Domains::size() const {
  return impl_->visit([](const auto& part) { return part.planes.points; });
}
std::size_t Domains::input_size() const { return impl_->input_size; }
std::uint64_t Domains::total() const { return impl_->total; }
int Domains::dimension() const { return impl_->dimension; }
Scalar Domains::scalar() const { return impl_->scalar; }
const Box& Domains::box() const { return impl_->options.tree.box; }
int Domains::rank() const { return impl_->communicator->rank(); }
const std::vector<DomainSplit>& Domains::splits() const { return impl_->splits; }
int Domains::ranks() const { return impl_->communicator->size(); }

std::size_t Domains::memory() const {
  const Route& route = impl_->route;
  return route.row.bytes() + route.local.bytes() + impl_->visit([](const auto& part) {
    return part.planes.memory() + part.global.bytes() + part.boxes.ends.bytes() +
           part.boxes.owner.bytes() + part.boxes.points.bytes();
  });
}

std::vector<std::int64_t> Domains::global_index() const {
  return public_call("domains", [&] {
    return impl_->visit([](const auto& part) {
      std::vector<std::int64_t> index(part.planes.points);
      for (std::size_t i = 0; i < index.size(); ++i)
        index[i] = static_cast<std::int64_t>(part.global[part.planes.index(i)]);
      return index;
    });
  });
}

std::vector<double> Domains::coordinates() const {
  return public_call("domains", [&] {
    return impl_->visit([](const auto& part) {
      std::vector<double> values;
      values.reserve(part.planes.points * static_cast<std::size_t>(part.planes.dimension));
      for (std::size_t i = 0; i < part.planes.points; ++i)
        for (int axis = 0; axis < part.planes.dimension; ++axis)
          values.push_back(part.frame.original(part.planes.coordinate(i, axis), axis));
      return values;
    });
  });
}

}  // namespace kith::mpi
