// Which particles make groups and which join them, by the options or by the rules of the library.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/io/particle_roles.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// "none", or numbers.
std::vector<int> parsed_types(const char* option, const std::vector<std::string>& words) {
  std::vector<int> types;
  if (words.size() == 1 && words[0] == "none") return types;
  for (const std::string& word : words) {
    int type = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), type);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: {} is not a type; give numbers, or none", option, printable(word)));
    types.push_back(type);
  }
  return types;
}

/// Contaminating particles are matter of the groups that they join, and a sign that those groups
/// are not to be trusted.
void choose_contaminating(const GroupRequest& request, const std::vector<int>& present,
                          TypeRoles& roles) {
  if (!request.contaminating_types.empty()) {
    for (const int type : roles.contaminating) std::erase(roles.attached, type);
    roles.contaminating = parsed_types("--contaminating-types", request.contaminating_types);
  }
  for (const int type : roles.contaminating) {
    if (!contains(present, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--contaminating-types: the file has no particles of type {}", type));
    if (!roles.is_linked(type) && !contains(roles.attached, type)) roles.attached.push_back(type);
  }
  std::sort(roles.attached.begin(), roles.attached.end());
}

TypeRoles default_roles(const Input& input, const Execution& execution) {
  const ParticleRoles roles = particle_roles(input.snapshot(), {}, execution);
  return {roles.linked, roles.attached, roles.contaminating};
}

}  // namespace

bool TypeRoles::is_linked(int type) const { return contains(linked, type); }

TypeRoles type_roles(const GroupRequest& request, const Input& input, const Execution& execution) {
  const bool is_default = request.link_types.empty() && request.attach_types.empty();
  TypeRoles roles =
      is_default ? default_roles(input, execution)
                 : TypeRoles{.linked = request.link_types,
                             .attached = parsed_types("--attach-types", request.attach_types),
                             .contaminating = {}};
  std::vector<int> present;
  for (const SnapshotType& type : input.info().type) present.push_back(type.type);
  if (roles.linked.empty())
    std::copy_if(present.begin(), present.end(), std::back_inserter(roles.linked),
                 [&](int type) { return !contains(roles.attached, type); });
  for (const int type : roles.attached)
    if (roles.is_linked(type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("type {} is both linked and attached; choose one", type));
  choose_contaminating(request, present, roles);
  return roles;
}

}  // namespace kith::cli
