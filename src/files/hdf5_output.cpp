#include "files/hdf5_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <unistd.h>

#include "base/write_at.hpp"
#include "files/system_error.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace kith::io::hdf5 {
namespace {

/// The library's file: its own part comes first, and stays as it was made.
struct DriverFile {
  H5FD_t base{};
  std::shared_ptr<OutputState> state;
  haddr_t end_of_addresses = 0;
  haddr_t end_of_file = 0;
};
DriverFile& own(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& own(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

/// Copied with the list of properties.
struct DriverInfo {
  OutputState* state;
};

// No exception may pass through the library.
H5FD_t* open_driver(const char*, unsigned, hid_t list, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(list));
  if (!info) return nullptr;
  auto* file = new (std::nothrow) DriverFile;
  if (!file) {
    info->state->set_reason(ENOMEM);
    return nullptr;
  }
  file->state = info->state->shared_from_this();
  return &file->base;
}

herr_t close_driver(H5FD_t* file) {
  delete &own(file);
  return 0;
}

/// The same flags as the library's own driver for such files, so that the same data give the same
/// bytes.
herr_t query_driver(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  own(file).end_of_addresses = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_file; }

herr_t give_state(H5FD_t* file, hid_t, void** handle) {
  *handle = own(file).state.get();
  return 0;
}

herr_t read_driver(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes, void* to) {
  own(file).state->read(at, to, bytes);
  return 0;
}

herr_t write_driver(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes,
                    const void* from) {
  own(file).state->write(at, from, bytes);
  own(file).end_of_file = std::max(own(file).end_of_file, at + bytes);
  return 0;
}

herr_t truncate_driver(H5FD_t* file, hid_t, hbool_t) {
  DriverFile& known = own(file);
  if (known.end_of_file != known.end_of_addresses) known.state->truncate(known.end_of_addresses);
  known.end_of_file = known.end_of_addresses;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512 + 'k');  // of the unregistered ones
#endif
  driver.name = "kith";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = &open_driver;
  driver.close = &close_driver;
  driver.query = &query_driver;
  driver.get_eoa = &end_of_addresses;
  driver.set_eoa = &set_end_of_addresses;
  driver.get_eof = &end_of_file;
  driver.get_handle = &give_state;
  driver.read = &read_driver;
  driver.write = &write_driver;
  driver.truncate = &truncate_driver;
  constexpr H5FD_mem_t kMap[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kMap), std::end(kMap), driver.fl_map);
  return driver;
}

/// Registered again if the program has closed the library meanwhile.
hid_t driver_id() {
  static hid_t id = -1;
  static const H5FD_class_t driver = driver_class();
  if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&driver);
  return id;
}

}  // namespace

void OutputState::read(std::uint64_t at, void* to, std::size_t bytes) const {
  auto* const begin = static_cast<char*>(to);
  std::memset(begin, 0, bytes);  // behind the end of the file
  for (std::size_t done = 0; file_ >= 0 && done < bytes;) {
    const ssize_t count = pread(file_, begin + done, bytes - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  for (const Piece& piece : kept_) {
    const std::uint64_t first = std::max(at, piece.place);
    const std::uint64_t last = std::min(at + bytes, piece.place + piece.bytes.size());
    if (first < last)
      std::memcpy(begin + (first - at), &piece.bytes[first - piece.place], last - first);
  }
}

void OutputState::write(std::uint64_t at, const void* from, std::size_t bytes) try {
  if (is_written()) {
    if (kith::write_at(file_, from, bytes, at)) return;
    reason_ = errno;
  }
  const auto* begin = static_cast<const char*>(from);
  kept_.push_back({at, {begin, begin + bytes}});
} catch (...) {  // without memory it is lost, but the file never gets its name
}

void OutputState::truncate(std::uint64_t bytes) {
  if (is_written() && ftruncate(file_, static_cast<off_t>(bytes)) != 0) reason_ = errno;
}

void set_output(hid_t file_access, OutputState& state) {
  const DriverInfo info{&state};
  check(H5Pset_driver(file_access, driver_id(), &info), "HDF5", "prepared");
}

void check_written(const OutputState& state, const std::string& where) {
  if (state.reason() == 0) return;
  errno = state.reason();
  io::fail_with(where, "written");
}

void check_written(hid_t object, const std::string& where) {
  const Handle file = checked(H5Iget_file_id(object), where, "written");
  void* state = nullptr;
  check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &state), where, "written");
  check_written(*static_cast<const OutputState*>(state), where);
}

}  // namespace kith::io::hdf5
