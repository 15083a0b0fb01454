#include "column_table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "output.hpp"

namespace kith::cli {
namespace {

int power_of(double number) { return static_cast<int>(std::floor(std::log10(number))); }

}  // namespace

void ColumnTable::add_counts(const std::string& name, const std::vector<std::int64_t>& counts) {
  head_.push_back(name);
  std::vector<std::string>& column = columns_.emplace_back();
  for (const std::int64_t count : counts)
    column.push_back(grouped(static_cast<std::uint64_t>(count)));
}

void ColumnTable::add(const std::string& name, const std::vector<double>& numbers) {
  double least = 0, most = 0;
  for (const double number : numbers) {
    const double size = std::abs(number);
    if (!(size > 0) || !std::isfinite(size)) continue;
    least = least > 0 ? std::min(least, size) : size;
    most = std::max(most, size);
  }
  const bool is_plain = most == 0 || (least >= 1e-4 && most < std::min(1e7, 1e3 * least));
  const int decimals = most == 0 ? 0 : std::max(0, 3 - power_of(least));
  head_.push_back(name);
  std::vector<std::string>& column = columns_.emplace_back();
  for (const double number : numbers)
    column.push_back(is_plain ? fmt::format("{:.{}f}", number, decimals)
                              : fmt::format("{:.3e}", number));
}

void ColumnTable::add_places(const std::string& name, const std::vector<double>& places,
                             double side) {
  double most = std::isfinite(side) ? side : 0;
  for (const double place : places)
    if (std::isfinite(place)) most = std::max(most, std::abs(place));
  const int power = most > 0 ? power_of(most) : 0;
  const bool is_plain = power > -4 && power < 7;
  head_.push_back(name);
  std::vector<std::string>& column = columns_.emplace_back();
  for (const double place : places)
    column.push_back(is_plain ? fmt::format("{:.{}f}", place, std::max(0, 4 - power))
                              : fmt::format("{:.4e}", place));
}

void ColumnTable::mark_last(const std::vector<bool>& is_marked) {
  for (std::size_t row = 0; row < is_marked.size(); ++row)
    columns_.back()[row] += is_marked[row] ? "?" : " ";
}

std::string ColumnTable::text() const {
  Table table(head_);
  for (std::size_t row = 0; row < columns_.front().size(); ++row) {
    std::vector<std::string> words;
    for (const auto& column : columns_) words.push_back(column[row]);
    table.add(std::move(words));
  }
  return table.text();
}

}  // namespace kith::cli
