// Attributes of the HDF5 layer; see hdf5.hpp.
#include <algorithm>
#include <cmath>

#include "files/hdf5_internal.hpp"

namespace kith::io::hdf5 {
namespace {

constexpr std::size_t kMostNumbers = 4096;
constexpr std::size_t kMostCharacters = 1 << 20;

std::string attribute_name(const std::string& where, const std::string& attribute) {
  return where + " (" + attribute + ")";
}

/// A requested attribute, and how many values it has.
struct Found {
  Handle attribute;
  Handle type;
  std::size_t count = 0;
};

std::optional<Found> find(const Handle& object, const std::string& where,
                          const std::string& attribute) {
  const htri_t exists = H5Aexists(object.get(), attribute.c_str());
  check(exists, attribute_name(where, attribute), "searched for");
  if (exists == 0) return std::nullopt;
  Found found;
  found.attribute = checked(H5Aopen(object.get(), attribute.c_str(), H5P_DEFAULT),
                            attribute_name(where, attribute), "opened");
  found.type =
      checked(H5Aget_type(found.attribute.get()), attribute_name(where, attribute), "opened");
  const Handle space =
      checked(H5Aget_space(found.attribute.get()), attribute_name(where, attribute), "opened");
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  check(count < 0 ? -1 : 0, attribute_name(where, attribute), "measured");
  found.count = static_cast<std::size_t>(count);
  return found;
}

/// All values, converted to T.
template <class T>
std::vector<T> read_numbers(const Found& found, const std::string& where,
                            const std::string& attribute) {
  if (!is_sound_number(found.type.get()))
    fail(ErrorCode::io, "{}: the attribute {} does not contain numbers", where, attribute);
  if (found.count == 0 || found.count > kMostNumbers)
    fail(ErrorCode::io, "{}: the attribute {} has {} numbers; 1 to {} are allowed", where,
         attribute, found.count, kMostNumbers);
  std::vector<T> values(found.count);
  check(H5Aread(found.attribute.get(), native_type(number_of<T>()), values.data()),
        attribute_name(where, attribute), "read");
  return values;
}

/// Such a text is in a heap of the file, and the library never returns from some damaged heaps.
bool is_variable_text(const Found& found) {
  return H5Tget_class(found.type.get()) == H5T_STRING && H5Tis_variable_str(found.type.get()) > 0;
}

/// Names of at most kMostNumbers attributes.
std::vector<std::string> attribute_names(const Handle& object, const std::string& where) {
  H5O_info_t info;
  check(H5Oget_info(object.get(), &info), where, "listed");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < std::min<hsize_t>(info.num_attrs, kMostNumbers); ++i) {
    char name[256];
    const ssize_t size = H5Aget_name_by_idx(object.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                            sizeof name, H5P_DEFAULT);
    if (size > 0 && static_cast<std::size_t>(size) < sizeof name) names.emplace_back(name);
  }
  return names;
}

/// Numbers and texts of fixed size; other kinds are left out.
void copy_plain(const Found& found, const Handle& to, const std::string& where,
                const std::string& name) {
  const H5T_class_t kind = H5Tget_class(found.type.get());
  const std::size_t size = H5Tget_size(found.type.get());
  const bool is_known =
      kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_STRING || kind == H5T_ENUM;
  if (!is_known || is_variable_text(found) || size > kMostCharacters ||
      found.count > kMostNumbers || found.count * size > kMostCharacters)
    return;
  std::vector<char> bytes(std::max<std::size_t>(1, found.count * size));
  if (found.count > 0)
    check(H5Aread(found.attribute.get(), found.type.get(), bytes.data()),
          attribute_name(where, name), "read");
  const Handle space =
      checked(H5Aget_space(found.attribute.get()), attribute_name(where, name), "read");
  const Handle created = checked(
      H5Acreate2(to.get(), name.c_str(), found.type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      attribute_name(where, name), "created");
  if (found.count > 0)
    check(H5Awrite(created.get(), found.type.get(), bytes.data()), attribute_name(where, name),
          "written");
}

}  // namespace

void Object::copy_attributes(const Object& from, const std::vector<std::string>& except) {
  const Lock lock;
  for (const std::string& name : attribute_names(from.id_, from.where_)) {
    if (std::find(except.begin(), except.end(), name) != except.end()) continue;
    const auto found = find(from.id_, from.where_, name);
    if (found) copy_plain(*found, id_, where_, name);
  }
}

bool Object::has(const std::string& attribute) const {
  const Lock lock;
  return H5Aexists(id_.get(), attribute.c_str()) > 0;
}

std::optional<std::vector<double>> Object::numbers(const std::string& attribute) const {
  const Lock lock;
  const auto found = find(id_, where_, attribute);
  if (!found) return std::nullopt;
  return read_numbers<double>(*found, where_, attribute);
}

std::optional<double> Object::number(const std::string& attribute) const {
  const auto values = numbers(attribute);
  if (!values) return std::nullopt;
  return values->front();
}

std::optional<std::vector<std::uint64_t>> Object::counts(const std::string& attribute) const {
  const Lock lock;
  const auto found = find(id_, where_, attribute);
  if (!found) return std::nullopt;
  if (H5Tget_class(found->type.get()) != H5T_INTEGER || H5Tget_size(found->type.get()) > 8)
    fail(ErrorCode::io, "{}: the attribute {} must contain whole numbers of at most 64 bits",
         where_, attribute);
  // As signed numbers: the library turns those that are too large into the largest.
  std::vector<std::uint64_t> result;
  for (const std::int64_t value : read_numbers<std::int64_t>(*found, where_, attribute)) {
    if (value < 0 || value == INT64_MAX)
      fail(ErrorCode::io, "{}: the attribute {} holds the count {}; the file is damaged", where_,
           attribute, value);
    result.push_back(static_cast<std::uint64_t>(value));
  }
  return result;
}

std::optional<std::string> Object::text(const std::string& attribute) const {
  const Lock lock;
  const auto found = find(id_, where_, attribute);
  if (!found) return std::nullopt;
  if (H5Tget_class(found->type.get()) != H5T_STRING || found->count != 1)
    fail(ErrorCode::io, "{}: the attribute {} must contain one string", where_, attribute);
  if (is_variable_text(*found)) return std::nullopt;
  const std::size_t size = H5Tget_size(found->type.get());
  if (size > kMostCharacters)
    fail(ErrorCode::io, "{}: the attribute {} is a string of {} characters; at most {} are allowed",
         where_, attribute, size, kMostCharacters);
  std::string result(size, '\0');
  check(H5Aread(found->attribute.get(), found->type.get(), result.data()),
        attribute_name(where_, attribute), "read");
  result.resize(std::min(result.find('\0'), result.size()));
  return result;
}

void Object::set_numbers(const std::string& attribute, Number number, const void* values,
                         std::size_t count, bool is_single) {
  const Lock lock;
  const std::string where = attribute_name(where_, attribute);
  const hsize_t size = count;
  const Handle space = checked(
      is_single ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), where, "created");
  const Handle created = checked(H5Acreate2(id_.get(), attribute.c_str(), native_type(number),
                                            space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                 where, "created");
  check(H5Awrite(created.get(), native_type(number), values), where, "written");
}

void Object::set_rows(const std::string& attribute, const std::vector<std::int64_t>& values) {
  const Lock lock;
  const std::string where = attribute_name(where_, attribute);
  const hsize_t shape[] = {values.size(), 1};
  const Handle space = checked(H5Screate_simple(2, shape, nullptr), where, "created");
  const Handle created = checked(H5Acreate2(id_.get(), attribute.c_str(), H5T_NATIVE_INT64,
                                            space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                 where, "created");
  check(H5Awrite(created.get(), H5T_NATIVE_INT64, values.data()), where, "written");
}

void Object::set(const std::string& attribute, std::string_view text) {
  const Lock lock;
  const std::string where = attribute_name(where_, attribute);
  const std::string copy(text);
  const Handle type = checked(H5Tcopy(H5T_C_S1), where, "created");
  H5Tset_size(type.get(), copy.size() + 1);
  const Handle space = checked(H5Screate(H5S_SCALAR), where, "created");
  const Handle created = checked(
      H5Acreate2(id_.get(), attribute.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      where, "created");
  check(H5Awrite(created.get(), type.get(), copy.c_str()), where, "written");
}

}  // namespace kith::io::hdf5
