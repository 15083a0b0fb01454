// In place of xla.cpp where jaxlib's headers were not found.
#include "module.hpp"

namespace kith::python {

void bind_xla(nanobind::module_& module) { module.attr("xla_handlers") = nanobind::none(); }

}  // namespace kith::python
