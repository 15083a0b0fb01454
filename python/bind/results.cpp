// Catalogues in files.
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <utility>

#include <kith/results.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

ResultAbout about_of(const nb::dict& given) {
  ResultAbout about;
  Options read(given);
  bool is_double = false;
  read("snapshot", about.snapshot);
  read("points", about.points);
  read("dimension", about.dimension);
  read("is_double", is_double);
  read("box", about.box);
  read("linking_length", about.linking_length);
  read("b", about.b);
  read("min_size", about.min_size);
  read("strict", about.strict);
  read.expect_no_more();
  about.scalar = is_double ? Scalar::float64 : Scalar::float32;
  return about;
}

ResultWriteOptions write_options(const nb::dict& given) {
  ResultWriteOptions options;
  Options read(given);
  read.choice("style", options.style, {"automatic", "gadget", "swift", "npz", "csv"});
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

nb::dict about_dict(const ResultAbout& about) {
  nb::dict facts;
  facts["points"] = about.points;
  facts["dimension"] = about.dimension;
  facts["is_double"] = about.scalar == Scalar::float64;
  facts["box"] = about.box;
  facts["linking_length"] = about.linking_length;
  facts["b"] = about.b;
  facts["min_size"] = about.min_size;
  facts["strict"] = about.strict;
  facts["snapshot"] = about.snapshot;
  return facts;
}

nb::object read_catalogue_of(const std::string& path, const Call& call) {
  struct Found {
    ResultAbout about;
    Catalogue catalogue;
    std::vector<std::int32_t> label;
  };
  Found found = run(call, [&](const Execution&) {
    const ResultFile file(path);
    return Found{file.about(), file.catalogue(), file.label()};
  });
  return nb::make_tuple(std::move(found.catalogue), array_of(std::move(found.label)),
                        about_dict(found.about));
}

}  // namespace

void bind_results(nb::module_& module) {
  module.def("write_catalogue", &write_catalogue_of, nb::arg("path"), nb::arg("catalogue"),
             nb::arg("members").none(), nb::arg("label").none(), nb::arg("about"),
             nb::arg("options"), nb::arg("call"));
  module.def("read_catalogue", &read_catalogue_of);
}

}  // namespace kith::python
