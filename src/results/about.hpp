// The metadata of a result, as named facts: attributes in HDF5, lines of text elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <kith/io/results.hpp>

namespace kith::io {

struct Fact {
  std::string name;
  std::variant<std::string, double, std::int64_t, std::vector<double>, std::vector<std::int64_t>>
      value;
};

std::vector<Fact> facts_of(const ResultAbout& about);

/// The source of facts; a missing fact gives an empty value.
class FactSource {
 public:
  virtual ~FactSource() = default;
  virtual std::optional<std::string> text(const std::string& name) const = 0;
  virtual std::optional<std::vector<double>> numbers(const std::string& name) const = 0;
};

/// Errors: io, naming `where`, for facts that are missing or make no sense.
ResultAbout about_of(const FactSource& source, const std::string& where);

/// One fact a line: "name = value"; lists with commas.
std::string lines_of(std::span<const Fact> facts);

/// Such lines, read again.
class FactLines : public FactSource {
 public:
  explicit FactLines(const std::string& text);
  std::optional<std::string> text(const std::string& name) const override;
  std::optional<std::vector<double>> numbers(const std::string& name) const override;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace kith::io
