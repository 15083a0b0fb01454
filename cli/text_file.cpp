#include "text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include <kith/error.hpp>

namespace kith::cli {
namespace {

[[noreturn]] void fail(const std::string& path, const char* done) {
  throw Error(ErrorCode::io, fmt::format("{}: cannot be {}: {}", path, done, std::strerror(errno)));
}

/// Removes a file that was not finished.
class Remainder {
 public:
  explicit Remainder(std::string path) : path_(std::move(path)) {}
  Remainder(const Remainder&) = delete;
  Remainder& operator=(const Remainder&) = delete;
  ~Remainder() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);  // a link stays a link
  const std::string target = error ? path : real.string();
  const bool is_direct = std::filesystem::is_other(target, error);
  const std::string part = is_direct ? target : fmt::format("{}.{}.part", target, getpid());
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(part.c_str(), is_direct ? "we" : "wxe"), &std::fclose);
  if (!file) fail(path, "opened");
  Remainder remainder(is_direct ? "" : part);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail(path, "written");
  if (std::fflush(file.get()) != 0) fail(path, "written");
  if (is_direct) return;
  if (fsync(fileno(file.get())) != 0) fail(path, "written");
  if (std::rename(part.c_str(), target.c_str()) != 0) fail(path, "renamed");
  remainder.keep();
}

}  // namespace kith::cli
