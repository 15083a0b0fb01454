// Trees of rows that ranks have received, and what callers learn of a distributed point set.
#include "mpi/domain.hpp"

#include "neighbors/parts.hpp"

namespace kith::mpi {
namespace {

constexpr std::size_t kDomainGrain = std::size_t{1} << 14;

template <int D, class T>
Bounds<kAnyDimension, T> bounds_of_rows(const T* rows, std::size_t n, int dimension,
                                        const Workers& workers) {
  using Box = Bounds<D, T>;
  const Axes<D> axes(dimension);
  const auto d = static_cast<std::size_t>(dimension);
  const Box box = reduce(
      workers, n, kDomainGrain, Box::empty(),
      [&](std::size_t begin, std::size_t end) {
        Box part = Box::empty();
        for (std::size_t i = begin; i < end; ++i) part.add(rows + i * d, axes);
        return part;
      },
      [&](Box sum, const Box& part) {
        sum.add(part, axes);
        return sum;
      });
  auto bounds = Bounds<kAnyDimension, T>::empty();
  bounds.add(box.lo, box.hi, Axes<kAnyDimension>(dimension));
  return bounds;
}

}  // namespace

template <class T>
Input<T> input_of_rows(const T* rows, std::size_t n, int dimension, const Workers& workers) {
  Input<T> input;
  input.data = rows;
  input.stride = dimension;
  input.dimension = dimension;
  input.size = n;
  with_dimension(dimension,
                 [&]<int D>() { input.bounds = bounds_of_rows<D>(rows, n, dimension, workers); });
  return input;
}

template <class T>
Planes<T> planes_of_rows(const T* rows, std::size_t n, int dimension, const TreeOptions& options,
                         Workers& workers) {
  return Parts<T>::planes(input_of_rows(rows, n, dimension, workers), options, workers);
}

template Input<float> input_of_rows(const float*, std::size_t, int, const Workers&);
template Input<double> input_of_rows(const double*, std::size_t, int, const Workers&);
template Planes<float> planes_of_rows(const float*, std::size_t, int, const TreeOptions&, Workers&);
template Planes<double> planes_of_rows(const double*, std::size_t, int, const TreeOptions&,
                                       Workers&);

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
