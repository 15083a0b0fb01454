// Text in UTF-8, valid or not.
#pragma once

#include <string>
#include <string_view>

namespace kith::io {

/// Bytes of the first character, or 0 if the text does not begin with one (RFC 3629: neither
/// surrogates nor longer forms than needed).
std::size_t first_character(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with U+FFFD for every byte that is not part of a character: names of files may hold any
/// bytes.
std::string as_utf8(std::string_view text);

}  // namespace kith::io
