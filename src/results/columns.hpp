// The columns of a catalogue: kith's names for them, and those of other codes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kith/catalogue_columns.hpp>
#include <kith/results.hpp>

namespace kith::io {

/// The names of a column in files of other codes' styles; empty: it is left out there.
struct ColumnRule {
  std::string name;    ///< kith's own; of subhalos with subhalo_ in front
  std::string gadget;  ///< path
  std::string swift;
  UnitPowers unit;
  std::string description;
  Convention gadget_convention = Convention::same;
};

/// Those of groups, then those of subhalos.
std::span<const ColumnRule> column_rules();
/// Null if there is none of that name.
const ColumnRule* find_rule(std::string_view name);

/// The path of a column in a catalogue of Gadget's style. Counts and offsets by type get the names
/// that readers know only if a sorted snapshot was written with them; otherwise a reader would
/// silently take wrong particles.
std::string gadget_path(const ColumnRule& rule, const ResultAbout& about);

/// The factor from kith's value to the style's.
double factor_of(Convention convention, const ResultAbout& about);

/// Arrays by kith's names, and the memory of those that were made for the file.
class Columns {
 public:
  std::vector<ResultArray> arrays;

  /// An array in the caller's memory; empty ones are left out.
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, std::size_t rows) {
    if (rows == 0 || !values.empty())
      describe(result_array(name, values.data(), rows, rows == 0 ? 1 : values.size() / rows));
  }
  /// One that this object keeps.
  template <class T>
  void keep(const std::string& name, std::vector<T> values, std::size_t rows,
            std::size_t width = 1) {
    auto memory = std::make_shared<std::vector<T>>(std::move(values));
    describe(result_array(name, memory->data(), rows, width));
    memory_.push_back(std::move(memory));
  }
  const ResultArray* find(std::string_view name) const;

 private:
  void describe(ResultArray array);
  std::vector<std::shared_ptr<void>> memory_;
};

/// All columns of groups and of subhalos; points are not among them. `types` columns for each type.
Columns table_columns(const CatalogueContent& content, std::size_t types);

/// The points by group and, where there are subhalos, inside a group by subhalo, the rest of the
/// group behind them.
std::vector<std::uint32_t> order_of(const CatalogueContent& content);

/// A type's slice of the points.
struct TypeSlice {
  int type = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::vector<TypeSlice> slices_of(const ResultAbout& about);

/// How many numbers of types a catalogue of Gadget's kind has.
std::size_t type_numbers_of(const ResultAbout& about);

}  // namespace kith::io
