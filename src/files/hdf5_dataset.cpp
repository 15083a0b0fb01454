// Datasets of the HDF5 layer; see hdf5.hpp.
#include <algorithm>
#include <array>
#include <limits>

#include "files/hdf5_internal.hpp"
#include "files/hdf5_output.hpp"

namespace kith::io::hdf5 {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
// No real filter compresses numbers further; a file that claims so is a decompression bomb.
constexpr std::uint64_t kDensest = 4096;
constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestChunk = std::uint64_t{64} << 20;
constexpr int kMostRank = 4;

/// a * b, or kMostBytes if that is more.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMostBytes / a ? kMostBytes : std::min(a * b, kMostBytes);
}

Shape extent_of(const Handle& space, const std::string& where) {
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > kMostRank)
    fail(ErrorCode::io, "{}: has rank {}; 0 to {} are allowed", where, rank, kMostRank);
  std::array<hsize_t, kMostRank> sizes{};
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), where, "measured");
  return {sizes.begin(), sizes.begin() + rank};
}

/// Rows of a selection, which must be one run of whole rows.
struct Run {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

std::optional<Run> run_of(const Handle& space, const std::string& where) {
  const Shape extent = extent_of(space, where);
  if (extent.empty()) return std::nullopt;
  std::array<hsize_t, kMostRank> first{}, last{};
  if (H5Sget_select_bounds(space.get(), first.data(), last.data()) < 0) return std::nullopt;
  // A selection that fills its bounds is a box; asking for hyperslabs would miss those that the
  // library keeps as lists of blocks.
  std::uint64_t volume = 1;
  for (std::size_t axis = 0; axis < extent.size(); ++axis) {
    volume = product(volume, last[axis] - first[axis] + 1);
    if (axis > 0 && (first[axis] != 0 || last[axis] + 1 != extent[axis])) return std::nullopt;
  }
  if (static_cast<std::uint64_t>(H5Sget_select_npoints(space.get())) != volume) return std::nullopt;
  return Run{first[0], last[0] - first[0] + 1};
}

std::string text_of(ssize_t (*get)(hid_t, size_t, char*, size_t), hid_t list, std::size_t index,
                    const std::string& where) {
  const ssize_t size = get(list, index, nullptr, 0);
  check(size < 0 ? -1 : 0, where, "read");
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  get(list, index, text.data(), text.size());
  text.pop_back();
  return text;
}

std::uint64_t chosen_chunk_rows(const Shape& shape, std::uint64_t row_bytes,
                                const DatasetOptions& options) {
  constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 19;
  const std::uint64_t rows = options.chunk_rows > 0
                                 ? options.chunk_rows
                                 : kChunkBytes / std::max<std::uint64_t>(1, row_bytes);
  return std::clamp<std::uint64_t>(rows, 1, std::max<std::uint64_t>(1, shape[0]));
}

/// How a new dataset is laid out.
Handle creation_list(const Shape& shape, std::uint64_t row_bytes, const DatasetOptions& options,
                     const std::string& where) {
  Handle list = checked(H5Pcreate(H5P_DATASET_CREATE), where, "prepared");
  H5Pset_obj_track_times(list.get(), false);
  H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
  const bool needs_chunks = options.compression > 0 || options.is_checked || options.chunk_rows > 0;
  if (shape.empty() || shape[0] == 0 || !needs_chunks) {
    // The place of the rows is known at once, and does not depend on when they are written.
    H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY);
    return list;
  }
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  chunk[0] = chosen_chunk_rows(shape, row_bytes, options);
  check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), where, "prepared");
  if (options.compression > 0) {
    H5Pset_shuffle(list.get());
    check(H5Pset_deflate(list.get(), static_cast<unsigned>(options.compression)), where,
          "prepared");
  }
  if (options.is_checked) H5Pset_fletcher32(list.get());
  return list;
}

bool is_half(hid_t type) {
  std::size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;
  return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 2 &&
         H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 &&
         sign == 15 && exponent == 10 && exponent_size == 5 && mantissa == 0 &&
         mantissa_size == 10 && H5Tget_ebias(type) == 15;
}

}  // namespace

std::optional<Stored> stored_as(hid_t type) {
  const bool is_big = H5Tget_order(type) == H5T_ORDER_BE;
  if (is_half(type)) return Stored{Number::f16, is_big};
  const std::array<std::pair<Number, hid_t>, 10> plain = {
      {{Number::i8, is_big ? H5T_STD_I8BE : H5T_STD_I8LE},
       {Number::u8, is_big ? H5T_STD_U8BE : H5T_STD_U8LE},
       {Number::i16, is_big ? H5T_STD_I16BE : H5T_STD_I16LE},
       {Number::u16, is_big ? H5T_STD_U16BE : H5T_STD_U16LE},
       {Number::i32, is_big ? H5T_STD_I32BE : H5T_STD_I32LE},
       {Number::u32, is_big ? H5T_STD_U32BE : H5T_STD_U32LE},
       {Number::i64, is_big ? H5T_STD_I64BE : H5T_STD_I64LE},
       {Number::u64, is_big ? H5T_STD_U64BE : H5T_STD_U64LE},
       {Number::f32, is_big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE},
       {Number::f64, is_big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE}}};
  for (const auto& [number, standard] : plain)
    if (H5Tequal(type, standard) > 0) return Stored{number, is_big};
  return std::nullopt;
}

Dataset::Dataset(Handle id, std::string where, RowKind kind)
    : Object(std::move(id), std::move(where)) {
  learn_layout();
  const Handle space = checked(H5Dget_space(id_.get()), where_, "measured");
  shape_ = extent_of(space, where_);
  learn_type(kind);
}

std::uint64_t Dataset::row_size() const {
  std::uint64_t size = 1;
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) size = product(size, shape_[axis]);
  return size;
}

void Dataset::learn_type(RowKind kind) {
  Handle type = checked(H5Dget_type(id_.get()), where_, "opened");
  type_bytes_ = H5Tget_size(type.get());
  if (kind == RowKind::records) return learn_members(type.get());
  if (kind == RowKind::lists) {
    if (H5Tget_class(type.get()) != H5T_VLEN)
      fail(ErrorCode::io, "{}: does not contain lists", where_);
    type = checked(H5Tget_super(type.get()), where_, "opened");
  }
  if (!is_sound_number(type.get())) fail(ErrorCode::io, "{}: does not contain numbers", where_);
  is_integer_ = H5Tget_class(type.get()) == H5T_INTEGER;
  stored_ = stored_as(type.get());
}

/// Before all other calls on the dataset: some of them make the library open the sources of a
/// virtual one.
void Dataset::learn_layout() {
  const Handle list = checked(H5Dget_create_plist(id_.get()), where_, "opened");
  if (H5Pget_external_count(list.get()) != 0)
    fail(ErrorCode::io,
         "{}: its data are in other files, which kith does not read; store them in the file itself",
         where_);
  const H5D_layout_t layout = H5Pget_layout(list.get());
  if (layout == H5D_VIRTUAL) return learn_segments(list.get());
  if (layout != H5D_CHUNKED) return;
  std::array<hsize_t, kMostRank> sizes{};
  const int rank = H5Pget_chunk(list.get(), kMostRank, sizes.data());
  if (rank < 1 || rank > kMostRank) fail(ErrorCode::io, "{}: has chunks of rank {}", where_, rank);
  chunk_rows_ = sizes[0];
  chunk_size_ = 1;
  for (int axis = 0; axis < rank; ++axis) chunk_size_ = product(chunk_size_, sizes[axis]);
}

void Dataset::learn_segments(std::int64_t properties) {
  std::size_t count = 0;
  check(H5Pget_virtual_count(properties, &count), where_, "read");
  for (std::size_t i = 0; i < count; ++i) {
    const Handle target = checked(H5Pget_virtual_vspace(properties, i), where_, "read");
    const Handle source = checked(H5Pget_virtual_srcspace(properties, i), where_, "read");
    const auto rows = run_of(target, where_);
    // All rows of a source: their number is in its own file.
    const bool is_all = H5Sget_select_type(source.get()) == H5S_SEL_ALL;
    const auto source_rows = is_all && rows ? Run{0, rows->count} : run_of(source, where_);
    if (!rows || !source_rows || rows->count != source_rows->count)
      fail(ErrorCode::io,
           "{}: is a virtual dataset that is not made of whole rows of other datasets", where_);
    segments_.push_back({text_of(&H5Pget_virtual_filename, properties, i, where_),
                         text_of(&H5Pget_virtual_dsetname, properties, i, where_),
                         source_rows->begin, rows->begin, rows->count});
  }
  std::sort(segments_.begin(), segments_.end(),
            [](const Segment& a, const Segment& b) { return a.row < b.row; });
  is_virtual_ = true;
}

void Dataset::check_storage(std::uint64_t file_bytes) const {
  const Lock lock;
  if (is_virtual_) return;
  const std::uint64_t bytes = product(product(rows(), row_size()), type_bytes_);
  const std::uint64_t kept = std::min<std::uint64_t>(H5Dget_storage_size(id_.get()), file_bytes);
  if (bytes > 0 && kept == 0) fail(ErrorCode::io, "{}: was never written", where_);
  if (chunk_size_ == 0 ? bytes > file_bytes : bytes > kSmall + product(kept, kDensest))
    fail(ErrorCode::io,
         "{}: claims {} bytes in a file that has {}; the file is truncated or damaged", where_,
         bytes, kept);
  const std::uint64_t chunk_bytes = product(chunk_size_, type_bytes_);
  if (chunk_bytes > std::max(kLargestChunk, 2 * bytes))
    fail(ErrorCode::io, "{}: has chunks of {} bytes for {} bytes of data; the file is damaged",
         where_, chunk_bytes, bytes);
}

std::uint64_t Dataset::offset() const {
  const Lock lock;
  const haddr_t offset = chunk_size_ > 0 || is_virtual_ ? HADDR_UNDEF : H5Dget_offset(id_.get());
  return offset == HADDR_UNDEF ? 0 : offset;
}

void Dataset::transfer(std::uint64_t begin, std::uint64_t count, std::int64_t type, void* to,
                       const void* from) const {
  const Lock lock;
  const char* what = to ? "read" : "written";
  if (count == 0) return;
  if (begin > rows() || count > rows() - begin)
    fail(ErrorCode::internal, "{}: rows {} to {} of {}", where_, begin, begin + count, rows());
  const Handle file_space = checked(H5Dget_space(id_.get()), where_, what);
  const hsize_t numbers = count * row_size();
  const Handle memory_space = checked(H5Screate_simple(1, &numbers, nullptr), where_, what);
  if (!shape_.empty()) {
    std::vector<hsize_t> start(shape_.size(), 0), size(shape_.begin(), shape_.end());
    start[0] = begin;
    size[0] = count;
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                              nullptr),
          where_, what);
  }
  const herr_t status =
      to ? H5Dread(id_.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, to)
         : H5Dwrite(id_.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, from);
  check(status, where_, what);
  if (from) check_written(id_.get(), where_);
}

void Dataset::read_stored(std::uint64_t begin, std::uint64_t count, void* to) const {
  const Lock lock;
  const Handle type = checked(H5Dget_type(id_.get()), where_, "read");
  transfer(begin, count, type.get(), to, nullptr);
}

void Dataset::read(std::uint64_t begin, std::uint64_t count, double* to) const {
  transfer(begin, count, H5T_NATIVE_DOUBLE, to, nullptr);
}

void Dataset::write(std::uint64_t begin, std::uint64_t count, Number number, const void* from) {
  transfer(begin, count, native_type(number), nullptr, from);
}

namespace {

Handle space_of(const Shape& shape, const std::string& where) {
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  return checked(sizes.empty()
                     ? H5Screate(H5S_SCALAR)
                     : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                 where, "created");
}

/// The rows of a segment, in a dataset of this shape.
Handle rows_of(Shape shape, std::uint64_t begin, std::uint64_t count, const std::string& where) {
  Handle space = space_of(shape, where);
  std::vector<hsize_t> start(shape.size(), 0), size(shape.begin(), shape.end());
  start[0] = begin;
  size[0] = count;
  check(
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
      where, "created");
  return space;
}

}  // namespace

Dataset Group::create_virtual(const std::string& name, Number number, const Shape& shape,
                              const std::vector<Segment>& segments) {
  const Lock lock;
  const std::string where = where_.ends_with("/") ? where_ + name : where_ + "/" + name;
  const Handle list = checked(H5Pcreate(H5P_DATASET_CREATE), where, "prepared");
  H5Pset_obj_track_times(list.get(), false);
  for (const Segment& segment : segments) {
    Shape source = shape;
    source[0] = segment.source_row + segment.rows;
    const Handle from = rows_of(source, segment.source_row, segment.rows, where);
    const Handle to = rows_of(shape, segment.row, segment.rows, where);
    check(H5Pset_virtual(list.get(), to.get(), segment.file.c_str(), segment.dataset.c_str(),
                         from.get()),
          where, "prepared");
  }
  const Handle space = space_of(shape, where);
  return {checked(H5Dcreate2(id_.get(), name.c_str(), native_type(number), space.get(), H5P_DEFAULT,
                             list.get(), H5P_DEFAULT),
                  where, "created"),
          where};
}

Dataset Group::create_dataset(const std::string& name, Number number, const Shape& shape,
                              const DatasetOptions& options) {
  const Lock lock;
  const std::string where = where_.ends_with("/") ? where_ + name : where_ + "/" + name;
  std::uint64_t row_bytes = bytes_of(number);
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    row_bytes = product(row_bytes, shape[axis]);
  const Handle space = space_of(shape, where);
  const Handle list = creation_list(shape, row_bytes, options, where);
  return {checked(H5Dcreate2(id_.get(), name.c_str(), native_type(number), space.get(), H5P_DEFAULT,
                             list.get(), H5P_DEFAULT),
                  where, "created"),
          where};
}

}  // namespace kith::io::hdf5
