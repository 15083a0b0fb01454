#include <kith/ranks.hpp>

namespace kith {

Ranks::~Ranks() = default;

}  // namespace kith
