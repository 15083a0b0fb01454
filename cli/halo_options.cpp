#include "halo_options.hpp"

#include <fmt/format.h>

#include <kith/detail/halo_ranks.hpp>

#include "ranks.hpp"

namespace kith::cli {

MatchOptions HaloOptions::match(bool are_in_order) const {
  MatchOptions options{.most_bound = most_bound};
  if (!are_in_order) options.weight = RankWeight::equal;
  for (const RankWeight each : {RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank})
    if (weight == name(each)) options.weight = each;
  return options;
}

HaloMembers HaloOptions::open(const std::string& path, Session& session) const {
  HaloMembers halos = read_halo_members(ranks(), path, members, session.execution());
  session.say(fmt::format("{}: {} of {}{}", printable(halos.path),
                          counted(halos.halos, "halo", "halos"),
                          counted(sum_of_all(halos.id.size()), "particle", "particles"),
                          halos.is_in_order_of_binding ? ", in order of binding" : ""));
  return halos;
}

void HaloOptions::note(const MatchOptions& options, ResultAbout& about) const {
  about.weight = name(options.weight);
  about.most_bound = options.most_bound;
  if (members.type >= 0) about.types = {members.type};
  about.b = members.b;
  about.linking_length = members.linking_length;
  about.min_size = members.min_size;
  about.find = members.find;
  about.find_subhalos = members.subhalos;
}

HaloOptions::HaloOptions(const ResultAbout& about)
    : weight(about.weight), most_bound(about.most_bound) {
  if (!about.types.empty()) members.type = about.types.front();
  members.b = about.b;
  members.linking_length = about.linking_length;
  members.min_size = about.min_size;
  members.find = about.find;
  members.subhalos = about.find_subhalos;
}

void add_halo_options(Command command, HaloOptions& options) {
  command
      .add_option("--weight", options.weight,
                  "weight of a member of rank r in the order of binding: 1 / (1 + sqrt(r)), "
                  "1 / (1 + r), or 1; automatic: sqrt_rank if all members are in order of binding, "
                  "else equal")
      .one_of({"automatic", "sqrt_rank", "inverse_rank", "equal"})
      .shows_default();
  command
      .add_option("--most-bound", options.most_bound,
                  "only this many of the most bound members of each halo have a weight; 0: all")
      .shows_default();
  command.add_option("--type", options.members.type,
                     "type of the particles that are matched; default: dark matter");
  command.add_under("Groups, where there is no catalogue", [&] {
    command.add_flag("--find", options.members.find,
                     "find groups even in snapshots that have a catalogue");
    command.add_flag("--subhalos", options.members.subhalos,
                     "find the bound subhalos of the groups, with members in order of binding");
    command.add_option("-b", options.members.b, "linking length over mean separation")
        .shows_default();
    command.add_option("--linking-length", options.members.linking_length,
                       "linking length in units of the snapshot, instead of -b");
    command.add_option("--min-size", options.members.min_size, "smallest size of a group")
        .shows_default();
  });
}

}  // namespace kith::cli
