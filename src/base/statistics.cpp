#include <kith/execution.hpp>

namespace kith {

double Statistics::seconds() const {
  double sum = 0;
  for (const Stage& stage : stages) sum += stage.seconds;
  return sum;
}

double Statistics::seconds(std::string_view name) const {
  double sum = 0;
  for (const Stage& stage : stages)
    if (stage.name == name) sum += stage.seconds;
  return sum;
}

std::uint64_t Statistics::count(std::string_view name) const {
  std::uint64_t sum = 0;
  for (const Count& count : counts)
    if (count.name == name) sum += count.value;
  return sum;
}

}  // namespace kith
