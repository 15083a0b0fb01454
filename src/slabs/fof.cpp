// Friends of friends of stored points as callers see it.
#include "base/fail.hpp"
#include "base/format.hpp"
#include "neighbors/parts.hpp"
#include "parallel/public_call.hpp"
#include "slabs/names.hpp"
#include "slabs/whole_progress.hpp"

namespace kith {
namespace {

template <class T>
void solve(const StoredPoints& points, const FofOptions& options, const DiskOptions& disk,
           const Execution& execution, Workers& workers, StoredGroups::Impl& out) {
  using namespace slabs;
  const Budget budget = budget_of(points, disk);
  constexpr std::uint64_t kLabels = 4 + 4 + 2;  // sets, labels, and points at edges
  const std::string task =
      formatted("fof {} {} {} {} {} {}", options.linking_length, options.b, options.mean_separation,
                options.volume, options.min_size, options.strict);
  const SlabStore<T> store =
      divide<T>({points, options.box, options.non_finite, kLabels, false, false, task}, disk,
                budget, workers);
  const LinkingReach<T> reach =
      GroupParts<T>::reach(options, options.box, store.total, store.dimension, store.frame);
  SlabSets sets = link_slabs(store, reach.reach2, options.min_size, budget, execution, workers);
  name_groups(store, std::move(sets), options.min_size, budget, workers, out);
  out.scratch = store.scratch;
  out.points = store.size;
  out.linking_length = static_cast<double>(reach.linking_length);
  out.slabs = store.slabs();
}

void check(const StoredPoints& points, const FofOptions& options) {
  const Scalar scalar = points.scalar();
  // A view without rows has all that does not depend on them.
  const PointsView none{nullptr, 0, points.dimension(), points.dimension(), scalar};
  with_scalar(scalar, [&]<class T>() { Parts<T>::check("fof", none, {.box = options.box}); });
  check_fof_options(options);
  if (options.keep_roots) refuse("fof: keep_roots needs the points in memory; leave it out");
}

}  // namespace

StoredGroups fof(const StoredPoints& points, const FofOptions& options, const DiskOptions& disk,
                 const Execution& given) {
  return slabs::watched_call(
      "fof", given,
      {{"extent", 1}, {"count", 2}, {"sort", 3}, {"link", 9}, {"lowest members", 1}, {"labels", 2}},
      points.size(), [&](const Execution& execution, Workers& workers) {
        check(points, options);
        auto groups = std::make_shared<StoredGroups::Impl>();
        with_scalar(points.scalar(), [&]<class T>() {
          solve<T>(points, options, disk, execution, workers, *groups);
        });
        return wrap_impl<StoredGroups>(std::move(groups));
      });
}

std::uint64_t StoredGroups::size() const { return impl_->points; }
std::size_t StoredGroups::count() const { return impl_->size.size(); }
std::uint64_t StoredGroups::grouped() const { return impl_->grouped; }
std::span<const std::int64_t> StoredGroups::sizes() const { return impl_->size; }
std::span<const std::int64_t> StoredGroups::lowest_members() const { return impl_->lowest; }
double StoredGroups::linking_length() const { return impl_->linking_length; }
std::size_t StoredGroups::slabs() const { return impl_->slabs; }
std::uint64_t StoredGroups::bytes_written() const { return impl_->scratch->written(); }
std::uint64_t StoredGroups::bytes_read() const { return impl_->scratch->read_so_far(); }

void StoredGroups::read_labels(std::uint64_t begin, std::span<std::int32_t> out) const {
  public_call("labels", [&] {
    if (begin > impl_->points || out.size() > impl_->points - begin)
      refuse("labels: {} rows from {}, of {} points", out.size(), begin, impl_->points);
    impl_->read_labels(begin, out);
  });
}

}  // namespace kith
