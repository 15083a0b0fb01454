// Zip archives, as far as NumPy's .npz files need them: members that are stored or deflated, of any
// size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/atomic_file.hpp"
#include "files/input_bytes.hpp"

namespace kith::io {

struct ZipMember {
  std::string name;
  bool is_deflated = false;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;           ///< offset of its packed bytes
  std::optional<std::uint32_t> crc;  ///< check sum of the unpacked bytes
};

/// The directory of an archive. Errors (io): damaged, encrypted or otherwise packed.
std::vector<ZipMember> zip_directory(const InputBytes& file);

/// The bytes of a member, unpacked; it is an error (io) at the last of them if their check sum is
/// wrong.
std::unique_ptr<ByteStream> member_bytes(const InputBytes& file, const ZipMember& member);

/// Writes members that are stored as they are. The bytes of each follow its `begin`, to the file.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  void begin(const std::string& name, std::uint64_t bytes, std::uint32_t crc);
  void end();

 private:
  struct Entry {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
    std::uint32_t crc = 0;
  };

  AtomicFile& file_;
  std::vector<Entry> entries_;
  std::uint64_t offset_ = 0;
};

}  // namespace kith::io
