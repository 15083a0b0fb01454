// How the HDF5 library writes a file of ours: through a driver whose writes never fail.
//
// A file of which a write failed cannot be closed: the library then frees it twice, and the process
// dies when it ends. So the driver keeps the reason and reports success; later writes are kept in
// memory, since the library may read them again. The caller checks for the reason after each call,
// so these are few.
#pragma once

#include <memory>
#include <vector>

#include "files/hdf5_internal.hpp"

namespace kith::io::hdf5 {

/// The state of the writes of one file, shared by the library's driver and the caller.
class OutputState : public std::enable_shared_from_this<OutputState> {
 public:
  explicit OutputState(int file) : file_(file) {}

  /// The reason in errno of the first write that failed; 0: none did.
  int reason() const { return reason_; }
  /// For failures that the library would report without their reason.
  void set_reason(int reason) { reason_ = reason; }
  /// From now on nothing touches the file: its descriptor may be closed, and be another's.
  void abandon() { file_ = -1; }

  // The operations of the driver.
  void read(std::uint64_t at, void* to, std::size_t bytes) const;
  void write(std::uint64_t at, const void* from, std::size_t bytes);
  void truncate(std::uint64_t bytes);

 private:
  struct Piece {
    std::uint64_t place;
    std::vector<char> bytes;
  };
  bool is_written() const { return file_ >= 0 && reason_ == 0; }

  int file_;
  int reason_ = 0;
  std::vector<Piece> kept_;  ///< instead of in the file, in the order of time
};

/// Makes files that are created with this list write to `state`, under any name.
void set_output(hid_t file_access, OutputState& state);

/// Throws Error (io) that names the path if a write of the file with this object has failed.
void check_written(hid_t object, const std::string& where);
void check_written(const OutputState& state, const std::string& where);

}  // namespace kith::io::hdf5
