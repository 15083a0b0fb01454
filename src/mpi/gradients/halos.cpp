// Derivatives of halo fields over ranks. Groups on one rank are a call of one process there; those
// on several are gathered on the rank that owns them.
#include <algorithm>
#include <numeric>

#include <kith/mpi/gradients.hpp>

#include "groups/columns.hpp"
#include "mpi/groups/group_call.hpp"
#include "mpi/groups/group_columns.hpp"

namespace kith::mpi {
namespace {

/// visit(field of each, values of a group) for the fields of some GroupValues.
template <class Visit, class... Values>
void for_each_field(std::size_t d, Visit visit, Values&... values) {
  visit(std::size_t{1}, values.mass...);
  visit(d, values.center...);
  visit(d, values.velocity...);
  visit(std::size_t{1}, values.inertia_radius...);
  visit(std::size_t{1}, values.velocity_dispersion...);
  visit(d * d, values.shape_tensor...);
  visit(d, values.shape...);
  visit(std::size_t{1}, values.decorated_mass...);
}

/// The fields of the groups from `first` to before `last`.
GroupValues rows_of(const GroupValues& all, std::size_t first, std::size_t last, std::size_t d) {
  GroupValues part;
  for_each_field(
      d,
      [&](std::size_t width, const std::vector<double>& from, std::vector<double>& to) {
        if (from.empty()) return;
        const auto at = [&](std::size_t row) {
          return from.begin() + static_cast<std::ptrdiff_t>(row * width);
        };
        to.assign(at(first), at(last));
      },
      all, part);
  return part;
}

/// Numbers for each member: of those of this rank, or of one group.
struct MemberNumbers {
  std::vector<double> position, velocity, mass;

  double* data(const std::vector<double>& column) const {
    return column.empty() ? nullptr : const_cast<double*>(column.data());
  }
  MemberGradient gradient() { return {data(position), data(velocity), data(mass)}; }
  MemberTangent tangent(std::size_t begin, std::size_t d) const {
    const auto at = [&](const std::vector<double>& column, std::size_t width) -> const double* {
      return column.empty() ? nullptr : column.data() + begin * width;
    };
    return {at(position, d), at(velocity, d), at(mass, 1)};
  }
};

/// Which of three columns are given, on any rank.
struct Which {
  bool position = false, velocity = false, mass = false;

  template <class Number>
  static Which agreed(Call& call, const char* what, Number* position, Number* velocity,
                      Number* mass, std::size_t rows) {
    std::int64_t none[] = {position ? 0 : 1, velocity ? 0 : 1, mass ? 0 : 1};
    if (rows == 0) std::fill_n(none, 3, 1);
    call.communicator().least(none, 3);
    const Which all{none[0] == 0, none[1] == 0, none[2] == 0};
    call.quick([&] {
      if (rows > 0 &&
          ((all.position && !position) || (all.velocity && !velocity) || (all.mass && !mass)))
        refuse("{}: {} on other ranks, but not here; give them on all ranks or on none",
               call.name(), what);
    });
    return all;
  }
  void make(MemberNumbers& numbers, std::size_t members, std::size_t d) const {
    numbers.position.assign(position ? members * d : 0, 0.0);
    numbers.velocity.assign(velocity ? members * d : 0, 0.0);
    numbers.mass.assign(mass ? members : 0, 0.0);
  }
};

/// The members of groups that lie on several ranks, on the ranks that own them.
class GatheredGroup {
 public:
  GatheredGroup(const GroupColumns& columns, const SplitGroups& split, std::size_t d)
      : columns_(columns), split_(split), d_(d) {}

  /// Columns of the members, and the numbers in `with`. Collective.
  void gather(Call& call, const MemberNumbers& with) {
    const GivenColumns all = columns_.all();
    PieceRows rows;
    call.prepare([&] { rows = pieces(all, with); });
    const SplitGroups::Gathered gathered = split_.to_owner(rows);
    call.quick([&] {
      for (std::size_t i = 0; i + 1 < gathered.offset.size(); ++i) take(gathered, i, all, with);
      members_ = gathered.offset.empty() ? 0 : position_.size() / d_;
    });
  }

  bool is_here() const { return members_ > 0; }
  std::size_t size() const { return members_; }
  const MemberNumbers& numbers() const { return numbers_; }
  PointsView points() const { return view(position_.data(), members_, static_cast<int>(d_)); }
  kith::Members members() const {
    kith::Members one;
    one.order.resize(members_);
    std::iota(one.order.begin(), one.order.end(), 0u);
    one.offset = {0, members_};
    return one;
  }
  HaloOptions options(const HaloOptions& common) const {
    HaloOptions own = common;
    own.mass = columns_.all().mass;
    if (own.mass.data) own.mass = {mass_.data(), mass_.size(), Scalar::float64, own.mass.same};
    own.velocity = {};
    if (columns_.has_velocity())
      own.velocity = view(velocity_.data(), members_, static_cast<int>(d_));
    return own;
  }

  /// Numbers for the members of the group back to their ranks. Collective.
  void scatter(Call& call, const MemberNumbers& of_group, MemberNumbers& all) const {
    PieceRows rows;
    call.prepare([&] {
      if (!split_.is_owner()) return;
      for (std::size_t i = 0; i < begin_.size(); ++i) {
        const std::size_t end = i + 1 < begin_.size() ? begin_[i + 1] : members_;
        std::vector<double> row;
        append(of_group.position, begin_[i] * d_, end * d_, row);
        append(of_group.velocity, begin_[i] * d_, end * d_, row);
        append(of_group.mass, begin_[i], end, row);
        rows.push_back(std::move(row));
      }
    });
    const PieceRows parts = split_.to_parts(rows);
    call.quick([&] {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const GroupPiece& piece = split_.pieces()[p];
        const double* from = parts[p].data();
        const auto put = [&](std::vector<double>& to, std::size_t width) {
          if (to.empty() || parts[p].empty()) return;
          std::copy_n(from, piece.size() * width,
                      to.begin() + static_cast<std::ptrdiff_t>(piece.begin * width));
          from += piece.size() * width;
        };
        put(all.position, d_);
        put(all.velocity, d_);
        put(all.mass, 1);
      }
    });
  }

 private:
  static void append(const std::vector<double>& from, std::size_t begin, std::size_t end,
                     std::vector<double>& to) {
    if (!from.empty())
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// Column after column of each piece.
  PieceRows pieces(const GivenColumns& all, const MemberNumbers& with) const {
    PieceRows rows;
    const RowReader position(all.points), velocity(all.velocity);
    const ValueReader mass(all.mass);
    for (const GroupPiece& piece : split_.pieces()) {
      std::vector<double> row;
      const auto add_rows = [&](const RowReader& reader) {
        for (std::size_t i = piece.begin; i < piece.end; ++i)
          for (std::size_t axis = 0; axis < d_; ++axis)
            row.push_back(reader(i, static_cast<int>(axis)));
      };
      add_rows(position);
      if (all.velocity.data) add_rows(velocity);
      if (all.mass.data)
        for (std::size_t i = piece.begin; i < piece.end; ++i) row.push_back(mass(i));
      append(with.position, piece.begin * d_, piece.end * d_, row);
      append(with.velocity, piece.begin * d_, piece.end * d_, row);
      append(with.mass, piece.begin, piece.end, row);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  void take(const SplitGroups::Gathered& gathered, std::size_t i, const GivenColumns& all,
            const MemberNumbers& with) {
    begin_.push_back(position_.size() / d_);
    std::size_t width = 0;
    const auto each = [&](auto visit) {
      visit(position_, d_);
      if (columns_.has_velocity()) visit(velocity_, d_);
      if (all.mass.data) visit(mass_, std::size_t{1});
      if (!with.position.empty()) visit(numbers_.position, d_);
      if (!with.velocity.empty()) visit(numbers_.velocity, d_);
      if (!with.mass.empty()) visit(numbers_.mass, std::size_t{1});
    };
    each([&](auto&, std::size_t numbers) { width += numbers; });
    const double* at = gathered.values.data() + gathered.offset[i];
    const std::size_t members = (gathered.offset[i + 1] - gathered.offset[i]) / width;
    each([&](std::vector<double>& to, std::size_t numbers) {
      to.insert(to.end(), at, at + members * numbers);
      at += members * numbers;
    });
  }

  const GroupColumns& columns_;
  const SplitGroups& split_;
  std::size_t d_;
  std::vector<double> position_, velocity_, mass_;
  MemberNumbers numbers_;
  std::vector<std::size_t> begin_;  ///< where the members of each of its ranks begin
  std::size_t members_ = 0;
};

void check_rows(const char* call, const GroupValues& values, std::size_t groups, std::size_t d) {
  for_each_field(
      d,
      [&](std::size_t width, const std::vector<double>& field) {
        if (!field.empty() && field.size() != groups * width)
          refuse("{}: {} numbers of a field for {} groups of this rank; expected {}", call,
                 field.size(), groups, groups * width);
      },
      values);
}

/// body(call, columns, split, options with the box of the domains).
template <class Body>
auto halo_call(const char* name, const Domains& domains, const PointsView& points,
               const Groups& groups, const HaloOptions& options, const Execution& execution,
               Body body) {
  const Domains::Impl& impl = impl_of(domains);
  const Groups::Impl& of = impl_of(groups);
  const auto check = [&](SameOptions& same, const Workers&) { same.add("alpha", options.alpha); };
  return group_call(name, impl, options, execution, check, [&](Call& call) {
    const GroupColumns columns(
        call, impl, of, {.points = points, .velocity = options.velocity, .mass = options.mass});
    const SplitGroups split(call, of.cuts, columns.offset(), columns.count());
    HaloOptions common;
    call.quick([&] {
      common = options;
      common.box = impl.options.tree.box;
    });
    return body(call, columns, split, common);
  });
}

/// The options for the groups that are on one rank.
HaloOptions options_here(const GroupColumns& columns, const SplitGroups& split,
                         const HaloOptions& common) {
  HaloOptions own = common;
  own.mass = columns.whole(split).mass;
  own.velocity = columns.whole(split).velocity;
  return own;
}

}  // namespace

void halos_vjp(const Domains& domains, PointsView points, const Groups& groups,
               const HaloOptions& options, const GroupValues& cotangent, MemberGradient out,
               const Execution& execution) {
  const auto body = [&](Call& call, const GroupColumns& columns, const SplitGroups& split,
                        const HaloOptions& common) {
    const auto d = static_cast<std::size_t>(points.dimension);
    const std::size_t rows = impl_of(groups).size.size();
    call.quick([&] { check_rows("halos_vjp", cotangent, rows, d); });
    const Which wanted =
        Which::agreed(call, "gradients", out.position, out.velocity, out.mass, points.size);
    MemberNumbers found;
    call.phase([&](Workers& workers) {
      wanted.make(found, columns.count(), d);
      const MemberTangent begin = found.tangent(split.whole_begin(), d);
      const MemberGradient here{const_cast<double*>(begin.position),
                                const_cast<double*>(begin.velocity),
                                const_cast<double*>(begin.mass)};
      kith::halos_vjp(columns.whole(split).points, columns.members(split),
                      options_here(columns, split, common),
                      rows_of(cotangent, 0, split.whole_groups(), d), here, inside(call, workers));
    });
    if (split.any()) {
      GatheredGroup group(columns, split, d);
      group.gather(call, {});
      MemberNumbers of_group;
      call.phase([&](Workers& workers) {
        if (!group.is_here()) return;
        wanted.make(of_group, group.size(), d);
        kith::halos_vjp(group.points(), group.members(), group.options(common),
                        rows_of(cotangent, split.whole_groups(), rows, d), of_group.gradient(),
                        inside(call, workers));
      });
      group.scatter(call, of_group, found);
    }
    columns.bring_back(found.position.data(), wanted.position ? d : 0, out.position);
    columns.bring_back(found.velocity.data(), wanted.velocity ? d : 0, out.velocity);
    columns.bring_back(found.mass.data(), wanted.mass ? 1 : 0, out.mass);
    call.note_traffic("gradients");
  };
  halo_call("halos_vjp", domains, points, groups, options, execution, body);
}

GroupValues halos_jvp(const Domains& domains, PointsView points, const Groups& groups,
                      const HaloOptions& options, const MemberTangent& tangent,
                      const Execution& execution) {
  const auto body = [&](Call& call, const GroupColumns& columns, const SplitGroups& split,
                        const HaloOptions& common) {
    const auto d = static_cast<std::size_t>(points.dimension);
    const Which given = Which::agreed(call, "tangents", tangent.position, tangent.velocity,
                                      tangent.mass, points.size);
    MemberNumbers moves;
    if (given.position) moves.position = columns.carried(tangent.position, d);
    if (given.velocity) moves.velocity = columns.carried(tangent.velocity, d);
    if (given.mass) moves.mass = columns.carried(tangent.mass, 1);
    GroupValues found;
    call.phase([&](Workers& workers) {
      found = kith::halos_jvp(columns.whole(split).points, columns.members(split),
                              options_here(columns, split, common),
                              moves.tangent(split.whole_begin(), d), inside(call, workers));
    });
    if (split.any()) {
      GatheredGroup group(columns, split, d);
      group.gather(call, moves);
      call.phase([&](Workers& workers) {
        if (!group.is_here()) return;
        const GroupValues more =
            kith::halos_jvp(group.points(), group.members(), group.options(common),
                            group.numbers().tangent(0, d), inside(call, workers));
        for_each_field(
            d,
            [](std::size_t, std::vector<double>& to, const std::vector<double>& from) {
              to.insert(to.end(), from.begin(), from.end());
            },
            found, more);
      });
    }
    call.note_traffic("gradients");
    return found;
  };
  return halo_call("halos_jvp", domains, points, groups, options, execution, body);
}

}  // namespace kith::mpi
