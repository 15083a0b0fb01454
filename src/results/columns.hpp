// The columns of a catalogue: kith's names for them, and those of other codes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kith/detail/catalogue_columns.hpp>
#include <kith/detail/result_rows.hpp>

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

/// Null if there is none of that name.
const ResultRows* find_array(std::span<const ResultRows> arrays, std::string_view name);

/// Arrays by kith's names, and the memory of those that were made for the file.
class Columns {
 public:
  std::vector<ResultRows> arrays;

  /// An array in the caller's memory; empty ones are left out. `width`: where there are no rows
  /// here, that of the rows of others, 0 if these do not have the array.
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, std::size_t rows,
           std::optional<std::size_t> width = {}) {
    if (rows > 0) width = values.size() / rows;
    if (width != 0) describe(result_array(name, values.data(), rows, width.value_or(1)));
  }
  /// One that this object keeps.
  template <class T>
  void keep(const std::string& name, std::vector<T> values, std::size_t rows,
            std::size_t width = 1) {
    auto memory = std::make_shared<std::vector<T>>(std::move(values));
    describe(result_array(name, memory->data(), rows, width));
    memory_.push_back(std::move(memory));
  }
  const ResultRows* find(std::string_view name) const { return find_array(arrays, name); }
  /// Arrays of the other object may stay here when it is gone.
  void keep_memory_of(const Columns& other) {
    memory_.insert(memory_.end(), other.memory_.begin(), other.memory_.end());
  }

 private:
  void describe(const ResultArray& array);
  std::vector<std::shared_ptr<void>> memory_;
};

/// Where the groups and subhalos of this process are among those of all; by default it has all.
struct TablePart {
  std::int64_t groups_before = 0, subhalos_before = 0;
  std::vector<std::int64_t> size_before = {};  ///< members of each type in the groups before
  // The group of the first subhalo here, if it begins on a process before.
  std::int64_t lead_subhalos = 0;              ///< those of it there
  std::vector<std::int64_t> lead_offset = {};  ///< where the next one begins, for each type
  // Subhalos of the last group here that are on processes behind.
  std::int64_t tail_subhalos = 0, tail_first = -1;
  /// The width of each column of for_each_column, if any process has a row; 0: no process has the
  /// column.
  std::vector<std::int64_t> group_width = {}, subhalo_width = {};
  /// Members of each type in each subhalo, if these have no members; see CatalogueShare.
  std::span<const std::int64_t> subhalo_type_size = {};
};

/// All columns of groups and of subhalos; points are not among them. `types` columns for each type.
Columns table_columns(const CatalogueContent& content, std::size_t types,
                      const TablePart& part = {});

/// Members of each type in each group, in columns for this many types; empty: unknown.
std::vector<std::int64_t> group_type_sizes(const CatalogueContent& content, std::size_t types);
std::vector<std::int64_t> subhalo_type_sizes(const CatalogueContent& content, std::size_t types,
                                             std::span<const std::int64_t> known);

// Columns in the numbers of Gadget's style: counts have 32 bits where that is enough for all rows,
// as in other codes; places in files have 64.
bool may_be_narrow(const ResultArray& array);
bool fits_int32(const ResultArray& array);
std::vector<std::int32_t> narrowed(const ResultArray& array);
std::vector<double> scaled(const ResultArray& array, double factor);

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
