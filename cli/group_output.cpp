// The catalogue on its way out: files, table, JSON.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include <kith/error.hpp>
#include <kith/sorted_snapshot.hpp>

#include "column_table.hpp"
#include "groups.hpp"
#include "other_readers.hpp"

namespace kith::cli {
namespace {

/// One of the numbers of each of the first rows.
std::vector<double> taken(const std::vector<double>& values, std::size_t rows,
                          std::size_t width = 1, std::size_t place = 0) {
  std::vector<double> numbers;
  for (std::size_t row = 0; row < rows; ++row) numbers.push_back(values[row * width + place]);
  return numbers;
}

}  // namespace

bool GroupRun::has_order(bool has_subhalos) const {
  if (style_ == ResultStyle::csv) return false;
  return request_.wants_order ||
         ((style_ == ResultStyle::gadget || has_subhalos) && !request_.wants_no_order);
}

bool GroupRun::has_labels() const {
  return request_.wants_labels || (style_ != ResultStyle::gadget && style_ != ResultStyle::csv);
}

CatalogueContent GroupRun::content(const Subhalos* subhalos) const {
  CatalogueContent content{.about = about(subhalos ? ResultKind::subhalos : ResultKind::fof),
                           .catalogue = &rows_.catalogue,
                           .peak = rows_.peak,
                           .subhalos = subhalos};
  if (edges_.empty()) return content;
  content.edges = edges_;
  content.overdensities = &rows_.overdensities;
  return content;
}

void GroupRun::write(const Subhalos* subhalos) {
  if (!output_.empty()) {
    CatalogueContent all = content(subhalos);
    if (has_order(subhalos)) all.members = &members_;
    if (has_labels()) all.label = groups_->label();
    const std::vector<std::uint64_t> ids = has_order(subhalos) || has_labels()
                                               ? input_.ids(session_.execution())
                                               : std::vector<std::uint64_t>();
    if (!ids.empty()) all.id = ids.data();
    write_result(all);
  }
  if (request_.sorted_snapshot.empty()) return;
  TypeRows rows;
  std::size_t begin = 0;
  for (const int type : input_.types()) {
    const std::size_t end = begin + input_.size_of(type);
    rows.emplace_back();
    for (const std::uint32_t i : members_.order)
      if (!has_order_in_file() && i >= begin && i < end)
        rows.back().push_back(static_cast<std::uint32_t>(i - begin));
    begin = end;
  }
  if (has_order_in_file()) take_order_of_file(rows);
  write_sorted(rows);
}

void GroupRun::write_result(const CatalogueContent& content) {
  ResultWriteOptions options = request_.write;
  options.style = style_;
  write_catalogue(output_, content, options, session_.execution());
  report_of_groups().add("output", output_);
  session_.say(output_);
  if (style_ != ResultStyle::gadget) return;
  if (options.files == 1) link_for_yt(output_, content.about, session_);
  write_tng_offsets(output_, options.files, session_);
}

void GroupRun::check_sorted_snapshot() const {
  const std::string& path = request_.sorted_snapshot;
  if (path.empty()) return;
  if (!ends_with(path, ".hdf5") && !ends_with(path, ".h5"))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--sorted-snapshot {}: it must be an HDF5 file; use .hdf5", printable(path)));
  if (!request_.all_lengths.empty())
    throw Error(
        ErrorCode::invalid_argument,
        "--sorted-snapshot holds the groups of one linking length; leave out --all-lengths");
  if (path == request_.output)
    throw Error(ErrorCode::invalid_argument, "--sorted-snapshot and -o name the same file");
  input_.check_output(path);
}

bool GroupRun::has_order_in_file() const {
  return style_ == ResultStyle::gadget && !request_.wants_no_order;
}

/// In the order of the catalogue, which has subhalos inside groups where there are some.
void GroupRun::take_order_of_file(TypeRows& rows) const {
  const ResultFile file(output_);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const std::int64_t row : file.integers(fmt::format("order_{}", input_.types()[k])))
      rows[k].push_back(static_cast<std::uint32_t>(row));
}

void GroupRun::write_sorted(const TypeRows& rows) const {
  std::vector<TypeOrder> orders;
  for (std::size_t k = 0; k < rows.size(); ++k) orders.push_back({input_.types()[k], rows[k]});
  write_sorted_snapshot(request_.sorted_snapshot, input_.snapshot(), orders, session_.execution());
  session_.report().add("sorted_snapshot", request_.sorted_snapshot);
  session_.say(request_.sorted_snapshot);
}

/// Groups are numbered by these.
std::int64_t GroupRun::linked_size(std::size_t group) const {
  const Catalogue& all = shown().catalogue;
  if (all.types == 0) return all.size[group];
  std::int64_t size = 0;
  for (const int type : link_types_)
    size +=
        all.type_size[group * static_cast<std::size_t>(all.types) + static_cast<std::size_t>(type)];
  return size;
}

std::string GroupRun::table() const {
  const GroupRows& all = shown();
  const std::size_t rows = shown_count();
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  const std::string length = unit_note(units(), {.length = 1});
  const std::string mass = unit_note(units(), {.mass = 1});
  std::vector<std::int64_t> group(rows), linked(rows);
  std::iota(group.begin(), group.end(), 0);
  const auto first = [&](const std::vector<std::int64_t>& counts) {
    return std::vector(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rows));
  };
  ColumnTable table;
  table.add_counts("group", group);
  if (!attach_types_.empty()) {
    std::transform(group.begin(), group.end(), linked.begin(),
                   [&](std::int64_t g) { return linked_size(static_cast<std::size_t>(g)); });
    table.add_counts("linked", linked);
  }
  table.add_counts("size", first(all.catalogue.size));
  if (!contaminating_types_.empty())
    table.add_counts("contaminating", first(all.catalogue.contaminating_size));
  table.add("mass" + mass, taken(all.catalogue.mass, rows));
  for (std::size_t axis = 0; axis < std::min<std::size_t>(dimension, 3); ++axis)
    table.add_places(std::string(1, "xyz"[axis]) + (axis == 0 ? length : ""),
                     taken(all.catalogue.center, rows, dimension, axis),
                     input_.box().side(static_cast<int>(axis)));
  table.add("radius" + length, taken(all.catalogue.radius, rows));
  if (!all.catalogue.velocity_dispersion.empty())
    table.add("dispersion" + unit_note(units(), {.velocity = 1}),
              taken(all.catalogue.velocity_dispersion, rows));
  if (edges_.empty()) return table.text();
  std::vector<bool> is_marked(rows);
  for (std::size_t g = 0; g < rows; ++g)
    is_marked[g] = all.overdensities.size[g * edges_.size()] < kResolvedSize;
  table.add("M200c" + mass, taken(all.overdensities.mass, rows, edges_.size()));
  table.mark_last(is_marked);
  const bool is_any = std::find(is_marked.begin(), is_marked.end(), true) != is_marked.end();
  return table.text() +
         (is_any ? fmt::format("  ? unresolved: fewer than {} points within R200c\n", kResolvedSize)
                 : "");
}

void GroupRun::report() const {
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  const GroupRows& all = shown();
  std::vector<Report> largest;
  for (std::size_t g = 0; g < shown_count(); ++g) {
    Report& facts = largest.emplace_back();
    facts.add_count("group", g);
    facts.add_count("linked_size", static_cast<std::uint64_t>(linked_size(g)));
    facts.add_count("size", static_cast<std::uint64_t>(all.catalogue.size[g]));
    if (!contaminating_types_.empty()) {
      facts.add_count("contaminating_size",
                      static_cast<std::uint64_t>(all.catalogue.contaminating_size[g]));
      facts.add("contaminating_mass", all.catalogue.contaminating_mass[g]);
    }
    facts.add("mass", all.catalogue.mass[g]);
    facts.add("center", std::span(&all.catalogue.center[g * dimension], dimension));
    if (!all.peak.empty()) facts.add("peak", std::span(&all.peak[g * dimension], dimension));
    if (!all.catalogue.velocity.empty())
      facts.add("velocity", std::span(&all.catalogue.velocity[g * dimension], dimension));
    facts.add("radius", all.catalogue.radius[g]);
    if (!all.catalogue.velocity_dispersion.empty())
      facts.add("velocity_dispersion", all.catalogue.velocity_dispersion[g]);
    if (!edges_.empty()) {
      facts.add("critical200_mass", all.overdensities.mass[g * edges_.size()]);
      facts.add("critical200_radius", all.overdensities.radius[g * edges_.size()]);
      facts.add_flag("is_resolved", all.overdensities.size[g * edges_.size()] >= kResolvedSize);
    }
  }
  session_.report().add("largest", largest);
}

}  // namespace kith::cli
