#include "options.hpp"

#include <kith/error.hpp>

namespace kith::python {

nb::object Options::take(const char* name) {
  PyObject* item = PyDict_GetItemString(given_.ptr(), name);
  if (!item) return {};
  ++read_;
  return item == Py_None ? nb::object() : nb::borrow(item);
}

void Options::fail_type(const char* name, const nb::object& item, const char* wanted) {
  raise_type_error(std::string(name) + " = " + nb::cast<std::string>(nb::repr(item)) + "; give " +
                   wanted);
}

void Options::fail_word(const char* name, const std::string& word, const std::string& known) {
  throw Error(ErrorCode::invalid_argument,
              std::string(name) + " = '" + word + "'; there are: " + known);
}

void Options::expect_no_more() const {
  if (read_ != given_.size())
    raise_type_error("options: this call does not have one of " +
                     nb::cast<std::string>(nb::repr(given_.keys())) + "; leave it out");
}

void raise_type_error(const std::string& message) {
  const nb::object type = nb::module_::import_("kith._errors").attr("ArgumentTypeError");
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

}  // namespace kith::python
