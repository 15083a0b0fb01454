#include "shared_input.hpp"

#include <algorithm>
#include <optional>

namespace kith::cli {

std::uint64_t own_size_of(const Input& input, int type) {
  const Share rows = share_of(input.size());
  std::uint64_t first = 0;
  for (const int each : input.types()) {
    if (each == type) break;
    first += input.size_of(each);
  }
  const std::uint64_t begin = std::max(first, rows.begin);
  const std::uint64_t end = std::min(first + input.size_of(type), rows.begin + rows.count);
  return end > begin ? end - begin : 0;
}

void FirstRows::take(const Execution& execution) {
  const std::vector<std::int64_t> widths = ranks()->gather(width_);
  for (std::size_t i = 0; i < widths.size(); ++i)
    width_[i % width_.size()] = std::max(width_[i % width_.size()], widths[i]);
  for (std::size_t a = 0; a < arrays_.size(); ++a)
    arrays_[a].row_bytes *= static_cast<std::size_t>(width_[a]);
  ranks()->collect(
      arrays_,
      [&](std::span<const RowAccess> access) {
        for (std::size_t a = 0; a < access.size(); ++a)
          if (rows_ > 0 && width_[a] > 0)
            fill_[a](access[a].read(0, rows_), rows_ * static_cast<std::size_t>(width_[a]));
      },
      execution);
}

Input open_together(const InputOptions& options, const std::function<void(const Input&)>& check) {
  std::optional<Input> input;
  together([&] {
    input.emplace(options);
    check(*input);
  });
  return *input;
}

void share_points(const Input& input, const Numbers& positions, const Execution& execution) {
  ranks()->take(positions.rows(input.dimension()),
                {.box = input.box(), .non_finite = input.non_finite()}, execution);
}

void share_points(const Input& input, const Execution& execution) {
  Numbers positions;
  together([&] { positions = input.positions(execution); });
  share_points(input, positions, execution);
}

}  // namespace kith::cli
