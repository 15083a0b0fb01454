// Sorting that can be stopped: comparisons are counted, and `check` is called after a fixed number
// of them; it throws to stop. The range is then left in no particular order. Short ranges, which
// are nearly all, are sorted by std::sort.
#pragma once

#include <algorithm>
#include <cstddef>

namespace kith {

namespace checked_sort_detail {

inline constexpr std::ptrdiff_t kShort = std::ptrdiff_t{1} << 15;
inline constexpr std::size_t kComparisons = std::size_t{1} << 17;  // one to two milliseconds

/// a < b; algorithms copy their comparator, so the count is outside.
template <class Check>
auto counting(std::size_t& count, Check& check) {
  return [&count, &check](const auto& a, const auto& b) {
    if (++count % kComparisons == 0) check();
    return a < b;
  };
}

}  // namespace checked_sort_detail

template <class Iterator, class Check>
void checked_sort(Iterator begin, Iterator end, Check&& check) {
  using namespace checked_sort_detail;
  if (end - begin <= kShort) return std::sort(begin, end);
  std::size_t count = 0;
  std::sort(begin, end, counting(count, check));
}

template <class Iterator, class Check>
void checked_nth_element(Iterator begin, Iterator nth, Iterator end, Check&& check) {
  using namespace checked_sort_detail;
  if (end - begin <= kShort) return std::nth_element(begin, nth, end);
  std::size_t count = 0;
  std::nth_element(begin, nth, end, counting(count, check));
}

}  // namespace kith
