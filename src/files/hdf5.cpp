// Files, groups and the base of all objects of the HDF5 layer; see hdf5.hpp.
#include "files/hdf5.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>

#include <kith/detail/temporary_files.hpp>

#include "files/hdf5_internal.hpp"
#include "files/hdf5_output.hpp"
#include "files/input_bytes.hpp"

namespace kith::io::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// How often the lock is held; a handler of signals can read nothing but a lock-free atomic.
std::atomic<int> lock_depth{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// The library asks before it follows a link to another file; no.
herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
  return -1;
}

/// A property list that lives as long as the process.
hid_t with_refused_links(hid_t list_class) {
  const hid_t list = H5Pcreate(list_class);
  H5Pset_elink_cb(list, &refuse_link, nullptr);
  return list;
}

/// Files are opened without locks: reading is possible where the system has none, and no other
/// process opens a file that is being written.
Handle file_access() {
  Handle list = checked(H5Pcreate(H5P_FILE_ACCESS), "HDF5", "prepared");
  H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG);
  H5Pset_file_locking(list.get(), false, true);
  return list;
}

/// The end of the file by its superblock; 0 if that does not state it. Versions 0 and 1 have the
/// address behind the fields of fixed size, versions 2 and 3 as the third one.
std::uint64_t stated_end(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char bytes[64] = {};
  file.read(reinterpret_cast<char*>(bytes), sizeof bytes);
  if (file.gcount() < 48) return 0;
  const unsigned version = bytes[8];
  const bool is_old = version < 2;
  if (version > 3 || bytes[is_old ? 13 : 9] != 8) return 0;  // addresses of 8 bytes
  const std::size_t at = version == 0 ? 40 : version == 1 ? 44 : 28;
  if (at + 8 > static_cast<std::size_t>(file.gcount())) return 0;
  std::uint64_t end = 0;
  for (std::size_t i = 8; i-- > 0;) end = end << 8 | bytes[at + i];
  return end;
}

void check_complete(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::uint64_t end = stated_end(path);
  if (!error && end > size) fail_cut_off(path, size, end);
}

Handle open_file(const std::string& path) {
  if (is_hdf5(path)) check_complete(path);
  const Lock lock;
  const Handle access = file_access();
  return checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), path, "opened");
}

std::shared_ptr<OutputState> state_for(const AtomicFile& file, const std::string& path) {
  if (file.temporary().empty())
    fail(ErrorCode::io, "{}: is not a regular file; HDF5 needs one", path);
  return std::make_shared<OutputState>(file.descriptor());
}

Handle create_file(const AtomicFile& file, OutputState& state, const std::string& path) {
  const Lock lock;
  const Handle access = file_access();
  set_output(access.get(), state);
  const Handle creation = checked(H5Pcreate(H5P_FILE_CREATE), path, "prepared");
  H5Pset_obj_track_times(creation.get(), false);
  const hid_t id = H5Fcreate(file.temporary().c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
  if (id < 0 && state.reason() == ENOMEM) throw std::bad_alloc();
  return checked(id, path, "created");
}

Handle open_root(const Handle& file, const std::string& path) {
  const Lock lock;
  return checked(H5Gopen2(file.get(), "/", group_access()), path, "opened");
}

/// "file: /" and "a/b" become "file: /a/b".
std::string below(const std::string& where, const std::string& path) {
  return where.ends_with("/") ? where + path : where + "/" + path;
}

/// No exception may pass through the library: without memory the reason stays empty.
herr_t keep_reason(unsigned n, const H5E_error2_t* error, void* reason) try {
  if (n == 0 && error->desc) *static_cast<std::string*>(reason) = error->desc;
  return 0;
} catch (...) {
  return 0;
}

}  // namespace

Lock::Lock() {
  library_mutex().lock();
  // Relaxed: only the handler of a fault on this thread relies on it.
  lock_depth.fetch_add(1, std::memory_order_relaxed);
  H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Lock::~Lock() {
  // Errors that a thread leaves on its stack when it ends would keep the library from closing.
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, report_, report_data_);
  lock_depth.fetch_sub(1, std::memory_order_relaxed);
  library_mutex().unlock();
}

std::string last_error() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_reason, &reason);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

Handle checked(hid_t id, const std::string& where, const char* what) {
  check(id < 0 ? -1 : 0, where, what);
  return Handle(id);
}

void check(herr_t status, const std::string& where, const char* what) {
  if (status < 0) fail(ErrorCode::io, "{}: cannot be {}: {}", where, what, last_error());
}

hid_t native_type(Number number) {
  switch (number) {
    case Number::i8: return H5T_NATIVE_INT8;
    case Number::u8: return H5T_NATIVE_UINT8;
    case Number::i16: return H5T_NATIVE_INT16;
    case Number::u16: return H5T_NATIVE_UINT16;
    case Number::i32: return H5T_NATIVE_INT32;
    case Number::u32: return H5T_NATIVE_UINT32;
    case Number::i64: return H5T_NATIVE_INT64;
    case Number::u64: return H5T_NATIVE_UINT64;
    case Number::f32: return H5T_NATIVE_FLOAT;
    case Number::f64: return H5T_NATIVE_DOUBLE;
    case Number::f16: break;  // read as it is stored, never written
  }
  fail(ErrorCode::internal, "HDF5 has no native {}", name_of(number));
}

bool is_sound_number(hid_t type) {
  constexpr std::size_t kMostBytes = 32;
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type), precision = H5Tget_precision(type);
  const int offset = H5Tget_offset(type);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || size > kMostBytes || precision == 0 ||
      precision > 8 * size || offset < 0 || static_cast<std::size_t>(offset) > 8 * size - precision)
    return false;
  if (kind == H5T_INTEGER) return true;
  std::size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0)
    return false;
  const auto is_inside = [&](std::size_t begin, std::size_t bits) {
    return begin <= precision && bits > 0 && bits <= precision - begin;
  };
  return is_inside(sign, 1) && is_inside(exponent, exponent_size) &&
         is_inside(mantissa, mantissa_size);
}

hid_t link_access() {
  static const hid_t list = with_refused_links(H5P_LINK_ACCESS);
  return list;
}

hid_t group_access() {
  static const hid_t list = with_refused_links(H5P_GROUP_ACCESS);
  return list;
}

hid_t dataset_access() {
  static const hid_t list = with_refused_links(H5P_DATASET_ACCESS);
  return list;
}

bool is_hdf5(const std::string& path) {
  char bytes[8] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(bytes, 8) && std::memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0;
}

Handle::~Handle() {
  if (id_ < 0) return;
  const Lock lock;
  H5Idec_ref(id_);
}

bool Group::contains(const std::string& path) const {
  const Lock lock;
  // Each part of a path is queried separately: the library takes a missing one in the middle for an
  // error.
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const htri_t exists = H5Lexists(id_.get(), path.substr(0, end).c_str(), link_access());
    check(exists, below(where_, path), "searched for");
    if (exists == 0) return false;
  }
  return true;
}

bool Group::is_dataset(const std::string& path) const {
  const Lock lock;
  const Handle object =
      checked(H5Oopen(id_.get(), path.c_str(), link_access()), below(where_, path), "opened");
  return H5Iget_type(object.get()) == H5I_DATASET;
}

Group Group::group(const std::string& path) const {
  const Lock lock;
  const std::string where = below(where_, path);
  return {checked(H5Gopen2(id_.get(), path.c_str(), group_access()), where, "opened as a group"),
          where};
}

Dataset Group::dataset(const std::string& path, RowKind kind) const {
  const Lock lock;
  const std::string where = below(where_, path);
  return {
      checked(H5Dopen2(id_.get(), path.c_str(), dataset_access()), where, "opened as a dataset"),
      where, kind};
}

std::vector<std::string> Group::names() const {
  constexpr std::size_t kMost = 4096;
  const Lock lock;
  struct Names {
    std::vector<std::string> list;
    bool is_short_of_memory = false;
  } names;
  // No exception may pass through the library.
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto& all = *static_cast<Names*>(data);
    if (all.list.size() == kMost) return 1;
    try {
      all.list.emplace_back(name);
    } catch (const std::bad_alloc&) {
      all.is_short_of_memory = true;
      return 1;
    }
    return 0;
  };
  check(H5Literate(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), where_, "listed");
  if (names.is_short_of_memory) throw std::bad_alloc();
  return std::move(names.list);
}

Group Group::create_group(const std::string& name) {
  const Lock lock;
  const std::string where = below(where_, name);
  const Handle creation = checked(H5Pcreate(H5P_GROUP_CREATE), where, "prepared");
  H5Pset_obj_track_times(creation.get(), false);
  return {checked(H5Gcreate2(id_.get(), name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                  where, "created"),
          where};
}

InputFile::InputFile(const std::string& path) : InputFile(open_file(path), path) {}

InputFile::InputFile(Handle file, const std::string& path)
    : Group(open_root(file, path), path + ": /"), file_(std::move(file)) {
  const Lock lock;
  hsize_t bytes = 0;
  check(H5Fget_filesize(file_.get(), &bytes), path, "measured");
  bytes_ = bytes;
}

OutputFile::OutputFile(const std::string& path)
    : OutputFile(std::make_unique<AtomicFile>(path), path) {}

OutputFile::OutputFile(std::unique_ptr<AtomicFile> file, const std::string& path)
    : OutputFile(file, state_for(*file, path), path) {}

OutputFile::OutputFile(std::unique_ptr<AtomicFile>& file, std::shared_ptr<OutputState> state,
                       const std::string& path)
    : OutputFile(create_file(*file, *state, path), path) {
  state_ = std::move(state);
  atomic_ = std::move(file);
}

OutputFile::OutputFile(Handle file, const std::string& path)
    : Group(open_root(file, path), path + ": /"), path_(path), file_(std::move(file)) {}

// The handles are closed before their file. Writes of the library after that are discarded.
OutputFile::~OutputFile() {
  if (state_) state_->abandon();
  id_ = Handle();
  file_ = Handle();
}

void OutputFile::sync() {
  const Lock lock;
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), where_, "written");
  check_written(*state_, path_);
  atomic_->sync();
}

void OutputFile::finish() {
  const Lock lock;
  if (!file_) return;
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), where_, "written");
  check_written(*state_, path_);
  id_ = Handle();
  const std::int64_t id = file_.release();
  check(H5Fclose(id), where_, "closed");
  check_written(*state_, path_);
  state_->abandon();
  atomic_->sync();
}

void OutputFile::commit() {
  finish();
  atomic_->commit();
}

}  // namespace kith::io::hdf5

bool kith::is_inside_hdf5() noexcept {
  return kith::io::hdf5::lock_depth.load(std::memory_order_relaxed) > 0;
}
