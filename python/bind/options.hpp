// Options from a dictionary: the Python code hands over what its caller gave, by the names of the
// C++ structs.
#pragma once

#include <initializer_list>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>

#include <kith/box.hpp>

namespace kith::python {

namespace nb = nanobind;

/// Reads options by name; what nobody reads is an error, so that no option is lost by a slip.
class Options {
 public:
  explicit Options(const nb::dict& given) : given_(given) {}

  /// Leaves the default where nothing, or None, was given.
  template <class T>
  void operator()(const char* name, T& value) {
    const nb::object item = take(name);
    if (item.is_valid() && !nb::try_cast(item, value)) fail_type(name, item);
  }

  /// An enumeration whose values are 0, 1, ... in the order of the words.
  template <class Enum>
  void choice(const char* name, Enum& value, std::initializer_list<const char*> words) {
    std::string word;
    (*this)(name, word);
    if (!word.empty()) value = static_cast<Enum>(position(name, word, words));
  }

  void expect_no_more() const;

 private:
  nb::object take(const char* name);
  [[noreturn]] static void fail_type(const char* name, const nb::object& item);
  static int position(const char* name, const std::string& word,
                      std::initializer_list<const char*> words);

  const nb::dict& given_;
  std::size_t read_ = 0;
};

}  // namespace kith::python
