// Points of several types: the linked ones make the groups, the attached ones look for the nearest
// of them.
#include <algorithm>
#include <vector>

#include <kith/neighbors.hpp>

#include "base/fail.hpp"
#include "groups/checks.hpp"
#include "groups/groups_impl.hpp"
#include "groups/reach.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"
#include "tree/planes.hpp"

namespace kith {
namespace {

/// Attached points are searched for in parts, which bounds the memory.
constexpr std::size_t kPart = std::size_t{1} << 20;

using Types = std::span<const TypedPoints>;

}  // namespace

void check_types(std::span<const TypedPoints> types, const FofOptions& options) {
  std::size_t total = 0, linked = 0;
  for (const TypedPoints& type : types) {
    check_view("fof", type.points, options.box);
    const PointsView &points = type.points, &first = types.front().points;
    if (points.dimension != first.dimension || points.scalar != first.scalar)
      refuse("fof: type {} differs from type 0 in dimension or scalar type; convert one of them",
             &type - types.data());
    total += points.size;
    linked += type.role == Role::linked;
  }
  if (linked == 0)
    refuse("fof: none of {} types is linked; groups need linked points", types.size());
  if (total > kMaxPoints)
    fail(ErrorCode::too_large, "fof: {} points of all types; at most {} at once: split the set",
         total, kMaxPoints);
}

namespace {

/// The linked points as one set, and the place of each type in it and among all points.
template <class T>
class LinkedPoints {
 public:
  LinkedPoints(Types types, const Workers& workers) {
    std::size_t all = 0;
    for (const TypedPoints& type : types) {
      if (type.role == Role::linked) {
        parts_.push_back({size_, all, type.points});
        size_ += type.points.size;
      }
      all += type.points.size;
    }
    if (parts_.size() > 1) copy(workers);
  }

  PointsView view() const {
    if (parts_.size() == 1) return parts_.front().points;
    return kith::view(rows_.data(), size_, parts_.front().points.dimension);
  }

  /// The original index among all points of a linked one.
  std::size_t original(std::size_t i) const {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), i,
                         [](std::size_t at, const Part& part) { return at < part.begin; });
    return std::prev(after)->original + (i - std::prev(after)->begin);
  }

 private:
  struct Part {
    std::size_t begin, original;
    PointsView points;
  };

  void copy(const Workers& workers) {
    const auto d = static_cast<std::size_t>(parts_.front().points.dimension);
    rows_ = Array<T>(size_ * d, workers.pool());
    for (const Part& part : parts_)
      workers.for_ranges(part.points.size, kLightPointGrain,
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t i = begin; i < end; ++i)
                             std::copy_n(static_cast<const T*>(part.points.data) +
                                             static_cast<std::ptrdiff_t>(i) * part.points.stride,
                                         d, rows_.data() + (part.begin + i) * d);
                         });
  }

  std::vector<Part> parts_;
  std::size_t size_ = 0;
  Array<T> rows_;
};

template <class T>
class TypedGroups {
 public:
  TypedGroups(Types types, const FofOptions& options, const Execution& execution, Workers& workers)
      : types_(types),
        execution_(execution),
        workers_(workers),
        linked_(types, workers),
        tree_(linked_.view(), {.box = options.box, .non_finite = options.non_finite}, execution),
        groups_(fof(tree_, options, execution)),
        is_strict_(options.strict) {}

  void fill(Groups::Impl& out) const {
    out.linking_length = groups_.linking_length();
    std::size_t all = 0, linked = 0;
    for (const TypedPoints& type : types_) all += type.points.size;
    out.label = Array<std::int32_t>(all, workers_.pool());
    if (!groups_.root().empty()) out.root = Array<std::int64_t>(all, workers_.pool());
    copy_groups(out);
    const Stage stage(workers_, "attach", all);
    std::size_t at = 0;
    for (const TypedPoints& type : types_) {
      if (type.role == Role::linked) {
        copy_labels(linked, at, type.points.size, out);
        linked += type.points.size;
      } else {
        attach(type.points, at, out);
      }
      at += type.points.size;
    }
  }

 private:
  void copy_groups(Groups::Impl& out) const {
    out.size = Array<std::uint64_t>(groups_.count(), workers_.pool());
    out.lowest = Array<std::uint32_t>(groups_.count(), workers_.pool());
    workers_.for_ranges(groups_.count(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) {
        out.size[group] = groups_.size(group);
        out.lowest[group] = static_cast<std::uint32_t>(linked_.original(groups_.lowest(group)));
      }
    });
  }

  /// Sets label and root of a point in the group of linked point i; i = -1: in no group.
  void set(std::size_t at, std::int64_t i, Groups::Impl& out) const {
    out.label[at] = i < 0 ? -1 : groups_.label()[static_cast<std::size_t>(i)];
    if (out.root.empty()) return;
    const std::int64_t root = i < 0 ? -1 : groups_.root()[static_cast<std::size_t>(i)];
    out.root[at] =
        root < 0 ? -1 : static_cast<std::int64_t>(linked_.original(static_cast<std::size_t>(root)));
  }

  void copy_labels(std::size_t linked, std::size_t at, std::size_t n, Groups::Impl& out) const {
    workers_.for_ranges(n, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        set(at + i, static_cast<std::int64_t>(linked + i), out);
      workers_.advance(end - begin);
    });
  }

  void attach(const PointsView& points, std::size_t at, Groups::Impl& out) const {
    for (std::size_t first = 0; first < points.size; first += kPart) {
      PointsView part = points;
      part.data =
          static_cast<const T*>(points.data) + static_cast<std::ptrdiff_t>(first) * points.stride;
      part.size = std::min(kPart, points.size - first);
      const Array<std::int64_t> nearest = nearest_linked(part);
      workers_.for_ranges(part.size, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) set(at + first + i, nearest[i], out);
        workers_.advance(end - begin);
      });
    }
  }

  Array<std::int64_t> nearest_linked(const PointsView& points) const {
    Array<std::int64_t> nearest(points.size, workers_.pool());
    const KnnOptions options{.k = 1, .max_radius = groups_.linking_length(), .strict = is_strict_};
    Execution quiet = execution_;  // its stages are part of one of ours
    quiet.progress = nullptr;
    quiet.statistics = nullptr;
    knn_into<T, std::int64_t>(tree_, points, options, {nearest.data(), nullptr, points.size},
                              quiet);
    return nearest;
  }

  Types types_;
  const Execution& execution_;
  Workers& workers_;
  LinkedPoints<T> linked_;
  AnyTree tree_;
  Groups groups_;
  bool is_strict_;
};

}  // namespace

Groups fof(Types types, const FofOptions& options, const Execution& execution) {
  return device_call("fof", execution, [&](Workers& workers) {
    check_types(types, options);
    check_fof_options(options);
    auto groups = std::make_shared<Groups::Impl>();
    with_scalar(types.front().points.scalar, [&]<class T>() {
      TypedGroups<T>(types, options, execution, workers).fill(*groups);
    });
    return wrap_impl<Groups>(std::move(groups));
  });
}

}  // namespace kith
