// The public writers: checks, and the choice of a style.
#include <kith/results.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "results/columns.hpp"
#include "results/point_rows.hpp"
#include "results/writer.hpp"

namespace kith {
namespace {

constexpr int kMostFiles = 512;  // all of them are open at once

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

ResultStyle style_of(const std::string& path, ResultStyle asked) {
  if (asked != ResultStyle::automatic) return asked;
  if (is_hdf5_name(path)) return ResultStyle::gadget;
  if (path.ends_with(".npz")) return ResultStyle::npz;
  if (path.ends_with(".csv")) return ResultStyle::csv;
  refuse("{}: unknown file format; the name must end in .hdf5, .npz or .csv", path);
}

const char* ending_of(ResultStyle style) {
  return style == ResultStyle::npz ? ".npz" : style == ResultStyle::csv ? ".csv" : ".hdf5";
}

void check_content(const CatalogueContent& content) {
  const ResultAbout& about = content.about;
  if (content.rows) return;  // made by others, from parts that fit
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
  if (content.overdensities && content.overdensities->mass.size() != groups * content.edges.size())
    refuse("write_catalogue: {} overdensities for {} groups and {} edges",
           content.overdensities->mass.size(), groups, content.edges.size());
}

/// The columns of groups or, where there are subhalos, of those: a table has rows of one kind.
void write_table(const std::string& path, const CatalogueContent& content, const Workers& workers) {
  const io::Columns columns = io::columns_of(content);
  const bool are_subhalos =
      content.rows ? content.about.kind == ResultKind::subhalos : content.subhalos != nullptr;
  std::vector<ResultRows> arrays;
  for (const ResultRows& array : columns.arrays)
    if (array.name.starts_with("subhalo_") == are_subhalos) arrays.push_back(array);
  io::write_csv(path, content.about, arrays, workers);
}

void write_arrays(const std::string& path, const CatalogueContent& content,
                  const Workers& workers) {
  const io::Columns columns = io::columns_of(content);
  std::vector<ResultRows> arrays = columns.arrays;
  const io::PointRows points(content);
  const io::TypeSlice all{0, 0, content.about.points};
  const auto add = [&](const char* name, ResultRows rows) {
    rows.name = name;
    arrays.push_back(std::move(rows));
  };
  if (points.has_label()) add("label", points.label(all));
  if (points.has_order()) add("order", points.order_of_all());
  if (points.has_id()) add("id", points.id(all));
  io::write_npz(path, content.about, arrays, workers);
}

}  // namespace

ResultStyle check_result_path(const std::string& path, const ResultWriteOptions& options,
                              ResultKind kind) {
  return public_call("check_result_path", [&] {
    const ResultStyle style = style_of(path, options.style);
    const bool is_hdf5 = style == ResultStyle::gadget || style == ResultStyle::swift;
    if (is_hdf5 ? !is_hdf5_name(path) : !path.ends_with(ending_of(style)))
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
    switch (style) {
      case ResultStyle::automatic:
      case ResultStyle::gadget: return io::write_gadget(path, content, options, workers);
      case ResultStyle::swift: return io::write_swift(path, content, options, workers);
      case ResultStyle::npz: return write_arrays(path, content, workers);
      case ResultStyle::csv: return write_table(path, content, workers);
    }
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
    for (const ResultArray& array : arrays) bytes += array.rows * io::row_bytes(array);
    const Stage stage(workers, "writing", bytes);
    if (style == ResultStyle::npz) return io::write_npz(path, about, arrays, workers);
    if (style == ResultStyle::csv) return io::write_csv(path, about, arrays, workers);
    io::write_hdf5(path, about, arrays, options, workers);
  });
}

std::vector<ResultRows> neighbor_rows(const detail::NeighborArrays& from) {
  const bool are_lists = from.are_lists;
  std::vector<ResultRows> arrays;
  if (are_lists) {
    arrays.push_back({result_array("offset", from.offset.data(), from.offset.size())});
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
