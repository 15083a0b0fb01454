// The store of points that do not fit into memory: one file without a name, which disappears
// however the process ends. If the work may be continued by another process, the file has a name,
// and beside it is a list of the passes that are finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kith::slabs {

class Scratch {
 public:
  /// `task`: text that says all on which the work depends, to continue it; empty: without a name.
  /// Errors: io, if the folder has no room for this many bytes, or another process does the same.
  Scratch(std::string folder, std::uint64_t bytes, const std::string& task = "");
  /// The files go away, unless an error is on its way.
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// A place for this many bytes.
  std::uint64_t reserve(std::uint64_t bytes);

  template <class Value>
  void write(std::uint64_t offset, std::span<const Value> values) {
    write_bytes(offset, values.data(), values.size_bytes());
  }
  template <class Value>
  void read(std::uint64_t offset, std::span<Value> values) const {
    read_bytes(offset, values.data(), values.size_bytes());
  }

  std::uint64_t written() const { return written_; }
  std::uint64_t read_so_far() const { return read_; }

  // ---- finished passes
  bool has_name() const { return !name_.empty(); }
  /// The memory after a pass that a process before has finished; null: none has.
  const std::vector<char>* state_after(const std::string& pass);
  /// A pass begins that may overwrite what other passes left: those that this process has not
  /// skipped so far count no longer.
  void begin();
  /// All that was written is on disk before the pass is finished.
  void finish(const std::string& pass, const std::vector<char>& state);

 private:
  void remove_files();
  void open_named(const std::string& task);
  void read_passes(const std::string& task);
  void write_bytes(std::uint64_t offset, const void* data, std::size_t bytes);
  void read_bytes(std::uint64_t offset, void* data, std::size_t bytes) const;

  struct Pass {
    std::uint64_t end;     ///< of the places that were reserved
    std::uint64_t listed;  ///< end of its entry in the list
    std::vector<char> state;
  };

  std::string folder_, name_;
  int file_ = -1, list_ = -1;
  std::uint64_t end_ = 0, written_ = 0, listed_ = 0;
  std::map<std::string, Pass> passes_;
  mutable std::atomic<std::uint64_t> read_ = 0;  ///< results may be read from several threads
};

}  // namespace kith::slabs
