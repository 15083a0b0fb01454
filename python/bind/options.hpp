// Options from a dictionary: the Python code hands over what its caller gave, by the names of the
// C++ structs.
#pragma once

#include <initializer_list>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>
#include <type_traits>
#include <utility>

#include <kith/box.hpp>

namespace kith::python {

namespace nb = nanobind;

/// Raises kith's TypeError.
[[noreturn]] void raise_type_error(const std::string& message);

/// The values that an option of this type accepts, for messages.
template <class T>
constexpr const char* wanted_for() {
  if constexpr (std::is_same_v<T, bool>)
    return "True or False";
  else if constexpr (std::is_integral_v<T>)
    return "a whole number of 0 or more";
  else if constexpr (std::is_floating_point_v<T>)
    return "a number";
  else if constexpr (std::is_same_v<T, std::string>)
    return "a word";
  else if constexpr (std::is_same_v<T, Box>)
    return "a box";
  else
    return "a sequence of numbers";
}

/// Reads options by name; an option that is not read is an error, so that none is lost by mistake.
class Options {
 public:
  explicit Options(const nb::dict& given) : given_(given) {}

  /// Leaves the default where nothing, or None, was given.
  template <class T>
  void operator()(const char* name, T& value) {
    const nb::object item = take(name);
    if (item.is_valid() && !nb::try_cast(item, value)) fail_type(name, item, wanted_for<T>());
  }

  /// One of several values, each with its word.
  template <class Enum>
  void choice(const char* name, Enum& value,
              std::initializer_list<std::pair<const char*, Enum>> words) {
    std::string word;
    (*this)(name, word);
    if (word.empty()) return;
    std::string known;
    for (const auto& [candidate, meaning] : words) {
      if (word == candidate) {
        value = meaning;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(candidate);
    }
    fail_word(name, word, known);
  }
  /// Of values that have names.
  template <class Enum>
  void choice(const char* name_of_option, Enum& value, std::initializer_list<Enum> values) {
    std::string word, known;
    (*this)(name_of_option, word);
    if (word.empty()) return;
    for (const Enum candidate : values) {
      if (word == name(candidate)) {
        value = candidate;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(name(candidate));
    }
    fail_word(name_of_option, word, known);
  }

  void expect_no_more() const;

 private:
  nb::object take(const char* name);
  [[noreturn]] static void fail_type(const char* name, const nb::object& item, const char* wanted);
  [[noreturn]] static void fail_word(const char* name, const std::string& word,
                                     const std::string& known);

  const nb::dict& given_;
  std::size_t read_ = 0;
};

}  // namespace kith::python
