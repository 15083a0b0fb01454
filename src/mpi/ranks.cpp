// Ranks for programs that load this library at run time: MPI from start to end, and the
// results that are collected on rank 0.
#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <kith/mpi_halos.hpp>
#include <kith/ranks.hpp>

#include "groups/redshift.hpp"
#include "mpi/collect.hpp"
#include "mpi/domain.hpp"
#include "mpi/fof.hpp"
#include "mpi/groups_impl.hpp"
#include "mpi/peaks.hpp"
#include "mpi/progress_board.hpp"
#include "mpi/row_order.hpp"
#include "mpi/selection.hpp"

namespace kith::mpi {
namespace {

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
               const std::function<void(std::span<const RowAccess>)>& use,
               const Execution& execution) override {
    Call call("kith", *communicator_, execution);
    mpi::collect(call, arrays, use);
  }

  void fetch(const SharedRows& own, std::span<const std::int64_t> wanted, void* to,
             const Execution& execution) override {
    Call call("kith", *communicator_, execution);
    fetch_rows(call, own, starts_of(call, own.rows), wanted, static_cast<std::byte*>(to));
  }

  double nth(std::span<const double> values, std::uint64_t n) override {
    const Execution execution;
    Call call("kith", *communicator_, execution);
    return nth_of_all(call, values, n);
  }

  void sum(std::span<std::int64_t> values) override {
    communicator_->sum(values.data(), values.size());
  }
  void least(std::span<double> values) override {
    communicator_->least(values.data(), values.size());
  }
  void take_first(std::span<double> values) override {
    communicator_->broadcast(values.data(), values.size_bytes(), 0);
  }

  std::vector<std::int64_t> gather(std::span<const std::int64_t> numbers) override {
    const Execution execution;
    Call call("kith", *communicator_, execution);
    call.same().add("numbers", std::uint64_t{numbers.size()});
    std::vector<std::int64_t> all;
    call.quick([&] { all.resize(numbers.size() * static_cast<std::size_t>(call.ranks())); });
    if (!all.empty()) communicator_->gather_all(numbers.data(), numbers.size_bytes(), all.data());
    return all;
  }

  std::function<void(const Progress&)> share_progress(
      std::function<void(const Progress&)> draw) override {
    ProgressBoard& board = board_.emplace(MPI_COMM_WORLD, std::move(draw));
    ProgressBoard::current = &board;
    return [&board](const Progress& progress) { board.note(progress); };
  }

  void take(PointsView points, const TreeOptions& options, const Execution& execution) override {
    domains_.emplace(Domains::curve(MPI_COMM_WORLD, points, {.tree = options}, execution));
  }

  std::uint64_t points() const override { return domains_->total(); }

  SharedGroups fof(const FofOptions& options, const Execution& execution) override {
    return taken(mpi::fof(*domains_, options, RowOrder::input, execution), execution);
  }

  SharedGroups fof(std::span<const TypedPoints> types, const FofOptions& options,
                   const Execution& execution) override {
    return taken(mpi::fof(MPI_COMM_WORLD, types, options, execution), execution);
  }

  SharedGroups redshift_fof(PointsView points, const FofOptions& options,
                            const RedshiftSpace& space, const Execution& execution) override {
    FofOptions across;
    SqueezedPoints made;
    {
      Call call("redshift_fof", *communicator_, execution);
      call.quick([&] {
        check_redshift_space(points, options, space);
        across = with_length_across(options, static_cast<std::size_t>(domains_->total()),
                                    points.dimension);
      });
      if (space.line_of_sight != LineOfSight::midpoint)
        call.phase(
            [&](Workers& workers) { made = squeezed_points(points, across, space, workers); });
    }
    if (space.line_of_sight == LineOfSight::midpoint)
      return taken(fof_to_midpoints(*domains_, across, space, execution), execution);
    return taken(mpi::fof(MPI_COMM_WORLD, made.points, made.options, execution), execution);
  }

  std::vector<double> centers(PointsView points, const CenterOptions& options,
                              const Execution& execution) override {
    return has_types() ? mpi::centers(points, *groups_, options, execution)
                       : mpi::centers(*domains_, points, *groups_, options, execution);
  }

  std::vector<double> peaks(std::span<const double> values,
                            const std::function<double(std::size_t, int)>& place, int dimension,
                            const Execution& execution) override {
    Call call("peaks", *communicator_, execution);
    const auto starts = starts_of(call, values.size());
    return places_of_least(
        call, groups_->impl(),
        {values, starts[static_cast<std::size_t>(call.rank())], place, dimension});
  }

  SharedSubhalos subhalos(PointsView points, const SubhaloOptions& options,
                          std::span<const std::uint64_t> counts,
                          const Execution& execution) override {
    Subhalos found = has_types() ? mpi::subhalos(points, *groups_, options, execution)
                                 : mpi::subhalos(*domains_, points, *groups_, options, execution);
    Call call("subhalos", *communicator_, execution);
    const auto starts = starts_of(call, found.parent.size());
    SharedSubhalos result;
    std::vector<std::int64_t> lead, leads;
    ListedParts parts;
    call.quick([&] {
      result.type_size = type_sizes(found, counts, lead);
      leads.resize(lead.size() * static_cast<std::size_t>(call.ranks()));
      parts = {static_cast<std::int64_t>(starts[static_cast<std::size_t>(call.rank())]),
               std::move(found.index), found.offset};
    });
    part_ = part_of_rows(call, parts, starts_of(call, groups_->label().size()));
    communicator_->gather_all(lead.data(), lead.size() * sizeof(std::int64_t), leads.data());
    // What begins a rank belongs to the last subhalo before.
    const std::uint64_t end = starts[static_cast<std::size_t>(call.rank()) + 1];
    if (!found.parent.empty())
      for (std::size_t i = 0; i < leads.size(); ++i)
        if (starts[i / counts.size()] == end)
          result.type_size[result.type_size.size() - counts.size() + i % counts.size()] += leads[i];
    result.own.parent = std::move(found.parent);
    result.own.catalogue = std::move(found.catalogue);
    return result;
  }

  SharedOrder order(std::span<const std::uint64_t> ids, bool by_subhalo,
                    const Execution& execution) override {
    Call call("order", *communicator_, execution);
    const auto starts = starts_of(call, groups_->label().size());
    std::vector<OrderedRow> rows;
    call.quick([&] {
      const auto first = static_cast<std::int64_t>(starts[static_cast<std::size_t>(call.rank())]);
      const auto label = groups_->label();
      rows.resize(label.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (label[i] >= 0) rows[i].label = label[i];
        if (by_subhalo && !part_.empty()) rows[i].part = part_[i];
        rows[i].index = first + static_cast<std::int64_t>(i);
        if (!ids.empty()) rows[i].id = ids[i];
      }
    });
    sort_rows(call, rows);
    SharedOrder order;
    call.quick([&] {
      order.index.resize(rows.size());
      order.id.resize(ids.empty() ? 0 : rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) order.index[i] = rows[i].index;
      for (std::size_t i = 0; i < order.id.size(); ++i) order.id[i] = rows[i].id;
    });
    return order;
  }

  Overdensities overdensities(std::span<const double> centers, const OverdensityOptions& options,
                              const Execution& execution) override {
    return mpi::overdensities(*domains_, centers, options, execution);
  }

  Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                      const Execution& execution) override {
    return has_types() ? mpi::catalogue(points, *groups_, options, execution)
                       : mpi::catalogue(*domains_, points, *groups_, options, execution);
  }

  AnyNeighbors knn(const KnnOptions& options, const Execution& execution) override {
    if (domains_->scalar() == Scalar::float32)
      return mpi::knn<float>(*domains_, options, execution);
    return mpi::knn<double>(*domains_, options, execution);
  }

  AnyLists radius(const RadiusOptions& options, const Execution& execution) override {
    if (domains_->scalar() == Scalar::float32)
      return mpi::radius<float>(*domains_, options, RowOrder::input, execution);
    return mpi::radius<double>(*domains_, options, RowOrder::input, execution);
  }

  std::vector<std::int64_t> radius_count(const RadiusOptions& options,
                                         const Execution& execution) override {
    return mpi::radius_count(*domains_, options, RowOrder::input, execution);
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
    ProgressBoard::current = nullptr;
    if (board_) board_->end();
    communicator_.reset();
    MPI_Finalize();
  }

 private:
  bool has_types() const { return groups_->impl().domains != nullptr; }

  SharedGroups taken(Groups found, const Execution& execution) {
    groups_.emplace(std::move(found));
    part_.clear();
    Call call("fof", *communicator_, execution, Devices::used);
    SharedGroups result{.count = groups_->count(), .linking_length = groups_->linking_length()};
    call.quick([&] {
      if (groups_->count() > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
        fail(ErrorCode::too_large, "fof: {} groups; set min_size to 2 or more", groups_->count());
      result.label.assign(groups_->label().begin(), groups_->label().end());
    });
    std::int64_t grouped = std::count_if(result.label.begin(), result.label.end(),
                                         [](std::int32_t label) { return label >= 0; });
    communicator_->sum(&grouped, 1);
    result.grouped = static_cast<std::uint64_t>(grouped);
    std::int64_t largest = groups_->sizes().empty() ? 0 : -groups_->sizes()[0];
    communicator_->least(&largest, 1);
    result.largest = static_cast<std::uint64_t>(-largest);
    return result;
  }

  /// Where the rows of each rank begin among those of all, and the end.
  static std::vector<std::uint64_t> starts_of(Call& call, std::uint64_t rows) {
    std::vector<std::uint64_t> start;
    call.quick([&] { start.resize(static_cast<std::size_t>(call.ranks()) + 1); });
    call.communicator().gather_all(&rows, sizeof rows, start.data() + 1);
    std::partial_sum(start.begin(), start.end(), start.begin());
    return start;
  }

  /// Members of each type in each subhalo of this rank; the points of a type are consecutive.
  /// `lead`: in the one that began on a rank before.
  static std::vector<std::int64_t> type_sizes(const Subhalos& found,
                                              std::span<const std::uint64_t> counts,
                                              std::vector<std::int64_t>& lead) {
    std::vector<std::uint64_t> end(counts.begin(), counts.end());
    std::partial_sum(end.begin(), end.end(), end.begin());
    const auto add = [&](std::int64_t index, std::int64_t* sizes) {
      const auto type = std::upper_bound(end.begin(), end.end(), static_cast<std::uint64_t>(index));
      ++sizes[type - end.begin()];
    };
    lead.assign(counts.size(), 0);
    for (std::size_t i = 0; i < found.offset.front(); ++i) add(found.index[i], lead.data());
    std::vector<std::int64_t> sizes(found.parent.size() * counts.size());
    for (std::size_t s = 0; s < found.parent.size(); ++s)
      for (std::size_t i = found.offset[s]; i < found.offset[s + 1]; ++i)
        add(found.index[i], &sizes[s * counts.size()]);
    return sizes;
  }

  std::optional<Communicator> communicator_;
  std::optional<ProgressBoard> board_;
  std::optional<Domains> domains_;
  std::optional<Groups> groups_;
  std::vector<std::int64_t> part_;  ///< the subhalo of each point, if subhalos were asked for
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
