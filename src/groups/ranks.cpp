#include <kith/detail/ranks.hpp>

namespace kith {

Ranks::~Ranks() = default;

}  // namespace kith
