// The snapshot that a command works on: which particles, read how, in which box.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/results.hpp>
#include <kith/snapshot.hpp>
#include <kith/tree.hpp>

#include "command.hpp"
#include "ranks.hpp"

namespace kith::cli {

/// How the user describes it.
struct InputOptions {
  std::string path;
  std::vector<int> types;  ///< none = the command's own choice
  std::string box;         ///< as written: "100", "100,100,50", "open"; empty = the file's
  std::string origin;
  std::string scalar;  ///< empty = as stored
  std::string non_finite = "error";
  bool wrap = false;  ///< points far outside of the box are meant to be wrapped into it
  SnapshotOptions file;
  std::string units;      ///< as written: "kpc/h,1e10 Msun/h,km/s"; empty = the file's
  std::string cosmology;  ///< as written: "omega_m=0.3,h=0.7"; empty = the file's
  std::string redshift;   ///< likewise
};
/// The file itself, and what it may not say; then also in which box and which numbers.
void add_source(Command command, InputOptions& options);
void add_input(Command command, InputOptions& options);
void add_types(Command command, InputOptions& options);

/// Numbers in memory, in one of two types.
class Numbers {
 public:
  Numbers() = default;
  Numbers(Scalar scalar, std::size_t count);
  Scalar scalar() const { return scalar_; }
  std::size_t count() const { return count_; }
  float* floats() { return static_cast<float*>(data_.get()); }
  double* doubles() { return static_cast<double*>(data_.get()); }
  PointsView rows(int dimension) const;
  ValuesView values() const { return {data_.get(), count_, scalar_}; }
  double operator[](std::size_t i) const;
  void set(std::size_t i, double number);

 private:
  Scalar scalar_ = Scalar::float32;
  std::size_t count_ = 0;
  std::shared_ptr<void> data_;
};

/// A snapshot and the particles of it that are wanted, types ascending.
class Input {
 public:
  explicit Input(const InputOptions& options);

  const InputOptions& options() const { return options_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const SnapshotInfo& info() const { return snapshot_.info(); }
  double given_mass() const { return options_.file.mass; }  ///< 0 = the file's own
  const Box& box() const { return box_; }
  Scalar scalar() const { return scalar_; }
  int dimension() const { return info().dimension; }
  NonFinite non_finite() const;
  const std::vector<int>& types() const { return types_; }
  void choose(std::vector<int> types);  ///< Throws for types that the file does not have.
  /// As a result says that it was done. Throws for types that the file does not have.
  void use(const ResultAbout& about);
  void read_all() { reads_all_ = true; }  ///< on every rank; otherwise each has its share
  std::uint64_t size() const { return snapshot_.size(types_); }
  std::uint64_t size_of(int type) const;
  bool has(Field field) const { return snapshot_.has(field, types_); }
  bool has_equal_masses() const;  ///< one number for all

  double position_bytes() const;
  double velocity_bytes() const { return has(Field::velocity) ? position_bytes() : 0; }
  double mass_bytes() const;

  /// Throws if they leave the box by more than 1 % of a side, unless they may.
  Numbers positions(const Execution& execution) const;
  Numbers velocities(const Execution& execution) const;  ///< peculiar
  Numbers masses(const Execution& execution) const;      ///< none if all have the same
  ValuesView mass_values(const Numbers& masses) const;
  std::vector<std::uint64_t> ids(const Execution& execution) const;

  /// Coordinates of rows in short runs from all over the file.
  struct SampledRows {
    std::vector<double> values;
    bool is_complete = false;  ///< all rows of the file
  };
  SampledRows sampled_positions() const;

  ResultAbout about(ResultKind kind) const;
  std::string describe() const;  ///< one line
  void report(Report& report) const;
  /// It can be written, and is not an input; likewise the parts, if it is made of several files.
  void check_output(const std::string& path, int files = 1) const;

 private:
  void center_box();
  Share rows() const { return reads_all_ ? Share{0, size()} : share_of(size()); }

  InputOptions options_;
  Snapshot snapshot_;
  Box box_;
  Scalar scalar_;
  std::vector<int> types_;
  bool reads_all_ = false;
};

/// "100 Mpc/h" or "100 x 100 x 50", or "open".
std::string box_name(const Box& box, int dimension, const Units& units);

/// A file that says itself that it is a result.
bool is_result(const std::string& path);

/// A number in few digits, with its unit.
std::string with_unit(double number, const Units& units, const UnitPowers& powers);

/// " [Mpc/h]", or nothing.
std::string unit_note(const Units& units, const UnitPowers& powers);

}  // namespace kith::cli
