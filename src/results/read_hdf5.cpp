#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "files/hdf5.hpp"
#include "results/about.hpp"
#include "results/columns.hpp"
#include "results/source.hpp"

namespace kith::io {
namespace {

class Attributes : public FactSource {
 public:
  explicit Attributes(const hdf5::Group& group) : group_(group) {}
  std::optional<std::string> text(const std::string& name) const override {
    return group_.text(name);
  }
  std::optional<std::vector<double>> numbers(const std::string& name) const override {
    return group_.numbers(name);
  }

 private:
  const hdf5::Group& group_;
};

using File = std::shared_ptr<hdf5::InputFile>;

hdf5::Dataset opened(const File& file, const std::string& path) {
  hdf5::Dataset dataset = file->dataset(path);
  const auto stored = dataset.stored();
  if (!stored || stored->is_big_endian || stored->number == Number::f16 ||
      dataset.shape().size() > 2)
    fail(ErrorCode::io, "{}: is not in the form that kith writes", dataset.where());
  return dataset;
}

/// The file stays open as long as one of its arrays is known.
SourceArray plain_array(const File& file, hdf5::Dataset from) {
  if (from.is_virtual())
    fail(ErrorCode::io, "{}: is not in the form that kith writes", from.where());
  from.check_storage(file->bytes());
  const auto dataset = std::make_shared<hdf5::Dataset>(std::move(from));
  return {.number = dataset->stored()->number,
          .rows = dataset->rows(),
          .width = dataset->row_size(),
          .read = [file, dataset](std::uint64_t begin, std::uint64_t count, void* to) {
            dataset->read_stored(begin, count, to);
          }};
}

/// One of several files, and the rows that are in it.
struct JoinedPart {
  std::uint64_t begin = 0;
  SourceArray rows;
};

std::vector<JoinedPart> parts_of(const hdf5::Dataset& dataset, const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::vector<JoinedPart> parts;
  std::uint64_t next = 0;
  for (const hdf5::Segment& segment : dataset.segments()) {
    const std::filesystem::path name = segment.file;
    if (name != name.filename() || name == "." || segment.row != next || segment.source_row != 0)
      fail(ErrorCode::io, "{}: is not in the form that kith writes", dataset.where());
    const auto file = std::make_shared<hdf5::InputFile>((folder / name).string());
    parts.push_back({next, plain_array(file, opened(file, segment.dataset))});
    const SourceArray& rows = parts.back().rows;
    if (rows.rows != segment.rows || rows.width != dataset.row_size() ||
        rows.number != dataset.stored()->number)
      fail(ErrorCode::io, "{}: {} belongs to another result; write it again", dataset.where(),
           (folder / name).string());
    next += segment.rows;
  }
  if (next != dataset.rows()) fail(ErrorCode::io, "{}: rows are missing", dataset.where());
  return parts;
}

/// The rows of several files beside the one that refers to them.
SourceArray joined_array(const hdf5::Dataset& dataset, const std::string& path) {
  const std::size_t row = dataset.row_size() * bytes_of(dataset.stored()->number);
  return {.number = dataset.stored()->number,
          .rows = dataset.rows(),
          .width = dataset.row_size(),
          .read = [parts = parts_of(dataset, path), row](std::uint64_t begin, std::uint64_t count,
                                                         void* to) {
            for (const JoinedPart& part : parts) {
              const std::uint64_t first = std::max(begin, part.begin);
              const std::uint64_t last = std::min(begin + count, part.begin + part.rows.rows);
              if (first < last)
                part.rows.read(first - part.begin, last - first,
                               static_cast<char*>(to) + (first - begin) * row);
            }
          }};
}

/// The path of the file is in the names of its objects: "FILE: /".
SourceArray array_of(const File& file, const std::string& path) {
  hdf5::Dataset dataset = opened(file, path);
  if (!dataset.is_virtual()) return plain_array(file, std::move(dataset));
  const std::string where = file->where();
  return joined_array(dataset, where.substr(0, where.rfind(": /")));
}

void add_rules(ResultSource& source, const std::shared_ptr<hdf5::InputFile>& file) {
  const bool is_gadget = source.style == ResultStyle::gadget;
  for (const ColumnRule& rule : column_rules()) {
    const std::string path = is_gadget ? gadget_path(rule, source.about) : rule.swift;
    if (path.empty() || !file->contains(path)) continue;
    SourceArray array = array_of(file, path);
    if (is_gadget) array.factor = 1 / factor_of(rule.gadget_convention, source.about);
    source.arrays.emplace(rule.name, std::move(array));
  }
}

void add_points(ResultSource& source, const std::shared_ptr<hdf5::InputFile>& file) {
  const bool is_gadget = source.style == ResultStyle::gadget;
  for (const TypeSlice& slice : slices_of(source.about)) {
    const std::string type = "PartType" + std::to_string(slice.type);
    const std::string suffix = fmt::format("_{}", slice.type);
    const std::string label = is_gadget ? "Labels/" + type : type + "/FOFGroupIDs";
    if (file->contains(label)) source.arrays.emplace("label" + suffix, array_of(file, label));
    if (file->contains("SubhaloLabels/" + type))
      source.arrays.emplace("subhalo_label" + suffix, array_of(file, "SubhaloLabels/" + type));
    if (file->contains("Order/" + type))
      source.arrays.emplace("order" + suffix, array_of(file, "Order/" + type));
  }
}

/// The arrays for other programs beside kith's own columns, by their paths.
void add_others(ResultSource& source, const std::shared_ptr<hdf5::InputFile>& file) {
  std::set<std::string> taken;
  for (const ColumnRule& rule : column_rules())
    taken.insert({gadget_path(rule, source.about), rule.swift});
  for (const std::string& folder : file->names()) {
    const bool is_table = folder == "Group" || folder == "Subhalo" || folder == "Groups" ||
                          folder == "IDs" || folder == "Offsets" || folder.starts_with("PartType");
    if (!is_table) continue;
    for (const std::string& name : file->group(folder).names())
      if (const std::string path = fmt::format("{}/{}", folder, name);
          !taken.contains(path) && name != "FOFGroupIDs")
        source.arrays.emplace(path, array_of(file, path));
  }
}

void add_plain(ResultSource& source, const std::shared_ptr<hdf5::InputFile>& file) {
  for (const std::string& name : file->names())
    if (name != "Kith") source.arrays.emplace(name, array_of(file, name));
}

}  // namespace

ResultSource open_hdf5_result(const std::string& path) {
  const auto file = std::make_shared<hdf5::InputFile>(path);
  if (!file->contains("Kith"))
    fail(ErrorCode::io, "{}: has no group /Kith; it is not a result of kith", path);
  ResultSource source;
  if (file->group("Kith").has("part"))
    fail(ErrorCode::io, "{}: is one of several files of a result; open the one without a number",
         path);
  source.about = about_of(Attributes(file->group("Kith")), path);
  source.style = file->contains("Groups") ? ResultStyle::swift : ResultStyle::gadget;
  const ResultKind kind = source.about.kind;
  if (kind == ResultKind::fof || kind == ResultKind::subhalos) {
    add_rules(source, file);
    add_points(source, file);
    add_others(source, file);
  } else {
    add_plain(source, file);
  }
  return source;
}

}  // namespace kith::io
