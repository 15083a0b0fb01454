// Headers that nearly all tests include: compiled once, see KITH_PRECOMPILED.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <kith/kith.hpp>

#include "support/property.hpp"
