#include "base/format.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace kith {

std::string formatted_values(std::string_view pattern, std::initializer_list<FormatValue> values) {
  using Kind = FormatValue::Kind;
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const FormatValue& value : values) {
    switch (value.kind) {
      case Kind::integer: arguments.push_back(value.number.integer); break;
      case Kind::natural: arguments.push_back(value.number.natural); break;
      case Kind::boolean: arguments.push_back(value.number.natural != 0); break;
      case Kind::letter: arguments.push_back(value.number.letter); break;
      case Kind::float32: arguments.push_back(value.number.float32); break;
      case Kind::float64: arguments.push_back(value.number.float64); break;
      case Kind::text: arguments.push_back(fmt::string_view(value.text.data(), value.text.size()));
    }
  }
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), arguments);
}

}  // namespace kith
