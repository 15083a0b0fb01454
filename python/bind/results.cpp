// Catalogues in files.
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <kith/io/result_facts.hpp>
#include <kith/io/results.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

/// Facts from a dictionary by their names, as far as they are there.
struct FactTaker {
  Options& read;

  void operator()(const ResultFact&, ResultKind&) const {}  // a catalogue is one of groups
  void operator()(const ResultFact& fact, Scalar& scalar) const {
    read.choice(fact.name, scalar, {{"float32", Scalar::float32}, {"float64", Scalar::float64}});
  }
  template <class T>
  void operator()(const ResultFact& fact, T& field) const {
    read(fact.name, field);
  }
};

ResultAbout about_of(const nb::dict& given) {
  ResultAbout about;
  Options read(given);
  for_each_fact(about, FactTaker{read});
  read.expect_no_more();
  return about;
}

ResultWriteOptions write_options(const nb::dict& given) {
  ResultWriteOptions options;
  Options read(given);
  read.choice("style", options.style,
              {{"automatic", ResultStyle::automatic},
               {"gadget", ResultStyle::gadget},
               {"swift", ResultStyle::swift},
               {"npz", ResultStyle::npz},
               {"csv", ResultStyle::csv}});
  read("compression", options.compression);
  read.expect_no_more();
  return options;
}

using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void write_catalogue_of(const std::string& path, const Catalogue& catalogue, const Members* members,
                        const std::optional<Labels>& label, const nb::dict& about,
                        const nb::dict& options, const Call& call) {
  CatalogueContent content;
  content.about = about_of(about);
  content.catalogue = &catalogue;
  content.members = members;
  if (label) content.label = {label->data(), label->size()};
  const ResultWriteOptions chosen = write_options(options);
  run_work(call, [&](const Execution& e) { write_catalogue(path, content, chosen, e); });
}

struct FactGiver {
  nb::dict& facts;

  void operator()(const ResultFact&, ResultKind) const {}
  void operator()(const ResultFact& fact, Scalar scalar) const {
    facts[fact.name] = scalar == Scalar::float32 ? "float32" : "float64";
  }
  template <class T>
  void operator()(const ResultFact& fact, const T& field) const {
    facts[fact.name] = nb::cast(field);
  }
};

nb::dict about_dict(const ResultAbout& about) {
  nb::dict facts;
  for_each_fact(about, [&](const ResultFact& fact, const auto& field) {
    if (has_fact(about, fact)) FactGiver{facts}(fact, field);
  });
  return facts;
}

std::tuple<Catalogue, ArrayOf<std::int32_t>, nb::typed<nb::dict, nb::str, nb::any>>
read_catalogue_of(const std::string& path, const Call& call) {
  struct Found {
    ResultAbout about;
    Catalogue catalogue;
    std::vector<std::int32_t> label;
  };
  Found found = run(call, [&](const Execution&) {
    const ResultFile file(path);
    return Found{file.about(), file.catalogue(), file.label()};
  });
  return {std::move(found.catalogue), array_of(std::move(found.label)), about_dict(found.about)};
}

}  // namespace

void bind_results(nb::module_& module) {
  module.def("write_catalogue", &write_catalogue_of, nb::arg("path"), nb::arg("catalogue"),
             nb::arg("members").none(), nb::arg("label").none(), nb::arg("about"),
             nb::arg("options"), nb::arg("call"));
  module.def("read_catalogue", &read_catalogue_of);
}

}  // namespace kith::python
