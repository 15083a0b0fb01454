// Structs of numbers whose fields are listed once: the list adds up two of them, and turns one into
// a row of numbers for another rank or from a device.
//
// T::for_each_field(f, objects...) calls f(fold, the field of each object) for every field of T: a
// number, or a vector of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace kith {

// How a field of two objects becomes one.
struct Added {
  template <class Number>
  void operator()(Number& to, const Number& more) const {
    to += more;
  }
};
struct Least {
  template <class Number>
  void operator()(Number& to, const Number& more) const {
    to = std::min(to, more);
  }
};
struct Most {
  template <class Number>
  void operator()(Number& to, const Number& more) const {
    to = std::max(to, more);
  }
};
/// A vector of any length, which the other's is appended to; all other vectors keep their length.
struct Appended {
  template <class Number>
  void operator()(std::vector<Number>& to, const std::vector<Number>& more) const {
    to.insert(to.end(), more.begin(), more.end());
  }
};
/// Not part of a sum.
struct Kept {
  template <class Number>
  void operator()(Number&, const Number&) const {}
};

template <class T>
void add_fields(T& to, const T& more) {
  T::for_each_field(
      []<class Fold, class Field>(Fold fold, Field& a, const Field& b) {
        if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field> ||
                      std::is_same_v<Fold, Appended>)
          fold(a, b);
        else
          for (std::size_t i = 0; i < a.size(); ++i) fold(a[i], b[i]);
      },
      to, more);
}

/// Appends the fields as numbers; integers must be below 2^53.
template <class T>
void put_fields(const T& from, std::vector<double>& row) {
  T::for_each_field(
      [&]<class Fold, class Field>(Fold, const Field& field) {
        if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) {
          row.push_back(static_cast<double>(field));
        } else {
          if constexpr (std::is_same_v<Fold, Appended>)
            row.push_back(static_cast<double>(field.size()));
          for (const auto& value : field) row.push_back(static_cast<double>(value));
        }
      },
      from);
}

/// Sets the fields from such a row; vectors that are not appended have their length already.
/// Returns the end of the row.
template <class T>
const double* get_fields(const double* row, T& to) {
  T::for_each_field(
      [&]<class Fold, class Field>(Fold, Field& field) {
        if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) {
          field = static_cast<Field>(*row++);
        } else {
          if constexpr (std::is_same_v<Fold, Appended>)
            field.resize(static_cast<std::size_t>(*row++));
          for (auto& value : field) value = static_cast<typename Field::value_type>(*row++);
        }
      },
      to);
  return row;
}

}  // namespace kith
