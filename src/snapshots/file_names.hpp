// Parts of the names of files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kith::io {

/// ".hdf5" or ".h5"; empty for other names.
std::string_view hdf5_ending(std::string_view name);

/// "snap.3.hdf5" is number 3; none for names without a number there.
std::optional<std::uint64_t> number_in(std::string_view name, std::string_view ending);

}  // namespace kith::io
