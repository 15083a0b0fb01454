#include "gpu/cuda/code_cache.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include "gpu/cuda/libraries.hpp"

namespace kith::gpu::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 26;

/// FNV-1a: the checksum of libkith is not exported, and this needs no other property.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Empty if there is none.
fs::path folder() {
  if (const char* named = std::getenv("KITH_CACHE")) return named;
  if (const std::string caches = environment("XDG_CACHE_HOME"); !caches.empty())
    return fs::path(caches) / "kith";
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "kith";
}

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / ("kernels-" + std::to_string(hash_of(key)));
}

/// In front of the code: two keys may have the same name, and disks fail.
std::string head_of(const std::string& key, const std::string& code) {
  return "kith kernels 1 " + std::to_string(key.size()) + ' ' + std::to_string(code.size()) + ' ' +
         std::to_string(hash_of(code)) + '\n' + key;
}

std::string read_all(const fs::path& file) {
  std::error_code error;
  if (const auto bytes = fs::file_size(file, error); error || bytes > kMostBytes) return "";
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<std::string> stored_code(const std::string& key) {
  const fs::path at = folder();
  if (at.empty()) return std::nullopt;
  const std::string text = read_all(file_of(at, key));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || text.size() - end - 1 < key.size()) return std::nullopt;
  std::string code = text.substr(end + 1 + key.size());
  if (text.compare(0, end + 1 + key.size(), head_of(key, code)) != 0) return std::nullopt;
  return code;
}

void store_code(const std::string& key, const std::string& code) noexcept {
  try {
    const fs::path at = folder();
    if (at.empty()) return;
    fs::create_directories(at);
    const fs::path file = file_of(at, key);
    // Other processes see the old file or the new one.
    const fs::path part = file.string() + '.' + std::to_string(getpid());
    std::ofstream out(part, std::ios::binary);
    out << head_of(key, code) << code;
    out.close();
    std::error_code error;
    if (out)
      fs::rename(part, file);
    else
      fs::remove(part, error);
  } catch (...) {  // see the header
  }
}

}  // namespace kith::gpu::cuda
