// Objects through time: matching by the IDs of their members.
#include <kith/match.hpp>

#include "call.hpp"
#include "match_arguments.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

std::pair<Columns<nb::any>, Columns<nb::any>> match_of(const Ids& id_a, const Labels& label_a,
                                                       const Ids& id_b, const Labels& label_b,
                                                       const nb::dict& given, const Call& call) {
  const MatchOptions options = match_options(given);
  return columns_of(run(call, [&](const Execution& e) {
    return match(labeled(id_a, label_a), labeled(id_b, label_b), options, e);
  }));
}

}  // namespace

void bind_histories(nb::module_& module) { module.def("match", &match_of); }

}  // namespace kith::python
