// The options of a call that must be the same on all ranks. Ranks compare one number; only if it
// differs do they look for the option.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kith::mpi {

class SameOptions {
 public:
  /// Names are literals. `text` is a literal, too: a choice by its name.
  void add(const char* name, std::uint64_t value);
  void add(const char* name, double value);
  void add(const char* name, const char* text);
  /// Numbers that messages do not show: those of a list, or a choice.
  void add_unshown(const char* name, std::uint64_t value);
  void add_unshown(const char* name, std::span<const double> values);

  /// Of all values; different with near certainty where one differs.
  std::uint64_t print() const { return print_; }

  /// An option as it is sent.
  enum class Kind : std::uint32_t { none, number, real, text, unshown };
  struct Option {
    char name[28] = "";
    Kind kind = Kind::none;
    std::uint64_t bits = 0;
    char text[24] = "";
  };
  /// More are not named.
  static constexpr std::size_t kMost = 24;
  using Options = std::array<Option, kMost>;

  const Options& all() const { return options_; }
  /// Throws an Error that names the first option that differs from that of rank 0, if there is one.
  void compare(const char* call, const Options& first) const;

 private:
  Option& next(const char* name, Kind kind, std::uint64_t bits);

  Options options_;
  std::size_t count_ = 0;
  Option beyond_;  ///< takes what finds no place
  std::uint64_t print_ = 0xcbf29ce484222325;
};

}  // namespace kith::mpi
