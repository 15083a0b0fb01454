// Headers that most files of the program include: compiled once, see KITH_PRECOMPILED.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>
#include <kith/sample.hpp>
