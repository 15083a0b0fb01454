// Particles that stay on disk, for commands that work on a part of them at a time.
#pragma once

#include <vector>

#include <kith/detail/result_rows.hpp>
#include <kith/io/stored_neighbors.hpp>

#include "input.hpp"

namespace kith::cli {

/// The particles of an input, as Input has them in memory.
class InputPoints : public StoredPoints {
 public:
  explicit InputPoints(const Input& input)
      : input_(input), stored_(stored_points(input.snapshot(), input.types())) {}

  std::uint64_t size() const override { return input_.size(); }
  int dimension() const override { return input_.dimension(); }
  Scalar scalar() const override { return input_.scalar(); }
  std::vector<std::uint64_t> counts() const override { return stored_->counts(); }
  bool has(Field field) const override {
    return input_.has(field) && !(field == Field::mass && input_.has_equal_masses());
  }
  void read(Field field, std::uint64_t begin, std::span<float> out) const override;
  void read(Field field, std::uint64_t begin, std::span<double> out) const override;
  std::string identity() const override { return stored_->identity(); }
  void read_mass(std::uint64_t begin, std::span<double> out) const override {
    stored_->read_mass(begin, out);
  }
  void read_id(std::uint64_t begin, std::span<std::uint64_t> out) const override {
    stored_->read_id(begin, out);
  }

 private:
  const Input& input_;
  std::shared_ptr<const StoredPoints> stored_;
};

/// Whether work that needs these bytes in memory goes to disk; if so, says it. Where points fit,
/// nothing changes. The estimate is that of the arrays: allocators, buffers and libraries come on
/// top, and a limit that was given is kept.
bool goes_to_disk(double bytes, const Session& session);
void say_disk(double bytes, Session& session);
/// Throws Error (invalid_argument): "--picture needs" all particles in memory.
[[noreturn]] void refuse_disk(const char* what);

DiskOptions disk_options(const Session& session);
void report_disk(const DiskUse& used, Session& session);

/// The value that sorting would put at place n.
double nth_value(const ResultRows& values, std::uint64_t n);

/// Rows that read(begin, memory) brings.
template <class T, class Read>
class ReadRows : public RowSource {
 public:
  ReadRows(std::size_t width, Read read) : width_(width), read_(std::move(read)) {}
  const void* read(std::size_t begin, std::size_t rows) override {
    piece_.resize(rows * width_);
    read_(begin, std::span<T>(piece_));
    return piece_.data();
  }

 private:
  std::size_t width_;
  Read read_;
  std::vector<T> piece_;
};
/// The array with rows from there.
template <class T, class Read>
ResultRows read_rows(ResultArray array, Read read) {
  ResultRows rows{std::move(array)};
  rows.source = std::make_shared<ReadRows<T, Read>>(rows.width, std::move(read));
  return rows;
}
template <class T, class Read>
ResultRows read_rows(const char* name, std::size_t rows, Read read) {
  return read_rows<T>(result_array<T>(name, nullptr, rows), std::move(read));
}

}  // namespace kith::cli
