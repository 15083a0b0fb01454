// Text and bytes as parts of SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace kith::io {

/// Letters that mean something to XML, as entities; what XML cannot hold (control characters, bytes
/// that are not UTF-8) becomes U+FFFD.
std::string escaped(std::string_view text);

std::string base64(std::string_view bytes);

}  // namespace kith::io
