// Which particles make groups and which join them, by the options or by the rules of the library.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/particle_roles.hpp>

#include "groups.hpp"

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

}  // namespace

/// Without options by the rules of the library.
void GroupRun::choose_roles() {
  const bool is_default = request_.link_types.empty() && request_.attach_types.empty();
  ParticleRoles roles;
  if (is_default) roles = particle_roles(input_.snapshot(), {}, session_.execution());
  std::vector<int> present;
  for (const SnapshotType& type : input_.info().type) present.push_back(type.type);
  link_types_ = is_default ? roles.linked : request_.link_types;
  attach_types_ =
      is_default ? roles.attached : parsed_types("--attach-types", request_.attach_types);
  if (link_types_.empty())
    std::copy_if(present.begin(), present.end(), std::back_inserter(link_types_),
                 [&](int type) { return !contains(attach_types_, type); });
  for (const int type : attach_types_)
    if (contains(link_types_, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("type {} is both linked and attached; choose one", type));
  choose_contaminating(present, roles);
  std::vector<int> all = link_types_;
  all.insert(all.end(), attach_types_.begin(), attach_types_.end());
  input_.choose(std::move(all));
}

bool GroupRun::is_linked(int type) const { return contains(link_types_, type); }

/// Contaminating particles are matter of the groups that they join, and a sign that those groups
/// are not to be trusted.
void GroupRun::choose_contaminating(const std::vector<int>& present, const ParticleRoles& roles) {
  contaminating_types_ = roles.contaminating;
  if (!request_.contaminating_types.empty()) {
    for (const int type : roles.contaminating) std::erase(attach_types_, type);
    contaminating_types_ = parsed_types("--contaminating-types", request_.contaminating_types);
  }
  for (const int type : contaminating_types_) {
    if (!contains(present, type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--contaminating-types: the file has no particles of type {}", type));
    if (!contains(link_types_, type) && !contains(attach_types_, type))
      attach_types_.push_back(type);
  }
  std::sort(attach_types_.begin(), attach_types_.end());
}

void GroupRun::choose_separation(FofOptions& options) {
  if (!(options.b > 0) || options.mean_separation > 0 || options.volume > 0) return;
  const MeanSeparation found =
      mean_separation(input_.snapshot(), link_types_, input_.box(), session_.execution());
  if (!(found.by_number > 0) && !(found.by_mass > 0) && input_.snapshot().size(link_types_) > 0)
    throw Error(ErrorCode::invalid_argument,
                "-b needs the mean separation of the points: give --box, --volume or "
                "--mean-separation, or use --linking-length");
  if (!found.is_by_mass) return;
  options.mean_separation = found.by_mass;
  session_.say(fmt::format("mean separation {} from the mass of the {} particles{}{}",
                           with_unit(found.by_mass, units(), {.length = 1}),
                           found.has_several_masses ? "lightest linked" : "linked",
                           found.is_baryon_fraction_known ? "" : ", with Omega_b = 0.157 Omega_m",
                           found.by_number > 0
                               ? fmt::format(": they do not fill the box, whose volume "
                                             "would give {:.6g}",
                                             found.by_number)
                               : ""));
  session_.report().add("mean_separation", found.by_mass);
}

}  // namespace kith::cli
