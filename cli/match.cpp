// `kith match A B`: which halos of two catalogues consist of the same particles.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <kith/error.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/io/results.hpp>
#include <kith/io/stored_match.hpp>

#include "command.hpp"
#include "halo_options.hpp"
#include "ranks.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith match early.hdf5 late.hdf5 -o matches.hdf5
  kith match fof_subhalo_tab_014.hdf5 fof_subhalo_tab_015.hdf5 --most-bound 20
  kith match dark/halos.hdf5 hydro/halos.hdf5 --weight equal -o matches.csv
  kith match halos_12.0.particles halos_13.0.particles -o matches.hdf5
  kith match early.hdf5 late.hdf5 --max-memory 4G --scratch /scratch -o matches.hdf5

A catalogue is a result of kith fof or kith subhalos, a file of Gadget-4's subhalos with its snapshot
beside it, tables of particles of Rockstar, .AHF_halos of AHF with .AHF_particles beside it, .properties
of VELOCIraptor, SubSnap_012.0.hdf5 of HBT+, or a snapshot, in which groups are found first. `best`,
`second`, `score`, `second_score`, `margin` and `shared` have a row for each halo of A, arrays that
begin with `reverse_` one for each halo of B.)";

constexpr double kDoubtful = 0.1;
constexpr std::size_t kListed = 10;

struct Request {
  Common common;
  HaloOptions halos;
  std::string a, b, output;
};

std::vector<double> margins(const Matches& matches) {
  std::vector<double> margin(matches.size());
  for (std::size_t i = 0; i < margin.size(); ++i) margin[i] = matches.margin(i);
  return margin;
}

/// The arrays of one direction, with the margins, which must live on.
std::vector<ResultArray> arrays_of(const Matches& matches, const std::vector<double>& margin,
                                   const std::string& prefix) {
  const auto array = [&](const char* name, const auto& values, const char* description) {
    ResultArray made = result_array(prefix + name, values.data(), values.size());
    made.description = description;
    return made;
  };
  return {array("best", matches.best, "halo of the other catalogue with the largest score, or -1"),
          array("second", matches.second, "halo with the second largest score, or -1"),
          array("score", matches.score, "sum of the weights of the members shared with `best`"),
          array("second_score", matches.second_score, "the same for `second`"),
          array("margin", margin, "1 - second_score / score; 0 without a match"),
          array("shared", matches.shared, "members shared with `best`")};
}

ResultAbout about_match(const Request& request, const MatchOptions& options, const HaloMembers& a) {
  ResultAbout about{.kind = ResultKind::match, .snapshot = request.a, .points = a.halos};
  about.other = request.b;
  request.halos.note(options, about);
  about.time = a.time;
  about.units = a.units;
  about.background = a.background;
  return about;
}

void write_matches(const Request& request, const MatchOptions& options, const HaloMembers& a,
                   const Match& match, Session& session) {
  const std::vector<double> margin = margins(match.forward), reverse = margins(match.reverse);
  std::vector<ResultArray> arrays = arrays_of(match.forward, margin, "");
  if (!ends_with(request.output, ".csv") && request.output != "-")
    for (ResultArray& array : arrays_of(match.reverse, reverse, "reverse_"))
      arrays.push_back(std::move(array));
  const ResultAbout about = about_match(request, options, a);
  write_result(request.output, about, arrays, {}, session.execution());
  session.say_written(request.output, "wrote ");
}

struct Counts {
  std::uint64_t matched = 0, mutual = 0, doubtful = 0;

  explicit Counts(const Match& match) {
    for (std::size_t i = 0; i < match.forward.size(); ++i) {
      const std::int32_t best = match.forward.best[i];
      if (best < 0) continue;
      ++matched;
      mutual += match.reverse.best[static_cast<std::size_t>(best)] == static_cast<std::int32_t>(i);
      doubtful += match.forward.margin(i) < kDoubtful;
    }
  }
};

void tell_counts(const Match& match, Session& session) {
  const Counts counts(match);
  session.say(fmt::format("{} of {} have a match, {} of them are the best match of theirs",
                          grouped(counts.matched), counted(match.forward.size(), "halo", "halos"),
                          grouped(counts.mutual)));
  session.say(
      fmt::format("{} with a margin below 10 %", counted(counts.doubtful, "match", "matches")));
  session.report().add_count("halos", match.forward.size());
  session.report().add_count("other_halos", match.reverse.size());
  session.report().add_count("matched", counts.matched);
  session.report().add_count("mutual", counts.mutual);
  session.report().add_count("doubtful", counts.doubtful);
}

std::string halo_name(std::int32_t halo) { return halo < 0 ? "-" : fmt::format("{}", halo); }

void tell_table(const HaloMembers& a, const Match& match, Session& session) {
  Table table({"halo", "members", "match", "shared", "second", "margin"});
  const Matches& matches = match.forward;
  for (std::size_t i = 0; i < std::min(kListed, a.halos); ++i)
    table.add({fmt::format("{}", i), grouped(static_cast<std::uint64_t>(a.size[i])),
               halo_name(matches.best[i]), fmt::format("{}", matches.shared[i]),
               halo_name(matches.second[i]), fmt::format("{:.3f}", matches.margin(i))});
  if (a.halos > 0) session.say(table.text());
}

void finish(const Request& request, const MatchOptions& options, const HaloMembers& a,
            const Match& match, Session& session) {
  tell_counts(match, session);
  tell_table(a, match, session);
  on_all_ranks([&] {  // all have all rows
    if (!request.output.empty() && ranks().rank() == 0)
      write_matches(request, options, a, match, session);
  });
  session.finish();
}

/// The members of a catalogue, read a part at a time.
class MembersInParts : public StoredMembers {
 public:
  MembersInParts(HaloMembersOptions options, const HaloMembers& halos, std::uint64_t parts,
                 const Execution& execution)
      : options_(std::move(options)), halos_(halos), execution_(execution) {
    options_.parts = parts;
  }
  std::size_t objects() const override { return halos_.halos; }
  std::size_t parts() const override { return options_.parts; }
  void read(std::size_t part, std::vector<std::uint64_t>& id,
            std::vector<std::int32_t>& label) const override {
    HaloMembersOptions own = options_;
    own.part = part;
    HaloMembers members = read_halo_members(halos_.path, own, execution_);
    id = std::move(members.id);
    label = std::move(members.label);
  }

 private:
  HaloMembersOptions options_;
  const HaloMembers& halos_;
  Execution execution_;
};

/// The halos of a catalogue with hardly any members; nothing if they are to be found first.
std::optional<HaloMembers> halos_of(const Request& request, const std::string& path,
                                    Session& session) {
  HaloMembersOptions options = request.halos.members;
  options.parts = std::uint64_t{1} << 40;
  try {
    HaloMembers halos = read_halo_members(path, options, session.execution());
    // The rest is there once, while a part is read.
    return HaloMembers{.path = halos.path,
                       .halos = halos.halos,
                       .size = std::move(halos.size),
                       .is_in_order_of_binding = halos.is_in_order_of_binding,
                       .time = halos.time,
                       .units = halos.units,
                       .background = halos.background};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    return std::nullopt;
  }
}

double members_of(const HaloMembers& halos) {
  double members = 0;
  for (const std::int64_t size : halos.size) members += static_cast<double>(size);
  return members;
}

/// Where the limit asks for it, from disk.
bool match_stored(const Request& request, Session& session) {
  constexpr double kMember = 94, kHalo = 400, kProgram = 40e6, kRead = 64;
  if (ranks().size() > 1 || !(session.max_memory() > 0)) return false;
  const auto a = halos_of(request, request.a, session), b = halos_of(request, request.b, session);
  if (!a || !b) return false;
  const double members = members_of(*a) + members_of(*b);
  const double tables = kHalo * static_cast<double>(a->halos + b->halos);
  const double bytes = kMember * members + tables;
  if (!goes_to_disk(bytes, session)) return false;
  for (const HaloMembers* halos : {&*a, &*b})
    session.say(fmt::format("{}: {}{}", printable(halos->path),
                            counted(halos->halos, "halo", "halos"),
                            halos->is_in_order_of_binding ? ", in order of binding" : ""));
  say_disk(bytes, session);
  const MatchOptions options =
      request.halos.match(a->is_in_order_of_binding && b->is_in_order_of_binding);
  DiskOptions disk = disk_options(session);
  const double left = session.max_memory() - tables;
  if (!(left > kProgram))
    throw Error(ErrorCode::out_of_memory,
                fmt::format("{} halos need {} of memory, beside {} of the program; allow more",
                            a->halos + b->halos, bytes_name(tables), bytes_name(kProgram)));
  disk.max_memory = static_cast<std::uint64_t>(left);
  const auto parts = [&](const HaloMembers& halos) {
    return static_cast<std::uint64_t>(1 + members_of(halos) * kRead * 3 / (left - kProgram));
  };
  const MembersInParts first(request.halos.members, *a, parts(*a), session.execution());
  const MembersInParts other(request.halos.members, *b, parts(*b), session.execution());
  const Match match = kith::match(first, other, options, disk, session.execution());
  finish(request, options, *a, match, session);
  return true;
}

void check_output(const Request& request) {
  if (request.output.empty()) return;
  check_folder_of(request.output);
  for (const std::string& input : {request.a, request.b}) check_not_input(request.output, input);
}

void run(const Request& request) {
  if (!share_work()) return;
  on_all_ranks([&] { check_output(request); });
  Session session(request.common, request.output);
  if (match_stored(request, session)) return;
  const HaloMembers a = request.halos.open(request.a, session);
  const HaloMembers b = request.halos.open(request.b, session);
  const MatchOptions options =
      request.halos.match(a.is_in_order_of_binding && b.is_in_order_of_binding);
  const Match match = ranks().match(a.view(), b.view(), options, session.execution());
  finish(request, options, a, match, session);
}

}  // namespace

void add_match(Command program) {
  Command command = program.add_subcommand(
      "match", "finds the halos of two catalogues that consist of the same particles");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  command.add_option("catalogue", request->a, "catalogue or snapshot").required();
  command.add_option("other", request->b, "the other catalogue or snapshot").required();
  command.add_option("-o,--output", request->output,
                     "file to write: .hdf5, .npz or .csv; -: standard output, as .csv");
  add_halo_options(command, request->halos);
  command.add_under("General options", [&] {
    command
        .add_option("--max-memory", request->common.max_memory,
                    "if more memory than this is needed, such as 8G, match a part of the members "
                    "at a time, from disk")
        .from_environment("KITH_MAX_MEMORY");
    command.add_option("--scratch", request->common.scratch,
                       "folder for the scratch file of --max-memory; default: TMPDIR, or /tmp");
  });
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
