// The reader of any HDF5 file whose points the path names: "file.h5:/group/points" is a dataset
// with a row per point, "file.h5:/group" a group that holds such a dataset under a usual name, or
// columns x, y, z.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/fail.hpp"
#include "snapshots/hdf5_snapshot.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kRows = 1 << 17;  // between two checks of the cancel token

std::vector<const char*> vector_names(Field field) {
  return field == Field::position
             ? std::vector<const char*>{"position",    "Position", "pos",
                                        "Coordinates", "xyz",      "IntCoordinates"}
             : std::vector<const char*>{"velocity", "Velocity", "vel", "Velocities"};
}

std::vector<const char*> number_names(Field field) {
  return field == Field::mass ? std::vector<const char*>{"mass", "Mass", "Masses", "m"}
                              : std::vector<const char*>{"id", "ID", "ParticleIDs"};
}

template <class T>
void scatter(const hdf5::Dataset& dataset, const RowRange& rows, T* to, std::size_t stride,
             const Workers& workers) {
  std::vector<double> buffer(static_cast<std::size_t>(std::min(rows.count, kRows)));
  for (std::uint64_t done = 0; done < rows.count; done += kRows) {
    workers.check_cancelled();
    const std::uint64_t count = std::min(kRows, rows.count - done);
    dataset.read(rows.begin + done, count, buffer.data());
    for (std::uint64_t i = 0; i < count; ++i)
      to[(done + i) * stride] = static_cast<T>(buffer[static_cast<std::size_t>(i)]);
  }
}

class PlainHdf5Reader : public Hdf5Reader {
 public:
  PlainHdf5Reader(const std::string& path, const std::string& place, const std::string& values)
      : path_(path) {
    info.format = FileFormat::hdf5;
    info.files = {path};
    const hdf5::InputFile file(path);
    if (!place.empty() && !file.contains(place))
      fail(ErrorCode::io, "{}: has no {}; in the group above are {}", path, place,
           listed(group_above(file, place)));
    const bool is_one = !place.empty() && file.is_dataset(place);
    if (is_one)
      add_plain(file, Field::position, place);
    else
      add_group(file, place);
    if (!values.empty()) add_values(file, is_one ? folder_of(place) : place, values);
    finish();
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    const auto found = columns_.find(field);
    if (found == columns_.end()) return Hdf5Reader::read(field, type, rows, to, workers);
    const hdf5::InputFile file(path_);
    const std::size_t stride = found->second.size();
    for (std::size_t axis = 0; axis < stride; ++axis) {
      const hdf5::Dataset dataset = file.dataset(found->second[axis]);
      if (dataset.rows() != type.count || dataset.row_size() != 1)
        fail(ErrorCode::io, "{}: changed after it was opened", dataset.where());
      std::visit([&](auto* numbers) { scatter(dataset, rows, numbers + axis, stride, workers); },
                 to);
    }
    workers.advance(rows.count);
  }

 private:
  static std::string folder_of(const std::string& place) {
    const std::size_t slash = place.rfind('/');
    return slash == std::string::npos ? "" : place.substr(0, slash);
  }

  static hdf5::Group group_above(const hdf5::InputFile& file, const std::string& place) {
    const std::string above = folder_of(place);
    return file.group(above.empty() || !file.contains(above) ? "/" : above);
  }

  static std::string listed(const hdf5::Group& group) {
    std::string text;
    const std::vector<std::string> names = group.names();
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 12); ++i)
      text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > 12 ? text + ", ..." : text;
  }

  void add_plain(const hdf5::InputFile& file, Field field, const std::string& place) {
    count_ = field == Field::position ? file.dataset(place).rows() : count_;
    add_dataset(file, path_, field, place, {0, count_});
  }

  void add_values(const hdf5::InputFile& file, const std::string& folder, const std::string& name) {
    const std::string place = folder.empty() ? name : folder + "/" + name;
    if (file.contains(place) && file.is_dataset(place)) add_plain(file, Field::value, place);
  }

  void add_group(const hdf5::InputFile& file, const std::string& place) {
    const std::string folder = place.empty() ? "" : place + "/";
    for (const Field field : {Field::position, Field::velocity, Field::mass, Field::id}) {
      const bool is_vector = field == Field::position || field == Field::velocity;
      const auto names = is_vector ? vector_names(field) : number_names(field);
      const auto name = std::find_if(names.begin(), names.end(), [&](const char* each) {
        return file.contains(folder + each) && file.is_dataset(folder + each);
      });
      if (name != names.end())
        add_plain(file, field, folder + *name);
      else if (is_vector)
        add_columns(file, field, folder);
      if (field == Field::position && count_ == 0)
        fail(ErrorCode::io,
             "{}: /{} holds no points under the names position, Coordinates or x, y, z; name the "
             "dataset, as in FILE:/PATH; there are {}",
             path_, place, listed(file.group(place.empty() ? "/" : place)));
    }
  }

  void add_columns(const hdf5::InputFile& file, Field field, const std::string& folder) {
    std::vector<std::string> columns;
    const std::string prefix = field == Field::velocity ? "v" : "";
    for (const char* axis : {"x", "y", "z"}) {
      std::string place = folder + prefix + axis;
      if (!file.contains(place) || !file.is_dataset(place)) break;
      const hdf5::Dataset dataset = file.dataset(place);
      if (dataset.shape().size() != 1 || (!columns.empty() && dataset.rows() != count_)) break;
      if (field == Field::velocity && dataset.rows() != count_) break;
      dataset.check_storage(std::filesystem::file_size(path_));
      count_ = dataset.rows();
      const auto stored = dataset.stored();
      if (field == Field::position && (!stored || stored->number != Number::f32))
        info.position_scalar = Scalar::float64;
      columns.push_back(std::move(place));
    }
    if (field == Field::position) info.dimension = static_cast<int>(columns.size());
    if (columns.empty() || columns.size() != static_cast<std::size_t>(info.dimension)) return;
    columns_[field] = std::move(columns);
  }

  void finish() {
    SnapshotType type = only_type(count_);
    type.has_velocity = columns_.contains(Field::velocity) || has_field(Field::velocity);
    type.has_mass = has_field(Field::mass);
    type.has_id = has_field(Field::id);
    type.has_value = has_field(Field::value);
    info.type = {type};
  }

  std::string path_;
  std::uint64_t count_ = 0;
  std::map<Field, std::vector<std::string>> columns_;
};

}  // namespace

Hdf5Place hdf5_place(const std::string& path) {
  const std::size_t colon = path.rfind(":/");
  std::error_code error;
  if (colon == std::string::npos || colon == 0 || std::filesystem::exists(path, error)) return {};
  const std::string file = path.substr(0, colon);
  if (!std::filesystem::is_regular_file(file, error) || !hdf5::is_hdf5(file)) return {};
  std::string place = path.substr(colon + 2);
  while (place.ends_with('/')) place.pop_back();
  return {file, place};
}

ReaderPointer open_plain_hdf5(const Hdf5Place& place, const ReaderOptions& options) {
  return std::make_unique<PlainHdf5Reader>(place.file, place.place, options.value_column);
}

}  // namespace kith::io
