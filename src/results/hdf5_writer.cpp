// The writer of one HDF5 file of a result, and of several.
#include <filesystem>
#include <memory>

#include "results/writer.hpp"

namespace kith::io {
namespace {

hdf5::Shape shape_of(const ResultArray& array) {
  hdf5::Shape shape{array.rows};
  if (array.is_table) shape.push_back(array.width);
  return shape;
}

}  // namespace

std::uint64_t Hdf5Writer::rows_here(std::uint64_t rows) const {
  if (!is_part()) return rows;
  return result_part_begin(rows, place_.part + 1, place_.parts) -
         result_part_begin(rows, place_.part, place_.parts);
}

std::vector<std::int64_t> Hdf5Writer::first_rows(std::uint64_t rows) const {
  std::vector<std::int64_t> first;
  first.reserve(static_cast<std::size_t>(files()));
  for (int part = 0; part < files(); ++part)
    first.push_back(static_cast<std::int64_t>(result_part_begin(rows, part, files())));
  return first;
}

hdf5::Group Hdf5Writer::group(const std::string& path) {
  return file_.contains(path) ? file_.group(path) : file_.create_group(path);
}

void Hdf5Writer::attributes(hdf5::Group group, const std::vector<Fact>& facts) const {
  for (const Fact& fact : facts)
    std::visit(
        [&](const auto& value) {
          if constexpr (requires { value.empty(); })
            if (value.empty()) return;  // HDF5 has no room for an attribute without a value
          group.set(fact.name, value);
        },
        fact.value);
}

void Hdf5Writer::about(const ResultAbout& about) {
  attributes(group("Kith"), facts_of(about));
  if (is_part()) group("Kith").set("part", static_cast<std::int64_t>(place_.part));
}

hdf5::Dataset Hdf5Writer::write(const std::string& path, const ResultRows& whole) {
  if (const std::size_t slash = path.find('/'); slash != std::string::npos)
    group(path.substr(0, slash));
  if (place_.is_master) return refer(path, whole);
  const ResultRows array =
      is_part() ? sliced(whole, result_part_begin(whole.rows, place_.part, place_.parts),
                         rows_here(whole.rows))
                : whole;
  const bool is_packed = compression_ > 0 && array.rows > 0;
  hdf5::Dataset dataset = file_.create_dataset(path, number_of(array.type), shape_of(array),
                                               {.compression = is_packed ? compression_ : 0});
  if (is_packed)
    write_packed(dataset, array);
  else
    write_in_place(dataset.offset(), array);
  return dataset;
}

/// The rows of all parts as one dataset.
hdf5::Dataset Hdf5Writer::refer(const std::string& path, const ResultRows& array) {
  if (array.rows == 0) return file_.create_dataset(path, number_of(array.type), shape_of(array));
  std::vector<hdf5::Segment> segments;
  for (int part = 0; part < place_.parts; ++part) {
    const std::uint64_t begin = result_part_begin(array.rows, part, place_.parts);
    const std::uint64_t rows = result_part_begin(array.rows, part + 1, place_.parts) - begin;
    const std::filesystem::path file = result_part_path(path_, part);
    if (rows > 0) segments.push_back({file.filename().string(), "/" + path, 0, begin, rows});
  }
  return file_.create_virtual(path, number_of(array.type), shape_of(array), segments);
}

/// Beside the library: it must not flush in the middle, or the bytes of its own structures would
/// depend on how many rows were written by then, and by whom.
void Hdf5Writer::write_in_place(std::uint64_t offset, const ResultRows& array) {
  const std::size_t row = row_bytes(array);
  if (array.rows * row == 0) return;
  if (array.source && array.source->can_store()) {
    array.source->store(file_.temporary(), offset, array.first, array.rows);
    stored_ = array.source;
    workers_.advance(array.rows * row);
    return;
  }
  Unsynced unsynced;
  in_pieces(array, workers_, [&](std::size_t begin, std::size_t rows, const char* data) {
    file_.write_at(offset + begin * row, data, rows * row);
    if (unsynced.is_too_much(rows * row)) file_.sync_written();
  });
}

void Hdf5Writer::write_packed(hdf5::Dataset& dataset, const ResultRows& array) {
  Unsynced unsynced;
  const auto write = [&](std::size_t begin, std::size_t rows, const char* data) {
    dataset.write(begin, rows, number_of(array.type), data);
    if (unsynced.is_too_much(rows * row_bytes(array))) file_.sync();
  };
  in_pieces(array, workers_, write, true);
}

void in_files(const std::string& path, const ResultWriteOptions& options, const Workers& workers,
              FunctionRef<void(Hdf5Writer&)> fill) {
  if (options.files <= 1) {
    Hdf5Writer only(path, options.compression, {}, workers);
    fill(only);
    return only.commit();
  }
  std::vector<std::unique_ptr<Hdf5Writer>> parts;
  for (int part = 0; part < options.files; ++part) {
    parts.push_back(std::make_unique<Hdf5Writer>(
        result_part_path(path, part), options.compression,
        Hdf5Writer::Place{.part = part, .parts = options.files}, workers));
    fill(*parts.back());
    parts.back()->finish();
  }
  Hdf5Writer master(path, 0, {.parts = options.files, .is_master = true}, workers);
  fill(master);
  master.finish();
  workers.check_cancelled();
  // The parts of an old file must not be taken for those of the new one: without a master there is
  // no result.
  master.remove_old();
  for (const auto& part : parts) part->commit();
  master.commit();
}

}  // namespace kith::io

namespace kith {

std::uint64_t result_part_begin(std::uint64_t rows, int part, int parts) {
  const auto p = static_cast<std::uint64_t>(part), n = static_cast<std::uint64_t>(parts);
  return rows / n * p + std::min(rows % n, p);
}

std::string result_part_path(const std::string& path, int part) {
  const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
  const bool has_ending =
      dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  const std::size_t end = has_ending ? dot : path.size();
  return path.substr(0, end) + "." + std::to_string(part) + path.substr(end);
}

}  // namespace kith
