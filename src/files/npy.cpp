#include "files/npy.hpp"

#include <array>
#include <charconv>

#include "base/fail.hpp"
#include "files/input_bytes.hpp"

namespace kith::io {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

/// The dictionary in the header: a literal of Python, of which the three keys that NumPy writes are
/// read.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  /// The text after 'key':, without leading spaces.
  std::string_view value(std::string_view key) const {
    const std::string quoted = formatted("'{}'", key);
    const std::size_t found = text_.find(quoted);
    if (found == std::string_view::npos) damaged();
    std::string_view rest = without_spaces(text_.substr(found + quoted.size()));
    if (!rest.starts_with(':')) damaged();
    return without_spaces(rest.substr(1));
  }

  std::string_view quoted(std::string_view key) const {
    const std::string_view rest = value(key);
    const std::size_t end = rest.find('\'', 1);
    if (!rest.starts_with('\'') || end == std::string_view::npos)
      fail(ErrorCode::io, "{}: is an array of records or objects; give one of plain numbers",
           where_);
    return rest.substr(1, end - 1);
  }

  bool truth(std::string_view key) const {
    const std::string_view rest = value(key);
    if (!rest.starts_with("True") && !rest.starts_with("False")) damaged();
    return rest.starts_with("True");
  }

  std::vector<std::uint64_t> tuple(std::string_view key) const {
    std::string_view rest = value(key);
    if (!rest.starts_with('(')) damaged();
    rest = without_spaces(rest.substr(1));
    std::vector<std::uint64_t> result;
    while (!rest.starts_with(')')) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || result.size() == 8) damaged();
      result.push_back(number);
      rest = without_spaces(rest.substr(static_cast<std::size_t>(end - rest.data())));
      if (rest.starts_with(','))
        rest = without_spaces(rest.substr(1));
      else if (!rest.starts_with(')'))
        damaged();
    }
    return result;
  }

  [[noreturn]] void damaged() const {
    fail(ErrorCode::io, "{}: the NumPy header is damaged", where_);
  }

 private:
  static std::string_view without_spaces(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }

  std::string_view text_;
  const std::string& where_;
};

Stored stored_of(std::string_view description, const std::string& where) {
  constexpr std::array<std::pair<std::string_view, Number>, 11> kKinds = {{{"i1", Number::i8},
                                                                           {"u1", Number::u8},
                                                                           {"i2", Number::i16},
                                                                           {"u2", Number::u16},
                                                                           {"i4", Number::i32},
                                                                           {"u4", Number::u32},
                                                                           {"i8", Number::i64},
                                                                           {"u8", Number::u64},
                                                                           {"f2", Number::f16},
                                                                           {"f4", Number::f32},
                                                                           {"f8", Number::f64}}};
  for (const auto& [kind, number] : kKinds)
    if (description.size() == 3 && description.substr(1) == kind &&
        std::string_view("<>|=").find(description[0]) != std::string_view::npos)
      return {number, description[0] == '>'};
  fail(ErrorCode::io,
       "{}: holds numbers of type '{}'; integers and floats of 1 to 8 bytes are read", where,
       description.substr(0, 20));
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    result |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return result;
}

}  // namespace

bool is_npy(std::string_view beginning) { return beginning.starts_with(kMagic); }

NpyHeader parse_npy(std::string_view beginning, const std::string& where) {
  if (!is_npy(beginning) || beginning.size() < 12)
    fail(ErrorCode::io, "{}: is not a NumPy array: the first bytes are wrong", where);
  const int version = static_cast<unsigned char>(beginning[6]);
  if (version < 1 || version > 3)
    fail(ErrorCode::io, "{}: is a NumPy array of version {}; 1 to 3 are read", where, version);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  const std::size_t length = little_endian(beginning.substr(8, length_bytes));
  if (length > beginning.size() - begin)
    fail_cut_off(where, beginning.size(), begin + length, Whole::at_least);
  const Dictionary dictionary(beginning.substr(begin, length), where);
  NpyHeader header;
  header.stored = stored_of(dictionary.quoted("descr"), where);
  header.is_fortran_order = dictionary.truth("fortran_order");
  header.shape = dictionary.tuple("shape");
  header.bytes = begin + length;
  return header;
}

std::string npy_header(Number number, const std::vector<std::uint64_t>& shape) {
  const char kind = number >= Number::f16 ? 'f' : static_cast<int>(number) % 2 == 0 ? 'i' : 'u';
  std::string text = formatted("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': (",
                               bytes_of(number) == 1 ? '|' : '<', kind, bytes_of(number));
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += formatted("{}{}", axis == 0 ? "" : ", ", shape[axis]);
  text += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t kPrefix = 10;  // magic, version, and the length of the text
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header = std::string(kMagic) + std::string("\x01\x00", 2);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace kith::io
