// The snapshot that a command works on: which particles, read how, in which box.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/io/results.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/sky.hpp>
#include <kith/tree.hpp>

#include "command.hpp"
#include "input_options.hpp"
#include "numbers.hpp"
#include "ranks.hpp"
#include "unit_text.hpp"

namespace kith::cli {

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
  bool is_sky() const { return !options_.file.sky_columns.empty(); }
  /// A length as searches take it: on the sky, the chord of an angle in degrees.
  double length(double given) const { return is_sky() ? sky::chord(given) : given; }
  NonFinite non_finite() const;
  const std::vector<int>& types() const { return types_; }
  void choose(std::vector<int> types);  ///< Throws for types that the file does not have.
  /// As a result says that it was done. Throws for types that the file does not have.
  void use(const ResultAbout& about);
  void read_all() { reads_all_ = true; }  ///< on every rank; otherwise each has its share
  std::uint64_t size() const { return snapshot_.size(types_); }
  std::uint64_t size_of(int type) const;
  std::uint64_t own_size_of(int type) const;  ///< of those that this rank reads
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
  /// Linking lengths as searches take them, from the column that was named.
  std::vector<double> lengths(const Execution& execution) const;
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
  /// Checks that it can be written and is not an input; the same for its parts, if there are
  /// several files.
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

/// Opens the snapshot on every rank and checks it; an error on one is an error on all.
Input open_input(const InputOptions& options, const std::function<void(const Input&)>& check);

/// Makes these points of this rank and those of the others the ones that are searched.
void take_points(const Input& input, const Numbers& positions, const Session& session);
/// Reads them first.
void take_points(const Input& input, const Session& session);

}  // namespace kith::cli
