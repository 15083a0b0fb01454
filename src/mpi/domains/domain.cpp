// Facts about a distributed point set, for callers.
#include "mpi/domains/domain.hpp"

namespace kith::mpi {

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
