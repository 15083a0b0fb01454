// Text and labels as parts of HTML pages that hold drawings (Drawing::svg), and such pages as
// files.
#pragma once

#include <string>
#include <string_view>

#include <kith/export.hpp>

namespace kith {

/// Text from anywhere as part of a page: letters that mean something there as entities, what XML
/// cannot hold (control characters, bytes that are not UTF-8) as U+FFFD.
KITH_API std::string html_text(std::string_view text);

/// A label as part of a page: `^{...}` and `_{...}` as <sup> and <sub>, everything else as text.
KITH_API std::string html_label(std::string_view label);

/// Writes a page that exists as text, under its name only when it is complete. Errors: io.
KITH_API void write_page(const std::string& path, std::string_view text);

}  // namespace kith
