#include "mpi/groups/friends.hpp"

#include <algorithm>
#include <cmath>

#include "cells/join.hpp"
#include "groups/pair_length.hpp"
#include "groups/parts.hpp"
#include "groups/redshift.hpp"
#include "mpi/groups/edge_points.hpp"
#include "mpi/neighbors/device_part.hpp"
#include "parallel/grains.hpp"
#include "parallel/union_find.hpp"

namespace kith::mpi {
namespace {

/// One length for all.
template <class T>
class FriendsWithin : public Friends<T> {
 public:
  FriendsWithin(Call& call, const Domains::Impl& domains, const FofOptions& options)
      : call_(call),
        part_(domains.as<T>()),
        dimension_(domains.dimension),
        reach_(GroupParts<T>::reach(options, domains.options.tree.box, domains.total,
                                    domains.dimension, part_.frame)) {}

  double linking_length() const override { return static_cast<double>(reach_.linking_length); }
  Array<std::uint32_t> join_own(Workers& workers) override {
    return call_.uses_device()
               ? join_on_device(call_, part_, reach_.reach2, workers)
               : GroupParts<T>::join(part_.planes, part_.frame, reach_.reach2, workers);
  }
  FarQueries<T> near_others(Workers& workers) override {
    return points_near_others(part_, reach_.reach2, call_.rank(), workers);
  }
  Array<std::uint32_t> sets_of_rows(Array<T> rows, std::span<const double>,
                                    Workers& workers) override {
    return GroupParts<T>::sets_of_rows(rows, rows.size() / static_cast<std::size_t>(dimension_),
                                       dimension_, part_.frame, reach_.reach2, workers);
  }

 private:
  Call& call_;
  const Part<T>& part_;
  int dimension_;
  LinkingReach<T> reach_;
};

/// A length for each point. Each point reaches as far as it might with the largest length of all
/// ranks: since the rules are monotone, both of a pair of friends reach the other.
template <class T>
class FriendsByLengths : public Friends<T> {
 public:
  FriendsByLengths(Call& call, const Domains::Impl& domains, const LinkingJob& job)
      : call_(call),
        part_(domains.as<T>()),
        dimension_(domains.dimension),
        given_(job.values),
        links_{job.lengths.rule, job.options.strict},
        largest_(static_cast<T>(job.lengths.largest)) {}

  double linking_length() const override {
    return std::ldexp(static_cast<double>(scaled(largest_)), -part_.frame.exponent);
  }
  Array<std::uint32_t> join_own(Workers& workers) override {
    lengths_ = LengthParts<T>::lengths(part_.planes, part_.frame, given_.of_local, workers);
    return LengthParts<T>::join(part_.planes, part_.frame, lengths_, links_, workers);
  }
  FarQueries<T> near_others(Workers& workers) override {
    const T largest = scaled(largest_);
    Array<T> reach2(part_.planes.points, workers.pool());
    with_rule(links_.rule, [&]<LengthRule Rule>() {
      workers.for_ranges(reach2.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          reach2[i] = pair_reach2<Rule>(lengths_.length[i], largest);
      });
    });
    lengths_ = {};
    return points_near_others(part_, reach2, call_.rank(), workers);
  }
  Array<std::uint32_t> sets_of_rows(Array<T> rows, std::span<const double> length,
                                    Workers& workers) override {
    return LengthParts<T>::sets_of_rows(rows, length, dimension_, part_.frame, links_, workers);
  }

 private:
  T scaled(T length) const {
    return std::min(std::ldexp(length, part_.frame.exponent), std::numeric_limits<T>::max());
  }

  Call& call_;
  const Part<T>& part_;
  int dimension_;
  const PointValues& given_;
  LengthLinks links_;
  T largest_ = 0;
  PointLengths<T> lengths_;
};

/// By lines of sight to midpoints, with one length or one for each point. The definition is for
/// points as the caller gave them.
template <class T>
class FriendsInSight : public Friends<T> {
 public:
  FriendsInSight(Call& call, const Domains::Impl& domains, const LinkingJob& job)
      : call_(call),
        part_(domains.as<T>()),
        dimension_(domains.dimension),
        given_(job.values),
        lengths_(job.lengths),
        options_(job.options),
        space_(*job.sight) {
    if (!lengths_.are_given) {
      length_ = static_cast<double>(GroupParts<T>::reach(options_, domains.options.tree.box,
                                                         domains.total, dimension_, part_.frame)
                                        .linking_length);
      options_.linking_length = length_;
    } else {
      length_ = lengths_.largest;
    }
    // Friends may be farther apart than a length; without one, at the same place.
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    constexpr double kMost = std::numeric_limits<double>::max();
    FofOptions wide;
    wide.linking_length = std::clamp(midpoint_reach(length_, space_), kLeast, kMost);
    reach2_ =
        GroupParts<T>::reach(wide, domains.options.tree.box, domains.total, dimension_, part_.frame)
            .reach2;
  }

  double linking_length() const override { return length_; }
  Array<std::uint32_t> join_own(Workers& workers) override {
    const auto d = static_cast<std::size_t>(dimension_);
    const std::size_t points = part_.planes.points;
    const Axes<kAnyDimension> axes(dimension_);
    Array<T> rows(points * d, workers.pool());
    Array<double> length(lengths_.are_given ? points : 0, workers.pool());
    for (std::size_t i = 0; i < points; ++i) {
      part_.view().load(i, axes, rows.data() + i * d);
      if (lengths_.are_given) length[i] = *given_.of(part_.planes.index(i));
    }
    return parents(std::move(rows), {length.data(), length.size()}, workers);
  }
  FarQueries<T> near_others(Workers& workers) override {
    return points_near_others(part_, reach2_, call_.rank(), workers);
  }
  Array<std::uint32_t> sets_of_rows(Array<T> rows, std::span<const double> length,
                                    Workers& workers) override {
    Array<std::uint32_t> set = parents(std::move(rows), length, workers);
    for (std::uint32_t& root : set)
      while (set[root] != root) root = set[root];
    return set;
  }

 private:
  Array<std::uint32_t> parents(Array<T> rows, std::span<const double> length,
                               const Workers& workers) const {
    for (T& x : rows) x = std::ldexp(x, -part_.frame.exponent);
    const std::size_t count = rows.size() / static_cast<std::size_t>(dimension_);
    return join_to_midpoints<T>(kith::view(static_cast<const T*>(rows.data()), count, dimension_),
                                options_, space_, {length, lengths_.rule}, inside(call_, workers));
  }

  Call& call_;
  const Part<T>& part_;
  int dimension_;
  const PointValues& given_;
  const LengthsHere& lengths_;
  FofOptions options_;
  const RedshiftSpace& space_;
  double length_ = 0;
  T reach2_ = 0;
};

/// Atoms in a cell of any shape: the points of the domains say who is near whom, the values of the
/// job who are friends.
template <class T>
class FriendsInCell : public Friends<T> {
 public:
  FriendsInCell(Call& call, const Domains::Impl& domains, const LinkingJob& job)
      : call_(call),
        part_(domains.as<T>()),
        given_(job.values),
        cell_(*job.cell),
        reach2_(GroupParts<T>::reach({.linking_length = cell_.reach}, domains.options.tree.box,
                                     domains.total, domains.dimension, part_.frame)
                    .reach2) {}

  double linking_length() const override { return cell_.largest; }
  Array<std::uint32_t> join_own(Workers& workers) override {
    const std::size_t points = part_.planes.points;
    const Array<std::uint32_t> set = parents(given_.of_local, workers);
    Array<std::uint32_t> position(points, workers.pool()), parent(points, workers.pool());
    const UnionFind<std::uint32_t> sets(parent.data());
    for (std::uint32_t i = 0; i < points; ++i) {
      position[part_.planes.index(i)] = i;
      sets.reset(i);
    }
    for (std::size_t i = 0; i < points; ++i) sets.unite(position[i], position[set[i]]);
    return parent;
  }
  FarQueries<T> near_others(Workers& workers) override {
    return points_near_others(part_, reach2_, call_.rank(), workers);
  }
  Array<std::uint32_t> sets_of_rows(Array<T>, std::span<const double> values,
                                    Workers& workers) override {
    return parents(values, workers);
  }

 private:
  /// Of each atom, the first found of its set.
  Array<std::uint32_t> parents(std::span<const double> values, Workers& workers) const {
    const std::size_t atoms = values.size() / given_.width;
    std::vector<double> lengths;
    for (std::size_t i = 0; cell_.has_lengths && i < atoms; ++i)
      lengths.push_back(values[i * given_.width + 3]);
    kith::cells::FofOptions options = cell_.options;
    options.linking_lengths = lengths;
    const AtomSystem system{kith::view(values.data(), atoms, cell_.system.positions.dimension,
                                       static_cast<std::ptrdiff_t>(given_.width)),
                            cell_.system.lattice};
    Array<std::uint32_t> set =
        kith::cells::join_atoms(call_.name(), std::span(&system, 1), options, workers);
    for (std::uint32_t& root : set)
      while (set[root] != root) root = set[root];
    return set;
  }

  Call& call_;
  const Part<T>& part_;
  const PointValues& given_;
  const CellHere& cell_;
  T reach2_;
};

}  // namespace

template <class T>
std::unique_ptr<Friends<T>> make_friends(Call& call, const Domains::Impl& domains,
                                         const LinkingJob& job) {
  if (job.cell) return std::make_unique<FriendsInCell<T>>(call, domains, job);
  if (job.sight) return std::make_unique<FriendsInSight<T>>(call, domains, job);
  if (job.lengths.are_given) return std::make_unique<FriendsByLengths<T>>(call, domains, job);
  return std::make_unique<FriendsWithin<T>>(call, domains, job.options);
}
template std::unique_ptr<Friends<float>> make_friends(Call&, const Domains::Impl&,
                                                      const LinkingJob&);
template std::unique_ptr<Friends<double>> make_friends(Call&, const Domains::Impl&,
                                                       const LinkingJob&);

}  // namespace kith::mpi
