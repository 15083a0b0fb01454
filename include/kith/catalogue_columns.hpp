// The columns of a catalogue: one table of names, shapes, units and words. Writers and readers of
// every style, the Python package and the tables in the documents are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/export.hpp>
#include <kith/results.hpp>

namespace kith {

/// What stands in a row of a column.
enum class ColumnShape {
  number,       ///< one number
  vector,       ///< one for each axis
  matrix,       ///< a vector for each axis
  rotation,     ///< three numbers in 3-D, one in 2-D, nothing elsewhere
  per_type,     ///< one for each type; nothing without types
  contaminant,  ///< one number; nothing without contaminating types
};

/// What the convention of Gadget-4 and IllustrisTNG makes of kith's number.
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

/// One column. Those without a field of Catalogue are made from others by whoever writes a file.
struct CatalogueColumn {
  const char* name;  ///< kith's own: that of the field, in .npz, .csv and Python
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

/// In the order in which files have them.
KITH_API std::span<const CatalogueColumn> catalogue_columns();

/// How many numbers a row of a column has; 0 if such a catalogue does not have the column.
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
