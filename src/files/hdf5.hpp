// A small layer over the HDF5 C library: files, groups, datasets and attributes that close
// themselves, errors as one sentence. HDF5 is not safe to use from several threads, so every call
// here holds one lock for the whole process. Only hdf5_internal.hpp includes <hdf5.h>.
//
// Reading is written for files from strangers: links to other files are never followed, data that
// is in other files is refused, virtual datasets are reported as a list of their sources, and no
// size in a header is trusted for an allocation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/atomic_file.hpp"
#include "files/number.hpp"

namespace kith::io::hdf5 {

/// Whether a file begins as HDF5 files do.
bool is_hdf5(const std::string& path);

/// One object of the library; closed by its last owner.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  ~Handle();
  Handle(Handle&& other) noexcept : id_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    Handle old(std::exchange(id_, other.release()));
    return *this;
  }
  std::int64_t release() { return std::exchange(id_, -1); }  ///< the caller closes it
  std::int64_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  std::int64_t id_ = -1;
};

/// Something that has attributes: a group or a dataset.
class Object {
 public:
  const std::string& where() const { return where_; }  ///< "file.hdf5: /Header", for messages

  // Reading. No attribute of that name gives nothing; one that cannot be read, of another kind or
  // of more than 4096 numbers is an error (io).
  bool has(const std::string& attribute) const;
  std::optional<std::vector<double>> numbers(const std::string& attribute) const;
  /// Whole numbers from 0 to 2^63 - 1.
  std::optional<std::vector<std::uint64_t>> counts(const std::string& attribute) const;
  /// Also none for a text of variable length, which is not read.
  std::optional<std::string> text(const std::string& attribute) const;
  /// The first of numbers(attribute).
  std::optional<double> number(const std::string& attribute) const;

  // Writing. Numbers are stored in the type that they have here.
  template <class T>
  requires std::is_arithmetic_v<T>
  void set(const std::string& attribute, T value) {
    set_numbers(attribute, number_of<T>(), &value, 1, true);
  }
  template <class T>
  void set(const std::string& attribute, const std::vector<T>& values) {
    set_numbers(attribute, number_of<T>(), values.data(), values.size(), false);
  }
  void set(const std::string& attribute, std::string_view text);
  void set(const std::string& attribute, const char* text) {
    set(attribute, std::string_view(text));
  }
  /// As a table with one number in each row.
  void set_rows(const std::string& attribute, const std::vector<std::int64_t>& values);
  /// The numbers and texts of fixed length among the attributes of another object, except those
  /// named here.
  void copy_attributes(const Object& from, const std::vector<std::string>& except = {});

 protected:
  Object(Handle id, std::string where) : id_(std::move(id)), where_(std::move(where)) {}
  void set_numbers(const std::string& attribute, Number number, const void* values,
                   std::size_t count, bool is_single);
  Handle id_;
  std::string where_;
  friend class Group;
};

/// Rows of a virtual dataset, and where they are stored.
struct Segment {
  std::string file;     ///< as written in the file; "." is the file itself
  std::string dataset;  ///< path inside it
  std::uint64_t source_row = 0;
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
};

using Shape = std::vector<std::uint64_t>;

struct DatasetOptions {
  int compression = 0;           ///< gzip level 0 ... 9
  bool is_checked = false;       ///< with a checksum for every chunk
  std::uint64_t chunk_rows = 0;  ///< 0: chosen, if the other options need chunks
};

/// The kind of the rows of a dataset: numbers; records of named numbers and arrays of them; or
/// lists of whole numbers, of any length.
enum class RowKind { numbers, records, lists };

/// One of the values of a record.
struct Member {
  std::size_t offset = 0;  ///< of its first byte in the record
  Stored stored = {};
  std::size_t width = 1;  ///< numbers in it
};

class Dataset : public Object {
 public:
  const Shape& shape() const { return shape_; }
  std::uint64_t rows() const { return shape_.empty() ? 1 : shape_[0]; }
  std::uint64_t row_size() const;  ///< numbers in a row
  /// How numbers are stored, also those of lists; none: in a type that only the library can
  /// convert.
  std::optional<Stored> stored() const { return stored_; }
  /// The numbers of a member of all records. Errors (io): it is not there, or too wide.
  std::vector<double> member_numbers(const std::string& name, std::size_t width = 1) const;
  std::vector<std::uint64_t> member_whole(const std::string& name) const;
  bool has_member(const std::string& name) const { return members_.contains(name); }
  bool is_integer() const { return is_integer_; }
  std::uint64_t chunk_rows() const { return chunk_rows_; }  ///< 0: not in chunks
  /// Where its rows begin in the file, one after the other; 0: it has none, or they are in chunks.
  std::uint64_t offset() const;
  /// The sources of the rows of a virtual dataset, in order; empty if it is not virtual.
  const std::vector<Segment>& segments() const { return segments_; }
  bool is_virtual() const { return is_virtual_; }

  /// Errors (io) if the dataset claims more than a file of this size can hold.
  void check_storage(std::uint64_t file_bytes) const;

  /// Rows [begin, begin + count) as they are stored, stored()->bytes() each number.
  void read_stored(std::uint64_t begin, std::uint64_t count, void* to) const;
  /// Rows [begin, begin + count), converted by the library.
  void read(std::uint64_t begin, std::uint64_t count, double* to) const;
  void write(std::uint64_t begin, std::uint64_t count, Number number, const void* from);
  template <class T>
  void write(std::uint64_t begin, std::uint64_t count, const T* from) {
    write(begin, count, number_of<T>(), from);
  }

 private:
  friend class Group;
  Dataset(Handle id, std::string where, RowKind kind = RowKind::numbers);
  void learn_type(RowKind kind);
  void learn_members(std::int64_t type);
  template <class T>
  std::vector<T> member(const std::string& name, std::size_t width) const;
  void learn_layout();
  void learn_segments(std::int64_t properties);
  void transfer(std::uint64_t begin, std::uint64_t count, std::int64_t type, void* to,
                const void* from) const;

  Shape shape_;
  std::optional<Stored> stored_;
  std::map<std::string, Member> members_;
  bool is_integer_ = false;
  std::size_t type_bytes_ = 0;
  std::uint64_t chunk_rows_ = 0;
  std::uint64_t chunk_size_ = 0;  ///< numbers in a chunk
  bool is_virtual_ = false;
  std::vector<Segment> segments_;
};

class Group : public Object {
 public:
  /// Paths may have several parts ("PartType1/Coordinates").
  bool contains(const std::string& path) const;
  bool is_dataset(const std::string& path) const;  ///< of its members
  Group group(const std::string& path) const;
  /// Errors (io): none, or of rows of another kind.
  Dataset dataset(const std::string& path, RowKind kind = RowKind::numbers) const;
  std::vector<std::string> names() const;  ///< of its members, at most 4096

  Group create_group(const std::string& name);
  Dataset create_dataset(const std::string& name, Number number, const Shape& shape,
                         const DatasetOptions& options = {});
  /// A dataset whose rows are those of other files.
  Dataset create_virtual(const std::string& name, Number number, const Shape& shape,
                         const std::vector<Segment>& segments);
  /// A whole dataset in one call; for long ones see Dataset::write.
  template <class T>
  Dataset write_dataset(const std::string& name, const Shape& shape, const T* from,
                        const DatasetOptions& options = {}) {
    Dataset dataset = create_dataset(name, number_of<T>(), shape, options);
    dataset.write(0, dataset.rows(), from);
    return dataset;
  }

 protected:
  using Object::Object;
};

/// A file that is only read; it is its root group.
class InputFile : public Group {
 public:
  explicit InputFile(const std::string& path);
  std::uint64_t bytes() const { return bytes_; }  ///< of the whole file

 private:
  InputFile(Handle file, const std::string& path);
  Handle file_;
  std::uint64_t bytes_ = 0;
};

class OutputState;

/// A new file, that appears under its name only with `commit`; it is its root group. Groups and
/// datasets must be gone by then. The same data give the same bytes: no times are stored.
class OutputFile : public Group {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  /// Flushes the bytes that were written so far to disk, which keeps the last sync of a large file
  /// short.
  void sync();
  /// Everything is written and synced, still under the temporary name; `commit` follows.
  void finish();
  void commit();
  void remove_old() const { atomic_->remove_old(); }

  /// Rows of datasets that are not in chunks may be written beside the library, from their offset
  /// on, also by other processes.
  const std::string& temporary() const { return atomic_->temporary(); }
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
    atomic_->write_at(offset, data, bytes);
  }
  /// Syncs the bytes that were written in this way.
  void sync_written() { atomic_->sync(); }

 private:
  OutputFile(std::unique_ptr<AtomicFile> file, const std::string& path);
  OutputFile(std::unique_ptr<AtomicFile>& file, std::shared_ptr<OutputState> state,
             const std::string& path);
  OutputFile(Handle file, const std::string& path);
  std::string path_;
  std::unique_ptr<AtomicFile> atomic_;
  std::shared_ptr<OutputState> state_;
  Handle file_;
};

}  // namespace kith::io::hdf5
