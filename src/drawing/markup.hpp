// Text, numbers and bytes as parts of SVG, HTML and PDF.
#pragma once

#include <string>
#include <string_view>

namespace kith::io {

/// Letters that mean something to XML, as entities; characters that XML cannot hold (control
/// characters, bytes that are not UTF-8) become U+FFFD.
std::string escaped(std::string_view text);

/// At most three decimals, and none that are zero.
std::string decimal(double x);

std::string base64(std::string_view bytes);

}  // namespace kith::io
