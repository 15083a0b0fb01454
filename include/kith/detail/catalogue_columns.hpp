// The columns of a catalogue: one table of names, shapes, units and meanings. The computation, the
// writers and readers of all styles, the Python package and the tables in the documents use it.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/detail/unit_powers.hpp>
#include <kith/export.hpp>

namespace kith {

/// The shape of a row of a column.
enum class ColumnShape {
  number,       ///< one number
  vector,       ///< one for each axis
  matrix,       ///< a vector for each axis
  rotation,     ///< three numbers in 3-D, one in 2-D, nothing elsewhere
  per_type,     ///< one for each type; nothing without types
  contaminant,  ///< one number; nothing without contaminating types
};

/// How Gadget-4 and IllustrisTNG convert kith's number.
enum class Convention {
  same,
  times_scale_factor,  ///< velocities of groups
  one_axis,            ///< velocity dispersions of subhalos: over the root of the dimension
};

/// A name in a file of Gadget's style; null if such a file has none.
struct GadgetName {
  const char* name = nullptr;
  Convention convention = Convention::same;
};

/// One column. The writer of a file computes columns that are not fields of Catalogue.
struct CatalogueColumn {
  const char* name;  ///< kith's name: that of the field, in .npz, .csv and Python
  std::variant<std::monostate, std::vector<double> Catalogue::*,
               std::vector<std::int64_t> Catalogue::*, std::vector<std::uint8_t> Catalogue::*>
      values;
  ColumnShape shape;
  UnitPowers unit;
  GadgetName group;         ///< in /Group
  GadgetName subhalo;       ///< in /Subhalo; null: subhalos do not have the column
  const char* swift;        ///< in /Groups; null: not there
  const char* description;  ///< a sentence beside the data
  const char* definition;   ///< how the documents define it; null: nothing beyond the description
};

/// All columns, in the order of the files.
KITH_API std::span<const CatalogueColumn> catalogue_columns();

/// Whether a catalogue without Newton's constant lacks the column.
KITH_API bool needs_gravity(const CatalogueColumn& column);

/// The number of values per row of a column; 0 if this catalogue does not have the column.
KITH_API std::size_t column_width(const CatalogueColumn& column, const Catalogue& catalogue);

/// Calls visit(column, field) for every column that is a field of a catalogue, const or not.
template <class Table, class Visit>
void for_each_column(Table& catalogue, Visit visit) {
  for (const CatalogueColumn& column : catalogue_columns())
    std::visit(
        [&]<class Values>(Values values) {
          if constexpr (!std::is_same_v<Values, std::monostate>) visit(column, catalogue.*values);
        },
        column.values);
}

}  // namespace kith
