#include <new>

#include <kith/execution.hpp>

#include "base/fail.hpp"

namespace kith {

CancelToken::CancelToken() {
  try {
    stop_ = std::make_shared<std::atomic<bool>>(false);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, "cancel token: out of memory; free some");
  }
}

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
