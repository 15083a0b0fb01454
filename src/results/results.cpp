// The public writers: checks, and the choice of a style.
#include <algorithm>

#include <kith/io/results.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "results/content_rows.hpp"
#include "results/writer.hpp"

namespace kith {
namespace {

constexpr int kMostFiles = 512;  // all of them are open at once
constexpr const char* kStandardOutput = "-";

bool is_hdf5_name(const std::string& path) {
  return path.ends_with(".hdf5") || path.ends_with(".h5");
}

const char* name_of(ResultStyle style) {
  switch (style) {
    case ResultStyle::automatic: return "automatic";
    case ResultStyle::gadget: return "gadget";
    case ResultStyle::swift: return "swift";
    case ResultStyle::npz: return "npz";
    case ResultStyle::csv: return "csv";
  }
  return "?";
}

ResultStyle style_of(const std::string& path, ResultStyle style) {
  if (style != ResultStyle::automatic) return style;
  if (is_hdf5_name(path)) return ResultStyle::gadget;
  if (path.ends_with(".npz")) return ResultStyle::npz;
  if (path.ends_with(".csv") || path == kStandardOutput) return ResultStyle::csv;
  refuse("{}: unknown file format; the name must end in .hdf5, .npz or .csv", path);
}

const char* ending_of(ResultStyle style) {
  return style == ResultStyle::npz ? ".npz" : style == ResultStyle::csv ? ".csv" : ".hdf5";
}

void check_content(const CatalogueContent& content) {
  const ResultAbout& about = content.about;
  if (!content.catalogue) refuse("write_catalogue: no catalogue; give one");
  const std::size_t groups = content.catalogue->count();
  if (content.catalogue->dimension != about.dimension)
    refuse("write_catalogue: a catalogue of {} dimensions about points of {}",
           content.catalogue->dimension, about.dimension);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : about.counts) sum += count;
  if (about.types.size() != about.counts.size() || (!about.types.empty() && sum != about.points))
    refuse("write_catalogue: {} points, but the types add up to {}; give counts that do",
           about.points, sum);
  if (content.members &&
      (content.members->count() != groups || content.members->order.size() != about.points))
    refuse("write_catalogue: members of {} groups and {} points for {} groups and {} points",
           content.members->count(), content.members->order.size(), groups, about.points);
  if (!content.label.empty() && content.label.size() != about.points)
    refuse("write_catalogue: {} labels for {} points", content.label.size(), about.points);
  if (!content.subhalo_label.empty() && content.subhalo_label.size() != about.points)
    refuse("write_catalogue: {} labels of subhalos for {} points", content.subhalo_label.size(),
           about.points);
  if (content.most_bound_id &&
      (!content.subhalos || content.most_bound_id->size() != content.subhalos->parent.size()))
    refuse("write_catalogue: {} IDs of most bound members for {} subhalos",
           content.most_bound_id->size(), content.subhalos ? content.subhalos->parent.size() : 0);
  if (content.overdensities && content.overdensities->mass.size() != groups * content.edges.size())
    refuse("write_catalogue: {} overdensities for {} groups and {} edges",
           content.overdensities->mass.size(), groups, content.edges.size());
}

/// The columns of groups or, where there are subhalos, of those: a table has rows of one kind.
void write_table(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                 const Workers& workers) {
  const auto is_of_subhalos = [](const ResultRows& array) {
    return array.name.starts_with("subhalo_");
  };
  const bool has_subhalos = std::any_of(rows.columns.begin(), rows.columns.end(), is_of_subhalos);
  std::vector<ResultRows> arrays;
  for (const ResultRows& array : rows.columns)
    if (is_of_subhalos(array) == has_subhalos) arrays.push_back(array);
  io::write_csv(path, about, arrays, workers);
}

void write_arrays(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                  const Workers& workers) {
  std::vector<ResultRows> arrays = rows.columns;
  const auto add = [&](const char* name, const ResultRows& array) {
    arrays.push_back(array);
    arrays.back().name = name;
  };
  if (rows.label) add("label", *rows.label);
  if (rows.subhalo_label) add("subhalo_label", *rows.subhalo_label);
  if (!rows.order.empty()) add("order", rows.order.front());
  if (rows.id) add("id", *rows.id);
  io::write_npz(path, about, arrays, workers);
}

void write_rows(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                ResultStyle style, const ResultWriteOptions& options, const Workers& workers) {
  switch (style) {
    case ResultStyle::automatic:
    case ResultStyle::gadget: return io::write_gadget(path, about, rows, options, workers);
    case ResultStyle::swift: return io::write_swift(path, about, rows, options, workers);
    case ResultStyle::npz: return write_arrays(path, about, rows, workers);
    case ResultStyle::csv: return write_table(path, about, rows, workers);
  }
}

}  // namespace

ResultStyle check_result_path(const std::string& path, const ResultWriteOptions& options,
                              ResultKind kind) {
  return public_call("check_result_path", [&] {
    const ResultStyle style = style_of(path, options.style);
    const bool is_hdf5 = style == ResultStyle::gadget || style == ResultStyle::swift;
    if (path == kStandardOutput && style != ResultStyle::csv)
      refuse("{}: standard output takes .csv; give the name of a file for style {}", path,
             name_of(style));
    const bool is_right_name = is_hdf5 ? is_hdf5_name(path) : path.ends_with(ending_of(style));
    if (!is_right_name && path != kStandardOutput)
      refuse("{}: style {} makes files that end in {}", path, name_of(style), ending_of(style));
    if (style == ResultStyle::csv && kind == ResultKind::radius)
      refuse("{}: lists of different lengths do not fit into .csv; use .hdf5 or .npz", path);
    if (style == ResultStyle::swift && kind == ResultKind::subhalos)
      refuse("{}: style swift cannot hold subhalos; use style gadget, .npz or .csv", path);
    if (options.compression < 0 || options.compression > 9)
      refuse("compression = {}; give a level from 0 to 9", options.compression);
    if (options.files < 1 || options.files > kMostFiles)
      refuse("files = {}; give a number from 1 to {}", options.files, kMostFiles);
    if (options.files > 1 && !is_hdf5)
      refuse("{}: is one file; use .hdf5 for {} files", path, options.files);
    return style;
  });
}

void write_catalogue(const std::string& path, const CatalogueContent& content,
                     const ResultWriteOptions& options, const Execution& execution) {
  public_call("write_catalogue", execution, [&](Workers& workers) {
    check_content(content);
    const ResultKind kind = content.subhalos ? ResultKind::subhalos : content.about.kind;
    const ResultStyle style = check_result_path(path, options, kind);
    const Stage stage(workers, "writing", 0);
    const io::ContentRows rows(content, style);
    write_rows(path, content.about, rows.rows(), style, options, workers);
  });
}

void write_catalogue(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                     const ResultWriteOptions& options, const Execution& execution) {
  public_call("write_catalogue", execution, [&](Workers& workers) {
    const ResultStyle style = check_result_path(path, options, about.kind);
    const Stage stage(workers, "writing", 0);
    write_rows(path, about, rows, style, options, workers);
  });
}

void write_result(const std::string& path, const ResultAbout& about,
                  std::span<const ResultArray> arrays, const ResultWriteOptions& options,
                  const Execution& execution) {
  public_call("write_result", execution,
              [&] { write_result(path, about, io::rows_of(arrays), options, execution); });
}

void write_result(const std::string& path, const ResultAbout& about,
                  std::span<const ResultRows> arrays, const ResultWriteOptions& options,
                  const Execution& execution) {
  public_call("write_result", execution, [&](Workers& workers) {
    const ResultStyle style = check_result_path(path, options, about.kind);
    std::uint64_t bytes = 0;
    for (const ResultArray& array : arrays) bytes += array.rows * row_bytes(array);
    const Stage stage(workers, "writing", bytes);
    if (style == ResultStyle::npz) return io::write_npz(path, about, arrays, workers);
    if (style == ResultStyle::csv) return io::write_csv(path, about, arrays, workers);
    io::write_hdf5(path, about, arrays, options, workers);
  });
}

std::vector<ResultArray> neighbor_rows(const detail::NeighborArrays& from) {
  const bool are_lists = from.are_lists;
  std::vector<ResultArray> arrays;
  if (are_lists) {
    arrays.push_back(result_array("offset", from.offset.data(), from.offset.size()));
    arrays.back().description = "Where the neighbors of each point begin in index and distance.";
  }
  arrays.emplace_back();
  arrays.back().name = "index";
  arrays.back().description = are_lists ? "Neighbors, nearest first."
                                        : "Neighbors of each point, nearest first; -1 where there "
                                          "are no more.";
  arrays.back().type = from.index_type;
  arrays.back().data = from.index;
  arrays.emplace_back();
  arrays.back().name = "distance";
  arrays.back().description =
      are_lists ? "Their distances." : "Their distances; infinite where there are no more.";
  arrays.back().type = from.distance_type;
  arrays.back().data = from.distance;
  arrays.back().unit.length = 1;
  for (std::size_t i = are_lists ? 1 : 0; i < arrays.size(); ++i) {
    arrays[i].rows = from.rows;
    arrays[i].width = from.width;
    arrays[i].is_table = !are_lists;
  }
  return arrays;
}

void detail::write_neighbors(const std::string& path, const ResultAbout& about,
                             const NeighborArrays& from, const ResultWriteOptions& options,
                             const Execution& execution) {
  public_call("write_neighbors", execution,
              [&] { write_result(path, about, neighbor_rows(from), options, execution); });
}

}  // namespace kith
