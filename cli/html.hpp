// Text for HTML pages and for the scripts inside them.
#pragma once

#include <string>

namespace kith::cli {

/// Text from anywhere as part of a page: `<`, `&` and quotes as entities; what XML cannot hold
/// (control characters, bytes that are not UTF-8) as U+FFFD.
std::string html_text(const std::string& text);

/// A label as part of a page: `^{...}` and `_{...}` as <sup> and <sub>, everything else as text.
std::string html_label(const std::string& label);

/// A text as a string of JSON inside a <script> element: nothing in it ends the element.
std::string script_text(const std::string& text);

/// Bytes in the letters of a data URL.
std::string base64(const std::string& bytes);

}  // namespace kith::cli
