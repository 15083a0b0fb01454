// A process that works alone, as the only rank.
#pragma once

#include <memory>

#include <kith/detail/ranks.hpp>

namespace kith::cli {

std::unique_ptr<Ranks> one_rank();

}  // namespace kith::cli
