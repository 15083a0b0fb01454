// Text files that appear under their names only when they are complete.
#pragma once

#include <string>

namespace kith::cli {

/// Throws Error (io). Devices and pipes are written directly.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace kith::cli
