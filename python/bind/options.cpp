#include "options.hpp"

namespace kith::python {

nb::object Options::take(const char* name) {
  PyObject* item = PyDict_GetItemString(given_.ptr(), name);
  if (!item) return {};
  ++read_;
  return item == Py_None ? nb::object() : nb::borrow(item);
}

void Options::fail_type(const char* name, const nb::object& item) {
  const std::string shown = nb::cast<std::string>(nb::repr(item));
  throw nb::type_error((std::string(name) + " = " + shown + " has the wrong type").c_str());
}

void Options::fail_word(const char* name, const std::string& word, const std::string& known) {
  throw nb::value_error((std::string(name) + " = '" + word + "'; there are: " + known).c_str());
}

void Options::expect_no_more() const {
  if (read_ != given_.size()) throw nb::type_error("this call does not have one of these options");
}

}  // namespace kith::python
