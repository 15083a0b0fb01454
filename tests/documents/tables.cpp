// Prints the tables of columns and facts as the documents have them.
// Usage: document_tables definitions | names | facts
#include <cstdio>
#include <string>
#include <string_view>

#include <kith/detail/catalogue_columns.hpp>
#include <kith/io/result_facts.hpp>

namespace kith {
namespace {

std::string unit_of(const UnitPowers& unit) {
  std::string text;
  for (const auto& [word, power] :
       {std::pair("mass", unit.mass), {"length", unit.length}, {"velocity", unit.velocity}}) {
    if (power == 0) continue;
    if (!text.empty()) text += " · ";
    text += word;
    if (power == 2) text += "²";
  }
  return text;
}

void print_definitions() {
  std::puts("| field | definition | unit |\n|---|---|---|");
  for (const CatalogueColumn& column : catalogue_columns())
    if (column.definition)
      std::printf("| `%s` | %s | %s |\n", column.name, column.definition,
                  unit_of(column.unit).c_str());
}

std::string code(const char* name) {
  std::string text = "`";
  text += name;
  text += '`';
  return text;
}

std::string name_in(const GadgetName& name) {
  if (!name.name) return "";
  const std::string text = code(name.name);
  switch (name.convention) {
    case Convention::same: return text;
    case Convention::times_scale_factor: return text + ", times the scale factor";
    case Convention::one_axis: return text + ", of one axis";
  }
  return text;
}

void print_names() {
  std::puts("| kith's name | gadget: `Group/` | gadget: `Subhalo/` | swift: `Groups/` |");
  std::puts("|---|---|---|---|");
  for (const CatalogueColumn& column : catalogue_columns())
    std::printf("| `%s` | %s | %s | %s |\n", column.name, name_in(column.group).c_str(),
                name_in(column.subhalo).c_str(), column.swift ? code(column.swift).c_str() : "");
}

std::string kinds_of(unsigned kinds) {
  std::string text;
  for (const ResultKind kind :
       {ResultKind::fof, ResultKind::subhalos, ResultKind::knn, ResultKind::radius,
        ResultKind::density, ResultKind::clusters, ResultKind::match})
    if (kinds & bit_of(kind)) text += (text.empty() ? "" : ", ") + std::string(name(kind));
  return (kinds & kEveryResult) == kEveryResult ? "all" : text;
}

void print_facts() {
  std::puts("| fact | results | meaning |\n|---|---|---|");
  ResultAbout about;
  for_each_fact(about, [](const ResultFact& fact, const auto&) {
    std::printf("| `%s` | %s | %s |\n", fact.name, kinds_of(fact.kinds).c_str(), fact.meaning);
  });
}

}  // namespace
}  // namespace kith

int main(int count, char** arguments) {
  const std::string_view table = count == 2 ? arguments[1] : "";
  if (table == "definitions") return kith::print_definitions(), 0;
  if (table == "names") return kith::print_names(), 0;
  if (table == "facts") return kith::print_facts(), 0;
  return 2;
}
