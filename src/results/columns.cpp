#include "results/columns.hpp"

#include <algorithm>
#include <numeric>

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

/// The rank in its group of the subhalo around each one. A group's subhalos have consecutive rows.
Integers host_ranks(const Subhalos& subhalos, const Integers& rank) {
  Integers result(rank);
  for (std::size_t s = 0; s < result.size(); ++s)
    if (subhalos.host[s] >= 0) result[s] = rank[static_cast<std::size_t>(subhalos.host[s])];
  return result;
}

/// The columns of bound subhalos alone, also where a process has no subhalos.
void add_bound(Columns& columns, const CatalogueContent& content, const Integers& rank) {
  if (!has_bound_subhalos(content.about)) return;
  const Subhalos& found = *content.subhalos;
  const std::size_t n = found.parent.size();
  columns.keep("subhalo_host", host_ranks(found, rank), n);
  columns.add("subhalo_most_bound", found.most_bound, n, 1);
  columns.add("subhalo_peak", found.peak, n, static_cast<std::size_t>(content.about.dimension));
  if (content.most_bound_id)
    columns.keep("subhalo_most_bound_id",
                 std::vector(content.most_bound_id->begin(), content.most_bound_id->end()), n);
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

/// Members by type of the subhalos, in columns for every type that the format knows.
void add_subhalo_types(Columns& columns, const CatalogueContent& content, std::size_t types,
                       const TablePart& part) {
  const Catalogue& table = content.subhalos->catalogue;
  const Integers& parent = content.subhalos->parent;
  Integers sizes = subhalo_type_sizes(content, types, part.subhalo_type_size);
  columns.keep("subhalo_type_offset", subhalo_offsets(columns, parent, sizes, types, part),
               parent.size(), types);
  columns.keep("subhalo_type_size", std::move(sizes), parent.size(), types);
  if (content.about.types.size() <= 1)
    columns.keep("subhalo_type_mass", placed(table.mass, only_type(content.about), types),
                 parent.size(), types);
  else if (table.types > 0)
    columns.keep("subhalo_type_mass",
                 widened(table.type_mass, static_cast<std::size_t>(table.types), types),
                 parent.size(), types);
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
    add_bound(columns, content, counts.rank);
    columns.keep("subhalo_rank", std::move(counts.rank), n);
    add_catalogue(columns, content.subhalos->catalogue, true, part.subhalo_width);
    if (columns.find("type_offset")) add_subhalo_types(columns, content, types, part);
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

const ResultRows* find_array(std::span<const ResultRows> arrays, std::string_view name) {
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

std::vector<std::int64_t> subhalo_type_sizes(const CatalogueContent& content, std::size_t types,
                                             std::span<const std::int64_t> known) {
  const std::vector<TypeSlice> slices = slices_of(content.about);
  Integers sizes(content.subhalos->parent.size() * types);
  const auto column = [&](std::size_t k) { return static_cast<std::size_t>(slices[k].type); };
  for (std::size_t i = 0; i < known.size(); ++i)
    sizes[i / slices.size() * types + column(i % slices.size())] = known[i];
  if (!known.empty() || content.subhalos->members.offset.empty()) return sizes;
  const Members& members = content.subhalos->members;
  for (std::size_t s = 0; s < members.count(); ++s)
    for (const std::uint32_t i : members.of(s))
      for (std::size_t k = 0; k < slices.size(); ++k)
        if (i >= slices[k].begin && i < slices[k].end) ++sizes[s * types + column(k)];
  return sizes;
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
