#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "cluster.hpp"

namespace kith::cli {
namespace {

/// More points than this are drawn as a sample: every n-th.
constexpr std::size_t kDrawnPoints = 20000;
/// Clusters with a color: as many as a plot has colors, but for the one of the rest.
constexpr std::size_t kDrawnClusters = 9;

/// Radius of a mark: smaller if there are more of them.
double mark_for(std::size_t points) { return points < 500 ? 2.6 : points < 5000 ? 1.7 : 1.1; }

/// Noise, the largest clusters, all others: one series each, noise below.
std::vector<Series> empty_series(const FoundClusters& found, const std::vector<std::uint64_t>& size,
                                 const std::vector<std::size_t>& order) {
  const std::size_t shown = std::min(order.size(), kDrawnClusters);
  std::vector<Series> series(shown + 2);
  for (Series& each : series) {
    each.style = SeriesStyle::points;
    each.mark = mark_for(found.label.size());
  }
  series[0].name = "noise";
  series[0].is_faint = true;
  for (std::size_t i = 0; i < shown; ++i)
    series[i + 1].name =
        fmt::format("{}: {}", order[i], counted(size[order[i]], "point", "points"));
  series.back().name = fmt::format("{} more", counted(order.size() - shown, "cluster", "clusters"));
  return series;
}

}  // namespace

std::vector<std::uint64_t> FoundClusters::sizes() const {
  std::vector<std::uint64_t> size(count);
  for (const std::int32_t each : label)
    if (each >= 0) ++size[static_cast<std::size_t>(each)];
  return size;
}

std::vector<std::size_t> largest_first(const std::vector<std::uint64_t>& size) {
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  return order;
}

Drawing picture_of(const FoundClusters& found, const Input& input, const Numbers& positions,
                   const std::string& title) {
  const std::vector<std::uint64_t> size = found.sizes();
  const std::vector<std::size_t> order = largest_first(size);
  std::vector<std::size_t> place(found.count);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = std::min(i, kDrawnClusters) + 1;
  const std::string unit = unit_note(input.info().units, {.length = 1});
  Plot sheet{.title = title,
             .x = {.label = "x" + unit},
             .y = {.label = "y" + unit},
             .series = empty_series(found, size, order),
             .width = 720,
             .height = 560,
             .has_legend_beside = true,
             .has_equal_scales = true};
  const auto dimension = static_cast<std::size_t>(input.dimension());
  const std::size_t n = found.label.size(), step = (n + kDrawnPoints - 1) / kDrawnPoints;
  for (std::size_t i = 0; i < n; i += step) {
    const std::int32_t label = found.label[i];
    Series& series = sheet.series[label < 0 ? 0 : place[static_cast<std::size_t>(label)]];
    series.x.push_back(positions[i * dimension]);
    series.y.push_back(dimension > 1 ? positions[i * dimension + 1] : 0);
  }
  for (Series& series : sheet.series)
    if (series.x.empty()) series.name.clear();
  return plot(sheet);
}

}  // namespace kith::cli
