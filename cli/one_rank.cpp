#include "one_rank.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <kith/sky.hpp>

namespace kith::cli {
namespace {

Execution on_cpu(Execution execution) {
  execution.device = "cpu";
  return execution;
}

/// f.template operator()<T, Index>() with the types of the rows of a tree.
template <class F>
NeighborsOfRank with_types(const AnyTree& tree, const F& f) {
  constexpr std::size_t kMostNarrow = std::numeric_limits<std::int32_t>::max();
  const bool is_wide = tree.input_size() > kMostNarrow;
  if (tree.scalar() == Scalar::float32)
    return is_wide ? f.template operator()<float, std::int64_t>()
                   : f.template operator()<float, std::int32_t>();
  return is_wide ? f.template operator()<double, std::int64_t>()
                 : f.template operator()<double, std::int32_t>();
}

/// Each call is that of the library without MPI.
class OneRank : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

  void on_all_ranks(const std::function<void()>& f) override { f(); }
  void collect(std::span<const ResultArray> arrays,
               const std::function<void(std::span<const ResultRows>)>& use,
               const Execution&) override {
    std::vector<ResultRows> all;
    for (const ResultArray& array : arrays) all.push_back({array});
    use(all);
  }
  void fetch(const ResultArray& own, std::span<const std::int64_t> wanted, void* to,
             const Execution&) override {
    const std::size_t size = row_bytes(own);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      std::memcpy(static_cast<char*>(to) + k * size,
                  static_cast<const char*>(own.data) + static_cast<std::size_t>(wanted[k]) * size,
                  size);
  }
  double nth(std::span<const double> values, std::uint64_t n) override {
    std::vector<double> copy(values.begin(), values.end());
    const auto place = copy.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(copy.begin(), place, copy.end());
    return *place;
  }
  void sum(std::span<std::int64_t>) override {}
  void least(std::span<std::int64_t>) override {}
  std::vector<std::int64_t> gather(std::span<const std::int64_t> numbers) override {
    return {numbers.begin(), numbers.end()};
  }
  std::function<void(const Progress&)> share_progress(
      std::function<void(const Progress&)> draw) override {
    return draw;
  }

  void take(PointsView points, const TreeOptions& options, const Execution& execution) override {
    tree_.reset();
    hierarchy_.reset();
    tree_.emplace(points, options, execution);
  }
  std::uint64_t points() const override { return tree_->size(); }
  void end_searches() override {
    tree_.reset();
    hierarchy_.reset();
  }

  GroupsOfAll fof(const FofOptions& options, const Execution& execution) override {
    if (hierarchy_) return taken(hierarchy_->groups(options, execution), execution);
    return taken(kith::fof(*tree_, options, execution), execution);
  }
  GroupsOfAll fof(const LinkingLengths& lengths, const FofOptions& options,
                  const Execution& execution) override {
    return taken(kith::fof(*tree_, lengths, options, execution), execution);
  }
  GroupsOfAll fof(std::span<const TypedPoints> types, const FofOptions& options,
                  const Execution& execution) override {
    return taken(kith::fof(types, options, execution), execution);
  }
  GroupsOfAll redshift_fof(PointsView points, const FofOptions& options, const RedshiftSpace& space,
                           const Execution& execution) override {
    return taken(kith::redshift_fof(points, options, space, execution), execution);
  }
  void expect_lengths(const Execution& execution) override {
    hierarchy_ = hierarchy(*tree_, {}, execution);
  }
  std::vector<GroupCount> count_groups(std::span<const double> lengths, const FofOptions& options,
                                       const Execution&) override {
    return hierarchy_->count(lengths, options.min_size);
  }

  std::vector<double> centers(PointsView points, const CenterOptions& options,
                              const Execution& execution) override {
    return kith::centers(points, members_, options, execution);
  }
  std::vector<double> peaks(std::span<const double> found,
                            const std::function<double(std::size_t, int)>& place, int dimension,
                            const Execution& execution) override {
    std::vector<double> places;
    for (const std::int64_t peak : peak_members(members_, values(found), Peak::smallest, execution))
      for (int axis = 0; axis < dimension; ++axis)
        places.push_back(place(static_cast<std::size_t>(peak), axis));
    return places;
  }
  Catalogue catalogue(PointsView points, const CatalogueOptions& options,
                      const Execution& execution) override {
    return kith::catalogue(points, members_, options, execution);
  }
  SubhalosOfRank subhalos(PointsView points, const SubhaloOptions& options,
                          std::span<const std::uint64_t>, const Execution& execution) override {
    SubhalosOfRank found{kith::subhalos(points, members_, options, execution)};
    order_ = members_in_order(members_, &found.own);
    found.label = subhalo_labels(found.own, points.size);
    return found;
  }
  void order(std::span<const std::uint64_t> ids, bool by_subhalo,
             const std::function<void(std::int64_t, std::uint64_t)>& visit,
             const Execution&) override {
    for (const std::uint32_t i : by_subhalo && !order_.empty() ? order_ : members_.order)
      visit(i, ids.empty() ? 0 : ids[i]);
  }

  Match match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options,
              const Execution& execution) override {
    return kith::match(a, b, options, execution);
  }
  HaloLinker halo_linker(const LinkOptions& options) override { return HaloLinker(options); }

  Overdensities overdensities(std::span<const double> centers, const OverdensityOptions& options,
                              const Execution& execution) override {
    return kith::overdensities(*tree_, centers, options, execution);
  }
  NeighborsOfRank knn(const KnnOptions& options, const Execution& execution) override {
    return with_types(*tree_, [&]<class T, class Index>() {
      const auto near =
          std::make_shared<Neighbors<T, Index>>(kith::knn<T, Index>(*tree_, options, execution));
      return NeighborsOfRank{{.index_type = number_type<Index>(),
                              .index = near->indices(),
                              .distance_type = number_type<T>(),
                              .distance = near->distances(),
                              .rows = near->size(),
                              .width = near->k()},
                             near};
    });
  }
  NeighborsOfRank radius(const RadiusOptions& options, const Execution& execution) override {
    return with_types(*tree_, [&]<class T, class Index>() {
      const auto lists = std::make_shared<const NeighborLists<T, Index>>(
          kith::radius<T, Index>(*tree_, options, execution));
      return NeighborsOfRank{{.index_type = number_type<Index>(),
                              .index = lists->indices(),
                              .distance_type = number_type<T>(),
                              .distance = lists->distances(),
                              .rows = lists->total(),
                              .are_lists = true,
                              .offset = lists->offsets()},
                             lists};
    });
  }
  std::vector<std::int64_t> radius_count(const RadiusOptions& options,
                                         const Execution& execution) override {
    return kith::radius_count(*tree_, options, execution);
  }
  std::vector<double> kth_distance(const KnnOptions& options, const Execution& execution) override {
    return kith::kth_distance(*tree_, options, execution);
  }
  std::vector<double> sph_density(const DensityOptions& options,
                                  const Execution& execution) override {
    return kith::sph_density(*tree_, options, execution);
  }
  ClustersOfRank dbscan(const DbscanOptions& options, const Execution& execution) override {
    const Clusters found = kith::dbscan(*tree_, options, execution);
    return {.count = found.count(),
            .label = {found.label().begin(), found.label().end()},
            .is_core = {found.is_core().begin(), found.is_core().end()}};
  }
  HdbscanClusters hdbscan(const HdbscanOptions& options, bool is_on_sky,
                          const Execution& execution) override {
    if (!is_on_sky) return kith::hdbscan(*tree_, options, execution);
    const std::size_t core_k = tree_->size() > 0 ? options.min_samples : 1;
    const SpanningTree chords = spanning_tree(*tree_, {.core_k = core_k}, execution);
    return condense(hierarchy(sky::in_angles(chords), execution), options.condense, execution);
  }
  Correlation correlation(const PairSet& data, const PairSet* randoms,
                          const CorrelationOptions& options, const Execution& execution) override {
    return randoms ? kith::correlation(data, *randoms, options, execution)
                   : kith::correlation(data, options, execution);
  }

  void end() override {}

 private:
  /// Keeps the groups for the calls that are about them.
  GroupsOfAll taken(Groups found, const Execution& execution) {
    groups_ = std::move(found);
    members_ = members(*groups_, on_cpu(execution));
    order_.clear();
    return {.count = groups_->count(),
            .grouped = members_.offset.back(),
            .linking_length = groups_->linking_length(),
            .label = groups_->label()};
  }

  std::optional<AnyTree> tree_;
  std::optional<Hierarchy> hierarchy_;
  std::optional<Groups> groups_;
  Members members_;
  std::vector<std::uint32_t> order_;  // members by subhalo, if subhalos were found
};

}  // namespace

std::unique_ptr<Ranks> one_rank() { return std::make_unique<OneRank>(); }

}  // namespace kith::cli
