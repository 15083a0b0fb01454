#include "kernels/target.hpp"

#include <cstdlib>
#include <hwy/highway.h>
#include <mutex>

#include "base/fail.hpp"

#ifdef KITH_ONE_TARGET
static_assert(HWY_TARGETS == HWY_STATIC_TARGET, "one target is compiled, and what it needs is on");
#endif

namespace kith {
namespace {

std::once_flag chosen;

std::int64_t usable_targets() {
  hwy::SetSupportedTargetsForTest(0);  // the targets of the CPU, not those forced before
  return hwy::SupportedTargets() & HWY_TARGETS;
}

std::string list_of(std::int64_t targets) {
  std::string list;
  for (; targets != 0; targets &= targets - 1)
    list += (list.empty() ? "" : ", ") + std::string(hwy::TargetName(targets & -targets));
  return list;
}

std::vector<std::string> names_of(std::int64_t targets) {
  std::vector<std::string> names;
  for (; targets != 0; targets &= targets - 1)
    names.emplace_back(hwy::TargetName(targets & -targets));
  return names;
}

/// Restricts Highway's choice to the named target; all of them if there is no name.
void apply(std::string_view name, const char* origin) {
  const std::int64_t usable = usable_targets();
  if (usable == 0)
    refuse("kernels: this CPU has none of {}; kith needs SSE4.2", list_of(HWY_TARGETS));
  std::int64_t wanted = 0;
  for (std::int64_t rest = usable; rest != 0; rest &= rest - 1)
    if (name == hwy::TargetName(rest & -rest)) wanted = rest & -rest;
  if (!name.empty() && wanted == 0)
    refuse("{}: there is no target '{}' here; use one of {}", origin, name, list_of(usable));
  hwy::SetSupportedTargetsForTest(wanted);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void apply_environment() {
  const char* name = std::getenv("KITH_TARGET");
  apply(name ? name : "", "KITH_TARGET");
}

}  // namespace

void choose_target() { std::call_once(chosen, apply_environment); }

std::vector<std::string> available_targets() {
  const std::string before = current_target();
  std::vector<std::string> names = names_of(usable_targets());
  force_target(before);
  return names;
}

std::string current_target() {
  choose_target();
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // the lowest bit is the best target
}

void force_target(std::string_view name) {
  choose_target();
  if (name.empty())
    apply_environment();
  else
    apply(name, "force_target");
}

}  // namespace kith
