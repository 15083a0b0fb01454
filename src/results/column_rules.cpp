// The rules that the styles derive from the table of columns.
#include <cmath>
#include <string_view>

#include <kith/detail/catalogue_columns.hpp>

#include "results/columns.hpp"

namespace kith::io {
namespace {

using enum Convention;

/// The sentence beside the data about the change by a convention.
std::string sentence_of(Convention convention) {
  switch (convention) {
    case same: return "";
    case times_scale_factor:
      return " In files of style gadget this is the peculiar velocity times the scale factor, as "
             "in IllustrisTNG; elsewhere the peculiar velocity.";
    case one_axis:
      return " In files of style gadget this is the dispersion along one axis (divided by the "
             "square root of 3), as in "
             "IllustrisTNG.";
  }
  return "";
}

std::string path_of(const char* folder, const char* name) {
  return name ? std::string(folder) + "/" + name : "";
}

ColumnRule rule_of(const CatalogueColumn& column, bool is_subhalo) {
  const GadgetName& gadget = is_subhalo ? column.subhalo : column.group;
  return {.name = (is_subhalo ? "subhalo_" : "") + std::string(column.name),
          .gadget = path_of(is_subhalo ? "Subhalo" : "Group", gadget.name),
          .swift = is_subhalo ? "" : path_of("Groups", column.swift),
          .unit = column.unit,
          .description = column.description + sentence_of(gadget.convention),
          .gadget_convention = gadget.convention};
}

std::vector<ColumnRule> make_rules() {
  std::vector<ColumnRule> rules;
  for (const bool is_subhalo : {false, true})
    for (const CatalogueColumn& column : catalogue_columns())
      if ((is_subhalo ? column.subhalo : column.group).name)
        rules.push_back(rule_of(column, is_subhalo));
  return rules;
}

}  // namespace

std::span<const ColumnRule> column_rules() {
  static const std::vector<ColumnRule> rules = make_rules();
  return rules;
}

const ColumnRule* find_rule(std::string_view name) {
  for (const ColumnRule& rule : column_rules())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string gadget_path(const ColumnRule& rule, const ResultAbout& about) {
  const std::string_view path = rule.gadget;
  const bool is_by_row = path.ends_with("LenType") || path.ends_with("OffsetType");
  if (!is_by_row || !about.sorted_snapshot.empty()) return rule.gadget;
  return std::string(path.substr(0, path.size() - 4)) + "ByType";
}

double factor_of(Convention convention, const ResultAbout& about) {
  switch (convention) {
    case same: return 1;
    case times_scale_factor: return about.background.is_known ? about.background.scale_factor : 1;
    case one_axis: return 1 / std::sqrt(about.dimension);
  }
  return 1;
}

}  // namespace kith::io
