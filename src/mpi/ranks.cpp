// Ranks for programs that load this library at run time: MPI from start to end, and what comes
// together on rank 0.
#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <kith/mpi_halos.hpp>
#include <kith/ranks.hpp>

#include "groups/groups_impl.hpp"
#include "mpi/collect.hpp"
#include "mpi/domain.hpp"
#include "mpi/groups_impl.hpp"

namespace kith::mpi {
namespace {

/// f(column) for every column of a catalogue.
template <class F>
void each_column(Catalogue& catalogue, F f) {
  f(catalogue.size), f(catalogue.mass), f(catalogue.type_size), f(catalogue.type_mass);
  f(catalogue.center), f(catalogue.velocity), f(catalogue.radius), f(catalogue.inertia_radius);
  f(catalogue.velocity_dispersion), f(catalogue.max_circular_velocity);
  f(catalogue.angular_momentum), f(catalogue.shape), f(catalogue.axes);
  f(catalogue.lower), f(catalogue.upper), f(catalogue.first), f(catalogue.spans);
  f(catalogue.contaminating_size), f(catalogue.contaminating_mass);
}

class World : public Ranks {
 public:
  World() : communicator_(MPI_COMM_WORLD) {}

  int rank() const override { return communicator_->rank(); }
  int size() const override { return communicator_->size(); }

  void together(const std::function<void()>& f) override {
    const Execution execution;
    Call call("kith", *communicator_, execution);
    std::exception_ptr own;
    try {
      call.quick([&] {
        try {
          f();
        } catch (...) {
          own = std::current_exception();
          throw;
        }
      });
    } catch (const Error&) {
      if (own) std::rethrow_exception(own);
      throw;
    }
  }

  void collect(std::span<const SharedRows> arrays,
               const std::function<void(std::span<const ReadRows>)>& use) override {
    const Execution execution;
    Call call("kith", *communicator_, execution);
    mpi::collect(call, arrays, use);
  }

  void take(PointsView points, const TreeOptions& options, const Execution& execution) override {
    domains_.emplace(Domains::curve(MPI_COMM_WORLD, points, {.tree = options}, execution));
  }

  std::uint64_t points() const override { return domains_->total(); }

  kith::Groups fof(const FofOptions& options, const Execution& execution) override {
    return taken(mpi::fof(*domains_, options, RowOrder::input, execution), execution);
  }

  kith::Groups fof(std::span<const TypedPoints> types, const FofOptions& options,
                   const Execution& execution) override {
    return taken(mpi::fof(MPI_COMM_WORLD, types, options, execution), execution);
  }

  std::vector<double> centers(PointsView points, const CenterOptions& options,
                              const Execution& execution) override {
    peak_ = has_types() ? mpi::centers(points, *groups_, options, execution)
                        : mpi::centers(*domains_, points, *groups_, options, execution);
    Call call("centers", *communicator_, execution);
    std::vector<double> all;
    gather(call, peak_, all);
    return all;
  }

  kith::Subhalos subhalos(PointsView points, const SubhaloOptions& options,
                          const Execution& execution) override {
    Subhalos found = has_types() ? mpi::subhalos(points, *groups_, options, execution)
                                 : mpi::subhalos(*domains_, points, *groups_, options, execution);
    Call call("subhalos", *communicator_, execution);
    kith::Subhalos all;
    gather(call, found.parent, all.parent);
    const auto index = gathered<std::int64_t>(call, found.index);
    gather(call, found.catalogue);
    call.quick([&] {
      all.catalogue = std::move(found.catalogue);
      all.members.order.assign(index.begin(), index.end());
      all.members.offset = {0};
      for (const std::int64_t size : all.catalogue.size)
        all.members.offset.push_back(all.members.offset.back() + static_cast<std::size_t>(size));
    });
    return all;
  }

  Overdensities overdensities(std::span<const double> centers, const OverdensityOptions& options,
                              const Execution& execution) override {
    return mpi::overdensities(*domains_, centers, options, execution);
  }

  Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                      const Execution& execution) override {
    CatalogueOptions own = options;
    own.peak = std::exchange(peak_, {});
    Catalogue catalogue = has_types() ? mpi::catalogue(points, *groups_, own, execution)
                                      : mpi::catalogue(*domains_, points, *groups_, own, execution);
    Call call("catalogue", *communicator_, execution);
    gather(call, catalogue);
    return catalogue;
  }

  AnyNeighbors knn(const KnnOptions& options, const Execution& execution) override {
    if (domains_->scalar() == Scalar::float32)
      return mpi::knn<float>(*domains_, options, execution);
    return mpi::knn<double>(*domains_, options, execution);
  }

  std::vector<double> kth_distance(const KnnOptions& options, const Execution& execution) override {
    return mpi::kth_distance(*domains_, options, execution);
  }

  std::vector<double> sph_density(const DensityOptions& options,
                                  const Execution& execution) override {
    return mpi::sph_density(*domains_, options, RowOrder::input, execution);
  }

  void end() override {
    groups_.reset();
    domains_.reset();
    communicator_.reset();
    MPI_Finalize();
  }

 private:
  bool has_types() const { return groups_->impl().domains != nullptr; }

  template <class Value>
  static void gather(Call& call, const std::vector<Value>& mine, std::vector<Value>& all) {
    const Array<Value> rows = gathered<Value>(call, mine);
    call.quick([&] { all.assign(rows.begin(), rows.end()); });
  }
  static void gather(Call& call, Catalogue& catalogue) {
    each_column(catalogue, [&](auto& column) { gather(call, column, column); });
  }

  /// Rank 0 gets the whole of it.
  kith::Groups taken(Groups found, const Execution& execution) {
    groups_.emplace(std::move(found));
    peak_.clear();
    Call call("fof", *communicator_, execution);
    Array<std::int32_t> label;
    call.quick([&] {
      if (groups_->count() > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
        fail(ErrorCode::too_large, "fof: {} groups; set min_size to 2 or more", groups_->count());
      label = Array<std::int32_t>(groups_->label().size());
      std::copy(groups_->label().begin(), groups_->label().end(), label.begin());
    });
    auto all_labels = gathered<std::int32_t>(call, label);
    const auto sizes = gathered<std::int64_t>(call, groups_->sizes());
    const auto lowest = gathered<std::int64_t>(call, groups_->lowest());
    std::shared_ptr<kith::Groups::Impl> impl;
    call.quick([&] { impl = whole(std::move(all_labels), sizes, lowest); });
    return kith::Groups(std::move(impl));
  }

  std::shared_ptr<kith::Groups::Impl> whole(Array<std::int32_t> label,
                                            const Array<std::int64_t>& size,
                                            const Array<std::int64_t>& lowest) const {
    if (label.size() > kMaxPoints)
      fail(ErrorCode::too_large, "fof: {} labels on one rank; it holds at most {}", label.size(),
           kMaxPoints);
    auto impl = std::make_shared<kith::Groups::Impl>();
    impl->label = std::move(label);
    impl->size = Array<std::uint64_t>(size.size());
    std::copy(size.begin(), size.end(), impl->size.begin());
    impl->lowest = Array<std::uint32_t>(lowest.size());
    for (std::size_t i = 0; i < lowest.size(); ++i)
      impl->lowest[i] = static_cast<std::uint32_t>(lowest[i]);
    impl->linking_length = groups_->linking_length();
    return impl;
  }

  std::optional<Communicator> communicator_;
  std::optional<Domains> domains_;
  std::optional<Groups> groups_;
  std::vector<double> peak_;  ///< of the groups of this rank, for the catalogue
};

}  // namespace
}  // namespace kith::mpi

extern "C" KITH_API kith::Ranks* kith_mpi_start() {
  int is_on = 0, level = 0;
  MPI_Initialized(&is_on);
  if (!is_on && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return nullptr;
  try {
    static kith::mpi::World* const world = new kith::mpi::World;
    return world;
  } catch (...) {
    return nullptr;
  }
}
