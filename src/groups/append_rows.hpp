// Catalogues that are put together from those of some groups at a time.
#pragma once

#include <kith/detail/catalogue_columns.hpp>

namespace kith {

/// Rows of another catalogue behind those of this one.
inline void append_rows(const Catalogue& from, std::size_t begin, std::size_t end, Catalogue& to) {
  if (begin == end) return;
  for_each_column(to, [&]<class Value>(const CatalogueColumn& column, std::vector<Value>& values) {
    const auto& more = from.*std::get<std::vector<Value> Catalogue::*>(column.values);
    const std::size_t width = more.size() / from.count();
    values.insert(values.end(), more.begin() + static_cast<std::ptrdiff_t>(begin * width),
                  more.begin() + static_cast<std::ptrdiff_t>(end * width));
  });
}
inline void append(const Catalogue& from, Catalogue& to) { append_rows(from, 0, from.count(), to); }

}  // namespace kith
