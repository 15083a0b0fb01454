#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "mpi/domains/lists.hpp"
#include "mpi/neighbors/queries.hpp"
#include "mpi/neighbors/search.hpp"
#include "neighbors/checks.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {
namespace {

/// The queries of a call, their balls, and the search for them.
template <class T>
class RadiusCall {
 public:
  RadiusCall(Call& call, const Domains::Impl& domains, const PointsView* queries,
             const RadiusOptions& options)
      : call_(call),
        domains_(domains),
        options_(options),
        rows_(queries ? queries->size : domains.input_size),
        sources_{domains.as<T>(), {}, nullptr, options.p} {
    call.same().add("radius", options.radius);
    call.same().add("p", options.p);
    call.same().add("strict", std::uint64_t{options.strict});
    call.same().add("exclude_self", std::uint64_t{options.exclude_self});
    call.same().add("max_neighbors", std::uint64_t{options.max_neighbors});
    call.quick([&] {
      check_balls(options, rows_);
      if (queries) check_not_self("radius", options.exclude_self);
    });
    // Ranks without queries do not know whether others passed radii.
    std::int64_t has_none = options.radii.empty() ? 1 : 0;
    call.communicator().least(&has_none, 1);
    has_radii_ = has_none == 0;
    if (queries) routed_ = route_queries<T>(call, domains, *queries);
    asked_ = queries ? routed_->asked() : Queries<T>{&part().planes, part().view(), true};
    set_balls();
    search_.emplace(call, asked_, balls_, sources_);
  }

  std::vector<Index> count(RowOrder order) {
    std::vector<Index> counts;
    call_.phase([&](Workers& workers) { counts = search_->count(workers); });
    if (order == RowOrder::tree) return counts;
    return return_lists(counts);
  }

  NeighborLists<T, Index> lists(RowOrder order) {
    NeighborLists<T, Index> lists = own_lists();
    if (order == RowOrder::tree) return lists;
    return return_lists(lists);
  }

 private:
  const Part<T>& part() const { return sources_.part; }
  const Route& route() const { return routed_ ? routed_->route : domains_.route; }

  void set_balls() {
    balls_.exclude_self = options_.exclude_self;
    balls_.max_neighbors = options_.max_neighbors;
    balls_.limit = keys_within(options_.radius);
    balls_.limit2 = sphere2(options_.radius);
    Array<std::byte> radii;
    if (has_radii_) radii = send_values(call_, route(), options_.radii.data(), sizeof(double));
    call_.quick([&] {
      if (!has_radii_) return;
      limits2_ = Array<T>(asked_.view.points);
      limits_ = Array<double>(sources_.is_euclidean() ? 0 : limits2_.size());
      for (std::size_t i = 0; i < limits2_.size(); ++i) {
        double radius = 0;
        std::memcpy(&radius, radii.data() + asked_.view.index(i) * sizeof radius, sizeof radius);
        limits2_[i] = sphere2(radius);
        balls_.limit2 = std::max(balls_.limit2, limits2_[i]);
        if (!limits_.empty()) limits_[asked_.view.index(i)] = keys_within(radius);
      }
      balls_.limits2 = limits2_.data();
      if (!sources_.is_euclidean()) balls_.limits = limits_.data();
    });
  }

  double keys_within(double radius) const {
    return key_limit<T>(radius, options_.strict, options_.p, part().frame);
  }
  /// The ball, or for other norms a sphere around it; negative if nothing is inside.
  T sphere2(double radius) const {
    if (sources_.is_euclidean()) return limit2<T>(radius, options_.strict, part().frame);
    return keys_within(radius) < 0 ? T(-1) : sources_.sphere2(static_cast<T>(radius));
  }

  NeighborLists<T, Index> own_lists() {
    NeighborLists<T, Index> lists;
    call_.phase([&](Workers& workers) {
      std::vector<Index> offsets = search_->count(workers);
      const std::size_t truncated = to_offsets(offsets);
      lists = NeighborLists<T, Index>(std::move(offsets), truncated, call_.execution());
      Index* index = lists.indices();
      T* distance = lists.distances();
      search_->search(workers, [&](const Row<T>& row) {
        const auto at = static_cast<std::size_t>(lists.offsets()[row.position]);
        sources_.distances(row, distance + at);
        for (std::size_t i = 0; i < row.count; ++i)
          index[at + i] = static_cast<Index>(sources_.global(row.point[i]));
      });
    });
    return lists;
  }

  /// Makes offsets of counts; returns how many were cut.
  std::size_t to_offsets(std::vector<Index>& counts) const {
    const auto most = static_cast<Index>(options_.max_neighbors);
    std::size_t truncated = 0;
    for (Index& count : counts) {
      if (most == 0 || count <= most) continue;
      count = most;
      ++truncated;
    }
    counts.push_back(0);
    std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), Index{0});
    return truncated;
  }

  // ---- back to the input

  std::vector<std::uint32_t> positions() const {
    std::vector<std::uint32_t> position(asked_.view.points);
    for (std::size_t i = 0; i < position.size(); ++i)
      position[asked_.view.index(i)] = static_cast<std::uint32_t>(i);
    return position;
  }

  std::vector<Index> return_lists(const std::vector<Index>& counts) {
    std::vector<Index> result;
    std::vector<std::uint32_t> position;
    call_.phase([&](Workers& workers) {
      result = filled<Index>(workers, rows_);
      position = positions();
    });
    return_values(
        call_, route(), [&](std::size_t local) -> const void* { return &counts[position[local]]; },
        sizeof(Index), result.data());
    call_.note_traffic("rows");
    return result;
  }

  NeighborLists<T, Index> return_lists(const NeighborLists<T, Index>& own) {
    std::vector<Index> counts, lengths;
    call_.phase([&](Workers&) {
      for (std::size_t i = 0; i < own.size(); ++i)
        lengths.push_back(own.offsets()[i + 1] - own.offsets()[i]);
    });
    counts = return_lists(lengths);
    std::int64_t cut = static_cast<std::int64_t>(own.truncated());
    call_.communicator().sum(&cut, 1);
    NeighborLists<T, Index> result;
    call_.phase([&](Workers&) {
      // Lists of max_neighbors that were cut are counted where they were found, for all ranks.
      to_offsets(counts);
      result = NeighborLists<T, Index>(std::move(counts), static_cast<std::size_t>(cut),
                                       call_.execution());
    });
    send_back(own.indices(), own, result, result.indices());
    send_back(own.distances(), own, result, result.distances());
    call_.note_traffic("lists");
    return result;
  }

  /// One array of lists, from positions to rows.
  template <class Value>
  void send_back(const Value* from, const NeighborLists<T, Index>& own,
                 const NeighborLists<T, Index>& result, Value* to) {
    std::vector<std::uint32_t> position;
    call_.prepare([&] { position = positions(); });
    const auto list_of = [&](std::size_t local) {
      const auto i = static_cast<std::size_t>(position[local]);
      const auto begin = static_cast<std::size_t>(own.offsets()[i]),
                 end = static_cast<std::size_t>(own.offsets()[i + 1]);
      return std::span<const Value>(from + begin, end - begin);
    };
    mpi::return_lists<Value>(call_, route(), list_of, {result.offsets(), 1}, to);
  }

  Call& call_;
  const Domains::Impl& domains_;
  const RadiusOptions& options_;
  std::size_t rows_;
  bool has_radii_ = false;
  Sources<T> sources_;
  std::optional<RoutedQueries<T>> routed_;
  Queries<T> asked_;
  Array<T> limits2_;
  Array<double> limits_;
  Balls<T> balls_;
  std::optional<BallSearch<T>> search_;
};

std::vector<Index> count(const Domains& domains, const PointsView* queries,
                         const RadiusOptions& options, RowOrder order, const Execution& execution) {
  return public_call("radius", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("radius", *impl.communicator, execution);
    call.same().add("order", name_of(order));
    return with_scalar(impl.scalar, [&]<class T>() {
      return RadiusCall<T>(call, impl, queries, options).count(order);
    });
  });
}

template <class T>
NeighborLists<T, Index> lists(const Domains& domains, const PointsView* queries,
                              const RadiusOptions& options, RowOrder order,
                              const Execution& execution) {
  return public_call("radius", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("radius", *impl.communicator, execution);
    call.same().add("order", name_of(order));
    call.quick([&] { check_scalar<T>("radius", impl.scalar); });
    return RadiusCall<T>(call, impl, queries, options).lists(order);
  });
}

}  // namespace

std::vector<Index> radius_count(const Domains& domains, const RadiusOptions& options,
                                RowOrder order, const Execution& execution) {
  return count(domains, nullptr, options, order, execution);
}
std::vector<Index> radius_count(const Domains& domains, PointsView queries,
                                const RadiusOptions& options, const Execution& execution) {
  return count(domains, &queries, options, RowOrder::input, execution);
}

template <Coordinate T>
NeighborLists<T, Index> radius(const Domains& domains, const RadiusOptions& options, RowOrder order,
                               const Execution& execution) {
  return lists<T>(domains, nullptr, options, order, execution);
}
template <Coordinate T>
NeighborLists<T, Index> radius(const Domains& domains, PointsView queries,
                               const RadiusOptions& options, const Execution& execution) {
  return lists<T>(domains, &queries, options, RowOrder::input, execution);
}

#define KITH_INSTANTIATE(T)                                                                 \
  template NeighborLists<T, Index> radius(const Domains&, const RadiusOptions&, RowOrder,   \
                                          const Execution&);                                \
  template NeighborLists<T, Index> radius(const Domains&, PointsView, const RadiusOptions&, \
                                          const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi
