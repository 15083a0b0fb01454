#include <algorithm>

#include <kith/forest.hpp>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "forest/forest_impl.hpp"
#include "neighbors/parts.hpp"
#include "parallel/public_call.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

/// Trees of one size class before they become one of the next: with 4, a point is built into about
/// half as many trees as with 2, and a search asks half as many again.
constexpr std::size_t kFactor = 4;
constexpr std::size_t kSmallest = 256;
constexpr std::size_t kCheck = std::size_t{1} << 14;  ///< steps between two checks of the token

int size_class(std::size_t n) {
  int found = 0;
  for (std::size_t limit = kSmallest; limit < n; limit *= kFactor) ++found;
  return found;
}

template <class T>
AnyTree tree_in(const Frame<T>& frame, const Box& box, const PointsView& points, Workers& workers) {
  auto impl = std::make_shared<AnyTree::Impl>();
  impl->options = {.box = box};
  impl->options.curve = Parts<T>::curve(impl->options, points.dimension);
  impl->input_size = points.size;
  impl->scalar = points.scalar;
  impl->dimension = points.dimension;
  const Input<T> input = input_in(frame, measure<T>(points, NonFinite::error, workers));
  impl->data = TreeData<T>{Parts<T>::planes(input, impl->options, workers), frame};
  return wrap_impl<AnyTree>(std::move(impl));
}

/// Puts points that came from several parts in the order of their indices.
template <class T>
void sort_by_index(ForestPart<T>& part, std::size_t width) {
  if (std::ranges::is_sorted(part.indices)) return;
  std::vector<std::pair<std::int64_t, std::size_t>> order(part.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {part.indices[i], i};
  std::ranges::sort(order);
  std::vector<T> rows(part.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    part.indices[i] = order[i].first;
    std::copy_n(part.rows.data() + order[i].second * width, width, rows.data() + i * width);
  }
  part.rows.swap(rows);
}

}  // namespace

template <Coordinate T>
Forest<T>::Impl::Impl(int d, const Box& b)
    : dimension(d), box(b), frame(fitted_frame<T>(b, d, Extent<T>())) {}

template <Coordinate T>
void Forest<T>::Impl::check_points(const char* call, const PointsView& points) const {
  check_view(call, points, box);
  if (points.dimension != dimension)
    refuse("{}: points of dimension {} for a forest of dimension {}", call, points.dimension,
           dimension);
  if (points.scalar != scalar_of<T>)
    refuse("{}: points of another scalar type than the forest's; convert them first", call);
}

template <Coordinate T>
void Forest<T>::Impl::build(ForestPart<T>& part, Workers& workers) const {
  part.tree = std::make_shared<const AnyTree>(
      tree_in(frame, box, view(part.rows.data(), part.size(), dimension), workers));
}

template <Coordinate T>
void Forest<T>::Impl::fit(const Extent<T>& all, Workers& workers) {
  const Frame<T> next = fitted_frame(box, dimension, all);
  if (next.exponent != frame.exponent) {
    Impl other(*this);
    other.frame = next;
    for (Entry& entry : other.entries) {
      auto part = std::make_shared<ForestPart<T>>(*entry.part);
      other.build(*part, workers);
      entry.part = std::move(part);
    }
    *this = std::move(other);
  }
  extent = all;
}

template <Coordinate T>
Extent<T> Forest<T>::Impl::live_extent() const {
  Extent<T> all;
  for (const auto& [part, dead] : entries)
    for (std::size_t i = 0; i < part->size(); ++i)
      if (contains(part->indices[i]))
        all.bounds.add(part->rows.data() + i * width(), Axes<kAnyDimension>(dimension));
  return all;
}

template <Coordinate T>
ForestPart<T> Forest<T>::Impl::gathered(std::span<const Entry> from, const std::vector<T>& rows,
                                        std::int64_t first_index) const {
  ForestPart<T> all;
  std::size_t size = rows.size() / width();
  for (const Entry& entry : from) size += entry.part->size() - entry.dead;
  all.rows.reserve(size * width());
  all.indices.reserve(size);
  const auto add = [&](const T* row, std::size_t count) {
    all.rows.insert(all.rows.end(), row, row + count * width());
  };
  for (const auto& [part, dead] : from) {
    if (dead == 0) {
      add(part->rows.data(), part->size());
      all.indices.insert(all.indices.end(), part->indices.begin(), part->indices.end());
      continue;
    }
    for (std::size_t i = 0; i < part->size(); ++i) {
      if (is_dead[static_cast<std::size_t>(part->indices[i])]) continue;
      add(part->rows.data() + i * width(), 1);
      all.indices.push_back(part->indices[i]);
    }
  }
  add(rows.data(), rows.size() / width());
  while (all.indices.size() < size) all.indices.push_back(first_index++);
  sort_by_index(all, width());
  return all;
}

template <Coordinate T>
void Forest<T>::Impl::sort_entries() {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.part->size() > b.part->size(); });
}

template <Coordinate T>
void Forest<T>::Impl::insert(const PointsView& points, Workers& workers) {
  check_points("forest: insert", points);
  const std::size_t inserted = is_dead.size() + points.size;
  if (inserted > kMaxPoints)
    fail(ErrorCode::too_large, "forest: insert: {} points in all; a forest numbers at most {}",
         inserted, kMaxPoints);
  Extent<T> all = measure<T>(points, NonFinite::error, workers).extent;
  if (points.size == 0) return;
  all.add(extent, dimension);
  fit(all, workers);
  // Where a size class would have too many, its trees join the new one; so it may grow into the
  // next class.
  std::size_t kept = entries.size(), size = points.size;
  for (;;) {
    std::size_t begin = kept;
    while (begin > 0 && size_class(entries[begin - 1].part->size()) <= size_class(size)) --begin;
    if (kept - begin + 1 < kFactor) break;
    for (std::size_t i = begin; i < kept; ++i) size += entries[i].part->size();
    kept = begin;
  }
  auto part = std::make_shared<ForestPart<T>>(gathered(std::span(entries).subspan(kept),
                                                       packed_rows<T>(points),
                                                       static_cast<std::int64_t>(is_dead.size())));
  build(*part, workers);
  entries.reserve(entries.size() + 1);
  is_dead.resize(inserted, false);  // the last step that can fail
  entries.resize(kept);
  entries.push_back({std::move(part), 0});
  sort_entries();
  live += points.size;
}

template <Coordinate T>
void Forest<T>::Impl::remove(std::span<const std::int64_t> indices, Workers& workers) {
  std::vector<std::int64_t> sorted(indices.begin(), indices.end());
  checked_sort(sorted.begin(), sorted.end(), [&] { workers.check_cancelled(); });
  workers.check_cancelled();
  for (const std::int64_t index : sorted)
    if (!contains(index)) refuse("forest: remove: no point has the index {}", index);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    refuse("forest: remove: index {} is given twice", *twice);
  Impl next(*this);
  bool is_edge = false;  // a point on the edge may have set the scale
  for (const std::int64_t index : sorted) next.is_dead[static_cast<std::size_t>(index)] = true;
  for (auto& [part, dead] : next.entries)
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i % kCheck == 0) workers.check_cancelled();
      const std::int64_t index = sorted[i];
      const auto at = std::ranges::lower_bound(part->indices, index);
      if (at == part->indices.end() || *at != index) continue;
      ++dead;
      const auto row = static_cast<std::size_t>(at - part->indices.begin()) * width();
      for (int axis = 0; axis < dimension; ++axis) {
        const T x = part->rows[row + static_cast<std::size_t>(axis)];
        is_edge = is_edge || x == extent.bounds.lo[axis] || x == extent.bounds.hi[axis];
      }
    }
  for (Entry& entry : next.entries) {
    if (entry.dead == 0 || 2 * entry.dead < entry.part->size()) continue;
    auto part = std::make_shared<ForestPart<T>>(next.gathered(std::span(&entry, 1), {}, 0));
    next.build(*part, workers);
    entry = {std::move(part), 0};
  }
  std::erase_if(next.entries, [](const Entry& entry) { return entry.part->size() == 0; });
  next.sort_entries();
  next.live -= sorted.size();
  if (is_edge) next.fit(next.live_extent(), workers);
  *this = std::move(next);
}

template <Coordinate T>
Forest<T>::Forest(int dimension, const ForestOptions& options) {
  public_call("forest", [&] {
    const T nothing = 0;
    check_view("forest", view(&nothing, 0, dimension), options.box);
    impl_ = std::make_unique<Impl>(dimension, options.box);
  });
}
template <Coordinate T>
Forest<T>::~Forest() = default;
template <Coordinate T>
Forest<T>::Forest(const Forest& other) {
  public_call("forest", [&] { impl_ = std::make_unique<Impl>(*other.impl_); });
}
template <Coordinate T>
Forest<T>::Forest(Forest&&) noexcept = default;
template <Coordinate T>
Forest<T>& Forest<T>::operator=(const Forest& other) {
  public_call("forest", [&] { impl_ = std::make_unique<Impl>(*other.impl_); });
  return *this;
}
template <Coordinate T>
Forest<T>& Forest<T>::operator=(Forest&&) noexcept = default;

template <Coordinate T>
std::int64_t Forest<T>::insert(PointsView points, const Execution& execution) {
  return public_call("forest: insert", execution, [&](Workers& workers) {
    const std::int64_t first = inserted();
    impl_->insert(points, workers);
    return first;
  });
}
template <Coordinate T>
void Forest<T>::remove(std::span<const std::int64_t> indices, const Execution& execution) {
  public_call("forest: remove", execution,
              [&](Workers& workers) { impl_->remove(indices, workers); });
}

template <Coordinate T>
int Forest<T>::dimension() const {
  return impl_->dimension;
}
template <Coordinate T>
const Box& Forest<T>::box() const {
  return impl_->box;
}
template <Coordinate T>
std::size_t Forest<T>::size() const {
  return impl_->live;
}
template <Coordinate T>
std::int64_t Forest<T>::inserted() const {
  return static_cast<std::int64_t>(impl_->is_dead.size());
}
template <Coordinate T>
bool Forest<T>::contains(std::int64_t index) const {
  return impl_->contains(index);
}
template <Coordinate T>
std::size_t Forest<T>::trees() const {
  return impl_->entries.size();
}
template <Coordinate T>
std::vector<std::int64_t> Forest<T>::indices() const {
  return public_call("forest: indices",
                     [&] { return impl_->gathered(impl_->entries, {}, 0).indices; });
}
template <Coordinate T>
std::vector<T> Forest<T>::coordinates() const {
  return public_call("forest: coordinates",
                     [&] { return impl_->gathered(impl_->entries, {}, 0).rows; });
}

template class Forest<float>;
template class Forest<double>;

}  // namespace kith
