#include "results/columns.hpp"

#include <algorithm>
#include <numeric>

#include <kith/result_rows.hpp>

#include "base/fail.hpp"

namespace kith::io {
namespace {

using Integers = std::vector<std::int64_t>;

/// All fields but those by type, which files have for every type that the format knows.
void add_catalogue(Columns& columns, const Catalogue& table, bool is_subhalo) {
  for_each_column(table, [&](const CatalogueColumn& column, const auto& values) {
    if (column.shape == ColumnShape::per_type || (is_subhalo && !column.subhalo.name)) return;
    columns.add((is_subhalo ? "subhalo_" : "") + std::string(column.name), values, table.count());
  });
}

/// [row * from + type] with more columns, the new ones 0.
template <class T>
std::vector<T> widened(const std::vector<T>& values, std::size_t from, std::size_t to) {
  const std::size_t rows = from == 0 ? 0 : values.size() / from;
  std::vector<T> result(rows * to);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(&values[i * from], std::min(from, to), &result[i * to]);
  return result;
}

/// Without types in the catalogue everything belongs to the one type that there is.
template <class T>
std::vector<T> placed(const std::vector<T>& values, std::size_t type, std::size_t types) {
  std::vector<T> result(values.size() * types);
  for (std::size_t i = 0; i < values.size(); ++i) result[i * types + type] = values[i];
  return result;
}

/// The sums of all rows before, column by column.
Integers offsets_of(const Integers& sizes, std::size_t types) {
  Integers result(sizes.size());
  for (std::size_t i = types; i < sizes.size(); ++i)
    result[i] = result[i - types] + sizes[i - types];
  return result;
}

void add_types(Columns& columns, const CatalogueContent& content, std::size_t types) {
  const Catalogue& table = *content.catalogue;
  const std::size_t n = table.count();
  if (table.types == 0 && content.about.types.size() > 1) return;  // nobody knows
  const std::size_t only =
      content.about.types.empty() ? 0 : static_cast<std::size_t>(content.about.types.front());
  const auto known = static_cast<std::size_t>(table.types);
  Integers sizes =
      known > 0 ? widened(table.type_size, known, types) : placed(table.size, only, types);
  columns.keep("type_offset", offsets_of(sizes, types), n, types);
  columns.keep("type_size", std::move(sizes), n, types);
  columns.keep("type_mass",
               known > 0 ? widened(table.type_mass, known, types) : placed(table.mass, only, types),
               n, types);
}

void add_overdensities(Columns& columns, const CatalogueContent& content) {
  if (!content.overdensities) return;
  const std::size_t n = content.catalogue->count();
  const std::size_t edges = content.edges.size();
  for (std::size_t e = 0; e < edges; ++e) {
    std::vector<double> mass(n), radius(n);
    for (std::size_t g = 0; g < n; ++g) {
      mass[g] = content.overdensities->mass[g * edges + e];
      radius[g] = content.overdensities->radius[g * edges + e];
    }
    const std::string name = kith::name(content.edges[e]);
    columns.keep(name + "_mass", std::move(mass), n);
    columns.keep(name + "_radius", std::move(radius), n);
  }
  if (edges == 0 || content.overdensities->size.size() != n * edges) return;
  std::vector<std::uint8_t> is_resolved(n);
  for (std::size_t g = 0; g < n; ++g)
    is_resolved[g] = content.overdensities->size[g * edges] >= kResolvedSize ? 1 : 0;
  columns.keep("is_resolved", std::move(is_resolved), n);
}

/// Members of each type in each subhalo.
Integers subhalo_type_sizes(const CatalogueContent& content, std::size_t types) {
  const Members& members = content.subhalos->members;
  const std::vector<TypeSlice> slices = slices_of(content.about);
  Integers sizes(members.count() * types);
  if (content.rows) {
    const auto known = content.rows->subhalo_type_size;
    for (std::size_t i = 0; i < known.size(); ++i)
      sizes[i / slices.size() * types + static_cast<std::size_t>(slices[i % slices.size()].type)] =
          known[i];
    return sizes;
  }
  for (std::size_t s = 0; s < members.count(); ++s)
    for (const std::uint32_t i : members.of(s))
      for (const TypeSlice& slice : slices)
        if (i >= slice.begin && i < slice.end)
          ++sizes[s * types + static_cast<std::size_t>(slice.type)];
  return sizes;
}

/// Where the members of each subhalo begin in the order of each type: subhalos come first in
/// their group, one after the other.
Integers subhalo_offsets(const Columns& columns, const Integers& parent, const Integers& sizes,
                         std::size_t types) {
  const ResultArray* group = columns.find("type_offset");
  const auto* begin = static_cast<const std::int64_t*>(group->data);
  Integers result(sizes.size());
  for (std::size_t s = 0; s < parent.size(); ++s)
    for (std::size_t t = 0; t < types; ++t)
      result[s * types + t] = s > 0 && parent[s] == parent[s - 1]
                                  ? result[(s - 1) * types + t] + sizes[(s - 1) * types + t]
                                  : begin[static_cast<std::size_t>(parent[s]) * types + t];
  return result;
}

void add_subhalos(Columns& columns, const CatalogueContent& content, std::size_t types) {
  const std::size_t groups = content.catalogue->count();
  Integers count(groups), first(groups, -1);
  if (content.subhalos) {
    const Integers& parent = content.subhalos->parent;
    const std::size_t n = parent.size();
    Integers rank(n);
    for (std::size_t s = 0; s < n; ++s) {
      const auto g = static_cast<std::size_t>(parent[s]);
      if (count[g] == 0) first[g] = static_cast<std::int64_t>(s);
      rank[s] = count[g]++;
    }
    columns.add("subhalo_parent", parent, n);
    columns.keep("subhalo_rank", std::move(rank), n);
    add_catalogue(columns, content.subhalos->catalogue, true);
    if (columns.find("type_offset")) {
      Integers sizes = subhalo_type_sizes(content, types);
      columns.keep("subhalo_type_offset", subhalo_offsets(columns, parent, sizes, types), n, types);
      columns.keep("subhalo_type_size", std::move(sizes), n, types);
    }
  }
  columns.keep("subhalos", std::move(count), groups);
  columns.keep("first_subhalo", std::move(first), groups);
}

}  // namespace

void Columns::describe(ResultArray array) {
  if (const ColumnRule* rule = find_rule(array.name)) {
    array.unit = rule->unit;
    array.description = rule->description;
  }
  arrays.push_back(std::move(array));
}

const ResultArray* Columns::find(std::string_view name) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const ResultArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

Columns table_columns(const CatalogueContent& content, std::size_t types) {
  Columns columns;
  const Catalogue& table = *content.catalogue;
  const auto dimension = static_cast<std::size_t>(content.about.dimension);
  add_catalogue(columns, table, false);
  add_types(columns, content, types);
  if (!content.peak.empty() && content.peak.size() != table.center.size())
    refuse("write_catalogue: {} coordinates of peaks for {} groups", content.peak.size(),
           table.count());
  const auto peak = content.peak.empty() ? std::span<const double>(table.center) : content.peak;
  columns.keep("peak", std::vector<double>(peak.begin(), peak.end()), table.count(), dimension);
  add_overdensities(columns, content);
  add_subhalos(columns, content, types);
  return columns;
}

std::vector<std::uint32_t> order_of(const CatalogueContent& content) {
  const Members& members = *content.members;
  std::vector<std::uint32_t> order = members.order;
  if (!content.subhalos) return order;
  // Stable inside a group: first the subhalos as they come, then what is in none.
  const Members& parts = content.subhalos->members;
  std::vector<std::uint8_t> is_placed(order.size(), 0);
  std::size_t s = 0;
  for (std::size_t g = 0; g < members.count(); ++g) {
    std::size_t next = members.offset[g];
    for (; s < parts.count() && content.subhalos->parent[s] == static_cast<std::int64_t>(g); ++s)
      for (const std::uint32_t i : parts.of(s)) {
        order[next++] = i;
        is_placed[i] = 1;
      }
    for (const std::uint32_t i : members.of(g))
      if (!is_placed[i]) order[next++] = i;
  }
  return order;
}

std::vector<TypeSlice> slices_of(const ResultAbout& about) {
  if (about.types.empty()) return {{0, 0, about.points}};
  std::vector<TypeSlice> slices;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < about.types.size(); ++i) {
    slices.push_back({about.types[i], begin, begin + about.counts[i]});
    begin = slices.back().end;
  }
  return slices;
}

std::size_t type_numbers_of(const ResultAbout& about) {
  int numbers = std::max(6, about.type_numbers);
  for (const int type : about.types) numbers = std::max(numbers, type + 1);
  return static_cast<std::size_t>(numbers);
}

}  // namespace kith::io
