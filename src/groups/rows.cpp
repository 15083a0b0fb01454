// Rows of a catalogue: filters and orders, and the member of each group with the largest value.
#include <algorithm>

#include <kith/catalogue.hpp>

#include "base/fail.hpp"
#include "groups/columns.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

std::vector<std::int64_t> rows_of(const Catalogue& catalogue, const RowOptions& options) {
  const bool has_centers =
      options.order != RowOptions::Order::position ||
      catalogue.center.size() == catalogue.count() * static_cast<std::size_t>(catalogue.dimension);
  if (catalogue.mass.size() != catalogue.count() || !has_centers)
    refuse("rows: {} groups, but {} masses and {} coordinates of centers; give as many of each",
           catalogue.count(), catalogue.mass.size(), catalogue.center.size());
  std::vector<std::int64_t> labels;
  for (std::size_t group = 0; group < catalogue.count(); ++group)
    if (catalogue.size[group] >= options.min_size && catalogue.mass[group] >= options.min_mass)
      labels.push_back(static_cast<std::int64_t>(group));
  const std::size_t d = static_cast<std::size_t>(catalogue.dimension);
  auto center = [&](std::int64_t label) {
    return catalogue.center.data() + static_cast<std::size_t>(label) * d;
  };
  auto mass = [&](std::int64_t label) { return catalogue.mass[static_cast<std::size_t>(label)]; };
  if (options.order == RowOptions::Order::mass)
    std::stable_sort(labels.begin(), labels.end(),
                     [&](auto a, auto b) { return mass(a) > mass(b); });
  if (options.order == RowOptions::Order::position)
    std::stable_sort(labels.begin(), labels.end(), [&](auto a, auto b) {
      return std::lexicographical_compare(center(a), center(a) + d, center(b), center(b) + d);
    });
  return labels;
}

/// The least member of a group, however large: it is looked through piece by piece.
template <class IsBefore>
std::uint32_t first_of(std::span<const std::uint32_t> group, IsBefore is_before,
                       const Workers& workers) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::uint32_t best = group.front();
  for (std::size_t begin = 0; begin < group.size(); begin += kPiece) {
    workers.check_cancelled();
    const auto piece = group.subspan(begin, std::min(kPiece, group.size() - begin));
    const std::uint32_t here = *std::min_element(piece.begin(), piece.end(), is_before);
    if (is_before(here, best)) best = here;
  }
  return best;
}

}  // namespace

std::vector<std::int64_t> rows(const Catalogue& catalogue, const RowOptions& options) {
  return public_call("rows", [&] { return rows_of(catalogue, options); });
}

std::vector<std::int64_t> peak_members(const Members& members, ValuesView value, Peak peak,
                                       const Execution& execution) {
  return public_call("peak_members", execution, [&](Workers& workers) {
    if (value.data && value.size != members.order.size())
      refuse("peak_members: {} values for {} points; give one per point", value.size,
             members.order.size());
    check_members("peak_members", members, members.order.size(), workers);
    const ValueReader read(value);
    // Members ascend, so the first of equal values has the lowest index.
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
      return peak == Peak::largest ? read(a) > read(b) : read(a) < read(b);
    };
    std::vector<std::int64_t> peaks(members.count());
    workers.for_ranges(members.count(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        peaks[group] = first_of(members.of(group), is_before, workers);
    });
    return peaks;
  });
}

}  // namespace kith
