#include "results/columns.hpp"

#include <algorithm>
#include <numeric>

#include <kith/result_rows.hpp>

#include "base/fail.hpp"

namespace kith::io {
namespace {

using Integers = std::vector<std::int64_t>;

/// All fields but those by type, which files have for every type that the format knows.
void add_catalogue(Columns& columns, const Catalogue& table, bool is_subhalo,
                   const Integers& widths) {
  std::size_t number = 0;
  for_each_column(table, [&](const CatalogueColumn& column, const auto& values) {
    std::optional<std::size_t> width;
    if (!widths.empty()) width = static_cast<std::size_t>(widths[number]);
    ++number;
    if (column.shape == ColumnShape::per_type || (is_subhalo && !column.subhalo.name)) return;
    columns.add((is_subhalo ? "subhalo_" : "") + std::string(column.name), values, table.count(),
                width);
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

/// The sums of all rows before, column by column; `before`: those of other processes, or nothing.
Integers offsets_of(const Integers& sizes, std::size_t types, const Integers& before) {
  Integers result(sizes.size());
  if (!sizes.empty()) std::copy(before.begin(), before.end(), result.begin());
  for (std::size_t i = types; i < sizes.size(); ++i)
    result[i] = result[i - types] + sizes[i - types];
  return result;
}

bool knows_types(const CatalogueContent& content) {
  return content.catalogue->types > 0 || content.about.types.size() <= 1;
}

std::size_t only_type(const ResultAbout& about) {
  return about.types.empty() ? 0 : static_cast<std::size_t>(about.types.front());
}

void add_types(Columns& columns, const CatalogueContent& content, std::size_t types,
               const TablePart& part) {
  if (!knows_types(content)) return;
  const Catalogue& table = *content.catalogue;
  const std::size_t n = table.count(), only = only_type(content.about);
  const auto known = static_cast<std::size_t>(table.types);
  Integers sizes = group_type_sizes(content, types);
  columns.keep("type_offset", offsets_of(sizes, types, part.size_before), n, types);
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

/// Where the members of each subhalo begin in the order of each type: subhalos come first in
/// their group, one after the other.
Integers subhalo_offsets(const Columns& columns, const Integers& parent, const Integers& sizes,
                         std::size_t types, const TablePart& part) {
  const auto* begin = static_cast<const std::int64_t*>(columns.find("type_offset")->data);
  Integers result(sizes.size());
  for (std::size_t s = 0; s < parent.size(); ++s) {
    const bool goes_on = s > 0 && parent[s] == parent[s - 1];
    const std::int64_t group = parent[s] - part.groups_before;
    const std::int64_t* first =
        group < 0 ? part.lead_offset.data() : begin + static_cast<std::size_t>(group) * types;
    for (std::size_t t = 0; t < types; ++t)
      result[s * types + t] =
          goes_on ? result[(s - 1) * types + t] + sizes[(s - 1) * types + t] : first[t];
  }
  return result;
}

/// How many subhalos each group has, and which is the first; `rank`: of each in its group.
struct SubhaloCounts {
  Integers count, first, rank;

  SubhaloCounts(const Integers& parent, std::size_t groups, const TablePart& part)
      : count(groups), first(groups, -1) {
    for (std::size_t s = 0; s < parent.size(); ++s) {
      const bool goes_on = s > 0 && parent[s] == parent[s - 1];
      rank.push_back(goes_on ? rank.back() + 1 : s == 0 ? part.lead_subhalos : 0);
      const std::int64_t group = parent[s] - part.groups_before;
      if (group < 0) continue;
      const auto g = static_cast<std::size_t>(group);
      if (count[g]++ == 0) first[g] = part.subhalos_before + static_cast<std::int64_t>(s);
    }
    if (groups == 0) return;
    if (count.back() == 0) first.back() = part.tail_first;
    count.back() += part.tail_subhalos;
  }
};

void add_subhalos(Columns& columns, const CatalogueContent& content, std::size_t types,
                  const TablePart& part) {
  const std::size_t groups = content.catalogue->count();
  const Integers none;
  const Integers& parent = content.subhalos ? content.subhalos->parent : none;
  SubhaloCounts counts(parent, groups, part);
  if (content.subhalos) {
    const std::size_t n = parent.size();
    columns.add("subhalo_parent", parent, n);
    columns.keep("subhalo_rank", std::move(counts.rank), n);
    add_catalogue(columns, content.subhalos->catalogue, true, part.subhalo_width);
    if (columns.find("type_offset")) {
      Integers sizes = subhalo_type_sizes(content, types);
      columns.keep("subhalo_type_offset", subhalo_offsets(columns, parent, sizes, types, part), n,
                   types);
      columns.keep("subhalo_type_size", std::move(sizes), n, types);
    }
  }
  columns.keep("subhalos", std::move(counts.count), groups);
  columns.keep("first_subhalo", std::move(counts.first), groups);
}

}  // namespace

void Columns::describe(const ResultArray& array) {
  arrays.push_back({array});
  if (const ColumnRule* rule = find_rule(array.name)) {
    arrays.back().unit = rule->unit;
    arrays.back().description = rule->description;
  }
}

const ResultRows* Columns::find(std::string_view name) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const ResultArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

std::vector<std::int64_t> group_type_sizes(const CatalogueContent& content, std::size_t types) {
  if (!knows_types(content)) return {};
  const Catalogue& table = *content.catalogue;
  return table.types > 0 ? widened(table.type_size, static_cast<std::size_t>(table.types), types)
                         : placed(table.size, only_type(content.about), types);
}

std::vector<std::int64_t> subhalo_type_sizes(const CatalogueContent& content, std::size_t types) {
  const std::vector<TypeSlice> slices = slices_of(content.about);
  Integers sizes(content.subhalos->parent.size() * types);
  if (content.rows) {
    const auto known = content.rows->subhalo_type_size;
    for (std::size_t i = 0; i < known.size(); ++i)
      sizes[i / slices.size() * types + static_cast<std::size_t>(slices[i % slices.size()].type)] =
          known[i];
    return sizes;
  }
  const Members& members = content.subhalos->members;
  for (std::size_t s = 0; s < members.count(); ++s)
    for (const std::uint32_t i : members.of(s))
      for (const TypeSlice& slice : slices)
        if (i >= slice.begin && i < slice.end)
          ++sizes[s * types + static_cast<std::size_t>(slice.type)];
  return sizes;
}

std::uint64_t groups_in(const CatalogueContent& content) {
  return content.rows ? content.rows->groups : content.catalogue->count();
}

std::uint64_t subhalos_in(const CatalogueContent& content) {
  if (content.rows) return content.rows->subhalos;
  return content.subhalos ? content.subhalos->parent.size() : 0;
}

Columns columns_of(const CatalogueContent& content) {
  if (!content.rows) return table_columns(content, type_numbers_of(content.about));
  Columns columns;
  columns.arrays = content.rows->columns;
  columns.are_stored = true;
  return columns;
}

Columns table_columns(const CatalogueContent& content, std::size_t types, const TablePart& part) {
  Columns columns;
  const Catalogue& table = *content.catalogue;
  const auto dimension = static_cast<std::size_t>(content.about.dimension);
  add_catalogue(columns, table, false, part.group_width);
  add_types(columns, content, types, part);
  if (!content.peak.empty() && content.peak.size() != table.center.size())
    refuse("write_catalogue: {} coordinates of peaks for {} groups", content.peak.size(),
           table.count());
  const auto peak = content.peak.empty() ? std::span<const double>(table.center) : content.peak;
  columns.keep("peak", std::vector<double>(peak.begin(), peak.end()), table.count(), dimension);
  add_overdensities(columns, content);
  add_subhalos(columns, content, types, part);
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
