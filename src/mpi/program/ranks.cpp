// Ranks for programs that load this library at run time: MPI from start to end, and the
// results that are collected on rank 0.
#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <kith/detail/ranks.hpp>
#include <kith/mpi.hpp>

#include "base/fail.hpp"
#include "mpi/clusters/spanning_tree.hpp"
#include "mpi/domains/domain.hpp"
#include "mpi/domains/selection.hpp"
#include "mpi/groups/fof.hpp"
#include "mpi/groups/groups_impl.hpp"
#include "mpi/groups/peaks.hpp"
#include "mpi/groups/redshift.hpp"
#include "mpi/groups/row_order.hpp"
#include "mpi/program/collect.hpp"
#include "mpi/transport/progress_board.hpp"

namespace kith::mpi {
namespace {

class World : public Ranks {
 public:
  World() : communicator_(MPI_COMM_WORLD) {}

  int rank() const override { return communicator_->rank(); }
  int size() const override { return communicator_->size(); }

  void on_all_ranks(const std::function<void()>& f) override {
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

  void collect(std::span<const ResultArray> arrays,
               const std::function<void(std::span<const ResultRows>)>& use,
               const Execution& execution) override {
    Call call("kith", *communicator_, execution);
    mpi::collect(call, arrays, use);
  }

  void fetch(const ResultArray& own, std::span<const std::int64_t> wanted, void* to,
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

  void least(std::span<std::int64_t> values) override {
    communicator_->least(values.data(), values.size());
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
    domains_.emplace(Domains::curve(MPI_COMM_WORLD, points, {.tree = options}, on_cpu(execution)));
  }
  std::uint64_t points() const override { return domains_->total(); }
  void end_searches() override {}  // the calls below need the domains

  GroupsOfAll fof(const FofOptions& options, const Execution& execution) override {
    return taken(mpi::fof(*domains_, options, RowOrder::input, execution), execution);
  }

  GroupsOfAll fof(const LinkingLengths& lengths, const FofOptions& options,
                  const Execution& execution) override {
    return taken(mpi::fof(*domains_, lengths, options, RowOrder::input, execution), execution);
  }

  GroupsOfAll fof(std::span<const TypedPoints> types, const FofOptions& options,
                  const Execution& execution) override {
    return taken(mpi::fof(MPI_COMM_WORLD, types, options, execution), execution);
  }

  GroupsOfAll redshift_fof(PointsView points, const FofOptions& options, const RedshiftSpace& space,
                           const Execution& execution) override {
    take(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return taken(redshift_groups(*domains_, points, nullptr, options, space, execution), execution);
  }

  void expect_lengths(const Execution&) override {}

  /// Rank 0 has the hierarchy: one spanning tree for all lengths.
  std::vector<GroupCount> count_groups(std::span<const double> lengths, const FofOptions& options,
                                       const Execution& execution) override {
    Call call("fof", *communicator_, execution);
    const auto tree = span_ranks(call, impl_of(*domains_), {}, TreeOn::first_rank);
    std::vector<GroupCount> counts;
    call.phase([&](Workers& workers) {
      counts.resize(lengths.size());
      if (tree)
        counts = kith::hierarchy(wrap_impl<SpanningTree>(tree), inside(call, workers))
                     .count(lengths, options.min_size);
    });
    communicator_->broadcast(counts.data(), counts.size() * sizeof(GroupCount), 0);
    return counts;
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
        call, impl_of(*groups_),
        {values, starts[static_cast<std::size_t>(call.rank())], place, dimension});
  }

  SubhalosOfRank subhalos(PointsView points, const SubhaloOptions& options,
                          std::span<const std::uint64_t> counts,
                          const Execution& execution) override {
    Subhalos found = has_types() ? mpi::subhalos(points, *groups_, options, execution)
                                 : mpi::subhalos(*domains_, points, *groups_, options, execution);
    Call call("subhalos", *communicator_, execution);
    const auto starts = starts_of(call, found.parent.size());
    SubhalosOfRank result;
    std::vector<std::int64_t> lead, leads;
    ListedParts parts;
    call.quick([&] {
      result.type_size = type_sizes(found, counts, lead);
      leads.resize(lead.size() * static_cast<std::size_t>(call.ranks()));
      const bool is_bound = are_bound(options);
      parts = {static_cast<std::int64_t>(starts[static_cast<std::size_t>(call.rank())]),
               std::move(is_bound ? found.by_binding : found.index), found.offset, is_bound};
    });
    part_ = part_of_rows(call, parts, starts_of(call, groups_->label().size()));
    call.prepare([&] {
      result.label.reserve(part_.size());
      for (const PartPlace& at : part_)
        result.label.push_back(at.part == OrderedRow::kLast ? -1
                                                            : static_cast<std::int32_t>(at.part));
    });
    communicator_->gather_all(lead.data(), lead.size() * sizeof(std::int64_t), leads.data());
    // The first members of a rank belong to the last subhalo before.
    const std::uint64_t end = starts[static_cast<std::size_t>(call.rank()) + 1];
    if (!found.parent.empty())
      for (std::size_t i = 0; i < leads.size(); ++i)
        if (starts[i / counts.size()] == end)
          result.type_size[result.type_size.size() - counts.size() + i % counts.size()] += leads[i];
    result.own.parent = std::move(found.parent);
    result.own.catalogue = std::move(found.catalogue);
    result.own.most_bound = std::move(found.most_bound);
    result.own.peak = std::move(found.peak);
    // Hosts are rows of this rank there.
    for (const std::int64_t host : found.host)
      result.own.host.push_back(
          host < 0
              ? -1
              : host - static_cast<std::int64_t>(starts[static_cast<std::size_t>(call.rank())]));
    return result;
  }

  void order(std::span<const std::uint64_t> ids, bool by_subhalo,
             const std::function<void(std::int64_t, std::uint64_t)>& visit,
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
        if (by_subhalo && !part_.empty()) {
          rows[i].part = part_[i].part;
          rows[i].place = part_[i].place;
        }
        rows[i].index = first + static_cast<std::int64_t>(i);
        if (!ids.empty()) rows[i].id = ids[i];
      }
    });
    sort_rows(call, rows);
    call.quick([&] {
      for (const OrderedRow& row : rows) visit(row.index, row.id);
    });
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

  NeighborsOfRank knn(const KnnOptions& options, const Execution& execution) override {
    return with_scalar(domains_->scalar(), [&]<class T>() {
      return of_rank(mpi::knn<T>(*domains_, options, execution));
    });
  }

  NeighborsOfRank radius(const RadiusOptions& options, const Execution& execution) override {
    return with_scalar(domains_->scalar(), [&]<class T>() {
      return of_rank(mpi::radius<T>(*domains_, options, RowOrder::input, execution));
    });
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
  ClustersOfRank dbscan(const DbscanOptions& options, const Execution& execution) override {
    Clusters found = mpi::dbscan(*domains_, options, RowOrder::input, execution);
    const auto label = found.groups.label();
    ClustersOfRank result{.count = found.groups.count()};
    Call call("dbscan", *communicator_, execution);
    call.quick([&] {
      if (result.count > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
        fail(ErrorCode::too_large, "dbscan: {} clusters; at most 2^31 - 1 can be numbered",
             result.count);
      result.label.assign(label.begin(), label.end());
    });
    result.is_core = std::move(found.is_core);
    return result;
  }
  HdbscanClusters hdbscan(const HdbscanOptions& options, bool is_on_sky,
                          const Execution& execution) override {
    return is_on_sky ? mpi::sky::hdbscan(*domains_, kith::sky::AngleUnit::degrees, options,
                                         RowOrder::input, execution)
                     : mpi::hdbscan(*domains_, options, RowOrder::input, execution);
  }
  Correlation correlation(const PairSet& data, const PairSet* randoms,
                          const CorrelationOptions& options, const Execution& execution) override {
    return randoms ? mpi::correlation(MPI_COMM_WORLD, data, *randoms, options, execution)
                   : mpi::correlation(MPI_COMM_WORLD, data, options, execution);
  }

  Match match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options,
              const Execution& execution) override {
    return mpi::match(MPI_COMM_WORLD, a, b, options, execution);
  }
  HaloLinker halo_linker(const LinkOptions& options) override {
    return mpi::halo_linker(MPI_COMM_WORLD, options);
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
  bool has_types() const { return impl_of(*groups_).domains != nullptr; }

  static Execution on_cpu(Execution execution) {
    execution.device = "cpu";
    return execution;
  }

  /// Keeps the groups for the calls that are about them.
  GroupsOfAll taken(Groups found, const Execution& execution) {
    groups_.emplace(std::move(found));
    part_.clear();
    label_.clear();
    Call call("fof", *communicator_, execution, Devices::used);
    call.quick([&] {
      if (groups_->count() > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
        fail(ErrorCode::too_large, "fof: {} groups; set min_size to 2 or more", groups_->count());
      label_.assign(groups_->label().begin(), groups_->label().end());
    });
    std::int64_t grouped =
        std::count_if(label_.begin(), label_.end(), [](std::int32_t label) { return label >= 0; });
    communicator_->sum(&grouped, 1);
    return {.count = groups_->count(),
            .grouped = static_cast<std::uint64_t>(grouped),
            .linking_length = groups_->linking_length(),
            .label = label_};
  }

  /// Rows or lists, with indices of 32 bits if all points can be counted with them.
  template <class Rows>
  NeighborsOfRank of_rank(Rows found) {
    struct Kept {
      Rows rows;
      std::vector<std::int32_t> index;
    };
    constexpr bool are_lists = requires { found.offsets(); };
    const Execution execution;
    Call call("kith", *communicator_, execution);
    const auto points = starts_of(call, found.size()).back();
    std::shared_ptr<Kept> kept;
    NeighborsOfRank result;
    call.quick([&] {
      kept = std::make_shared<Kept>(Kept{std::move(found), {}});
      const Rows& rows = kept->rows;
      auto& arrays = result.arrays;
      arrays.rows = rows.size();
      std::size_t count = 0;
      if constexpr (are_lists) {
        arrays.are_lists = true;
        arrays.offset = rows.offsets();
        arrays.rows = count = rows.total();
      } else {
        arrays.width = rows.k();
        count = rows.size() * rows.k();
      }
      if (points <= kMostNarrow) kept->index.assign(rows.indices(), rows.indices() + count);
      arrays.index_type = points <= kMostNarrow ? NumberType::int32 : NumberType::int64;
      arrays.index =
          points <= kMostNarrow ? static_cast<const void*>(kept->index.data()) : rows.indices();
      arrays.distance_type = number_type<std::remove_cvref_t<decltype(*rows.distances())>>();
      arrays.distance = rows.distances();
    });
    result.memory = kept;
    return result;
  }
  static constexpr std::uint64_t kMostNarrow = std::numeric_limits<std::int32_t>::max();

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
  std::vector<std::int32_t> label_;  ///< of the points of this rank in them
  std::vector<PartPlace> part_;      ///< the subhalo of each point, if subhalos were asked for
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
