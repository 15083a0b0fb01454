// The options of a call that must be the same on all ranks. Ranks compare a hash; only if it
// differs do they compare the options.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <kith/box.hpp>
#include <kith/points.hpp>

namespace kith::mpi {

class SameOptions {
 public:
  /// Names are literals. `text` is a literal, too: a choice by its name.
  void add(const char* name, std::uint64_t value);
  void add(const char* name, double value);
  void add(const char* name, const char* text);
  /// Numbers that messages do not contain: those of a list, or a choice.
  void add_unshown(const char* name, std::uint64_t value);
  void add_unshown(const char* name, std::span<const double> values);

  /// The dimension and the type of the points, and the box.
  void add_space(const PointsView& points, const Box& box);

  /// A hash of all values.
  std::uint64_t hash() const { return hash_; }

  /// Wire format of an option.
  enum class Kind : std::uint32_t { none, number, real, text, unshown };
  struct Option {
    char name[28] = "";
    Kind kind = Kind::none;
    std::uint64_t bits = 0;
    char text[24] = "";
  };
  /// Messages do not name others.
  static constexpr std::size_t kMost = 24;
  using Options = std::array<Option, kMost>;

  const Options& all() const { return options_; }
  /// Throws an Error that names the first option that differs from that of rank 0, if there is one.
  void compare(const char* call, const Options& first) const;

 private:
  Option& next(const char* name, Kind kind, std::uint64_t bits);

  Options options_;
  std::size_t count_ = 0;
  Option beyond_;  ///< for options after the first kMost
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace kith::mpi
