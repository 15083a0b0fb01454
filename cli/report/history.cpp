// The past of groups: their main branches in merger trees.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kith/error.hpp>
#include <kith/io/halo_histories.hpp>

#include "html.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kShownRatio = 0.1;           // of mergers in the plot
constexpr std::size_t kMostValues = 400'000;  // of all histories: about 3 MB of the page

/// The same file, or one of the same name in another folder.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || fs::path(a).filename() == fs::path(b).filename();
}

/// The snapshot of the trees whose halos are these groups.
std::int32_t snapshot_of(const HaloHistories& histories, const std::string& catalogue,
                         std::size_t groups, const std::string& path) {
  const auto& files = histories.catalogue;
  const auto found = std::find_if(files.rbegin(), files.rend(), [&](const std::string& file) {
    return is_same_file(file, catalogue);
  });
  if (found == files.rend())
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: {} is not among the {} catalogues of these trees{}", path, catalogue,
                    files.size(), files.empty() ? "" : ", such as " + files.back()));
  const auto snapshot = static_cast<std::int32_t>(files.rend() - found) - 1;
  const auto& of_rows = histories.trees.snapshot;
  const auto halos = static_cast<std::size_t>(std::count(of_rows.begin(), of_rows.end(), snapshot));
  if (halos != groups)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: has {} halos of {}, which has {} groups; make the trees again",
                            path, halos, catalogue, groups));
  return snapshot;
}

/// Mergers with the halo of a row, when it had that snapshot.
void add_mergers(const MergerTrees& trees, const std::vector<double>& ratios, std::size_t row,
                 GroupHistory& history) {
  std::int64_t other = trees.first_progenitor[row];
  if (other >= 0) other = trees.next_progenitor[static_cast<std::size_t>(other)];
  for (; other >= 0; other = trees.next_progenitor[static_cast<std::size_t>(other)])
    if (const double ratio = ratios[static_cast<std::size_t>(other)]; ratio >= kShownRatio)
      history.mergers.emplace_back(trees.snapshot[row], ratio);
}

GroupHistory history_of(const MergerTrees& trees, const std::vector<double>& mass,
                        const std::vector<double>& ratios, std::size_t row) {
  GroupHistory history;
  const auto last = static_cast<std::size_t>(trees.main_leaf[row]);
  for (std::size_t at = row; at <= last; ++at) {
    history.snapshot.push_back(trees.snapshot[at]);
    history.mass.push_back(mass[at]);
    add_mergers(trees, ratios, at, history);
  }
  const auto snapshot_at = [&](std::int64_t at) {
    return at < 0 ? -1 : trees.snapshot[static_cast<std::size_t>(at)];
  };
  const auto begin = static_cast<std::int64_t>(row);
  history.half_mass = snapshot_at(half_mass_row(trees, mass, begin));
  history.last_major = snapshot_at(last_merger_row(trees, ratios, begin));
  return history;
}

/// [[snapshots], [masses], [[snapshot, ratio], ...], snapshot of half the mass, of the last major
/// merger]
std::string history_row(const GroupHistory& history) {
  std::string mergers;
  for (const auto& [snapshot, ratio] : history.mergers)
    mergers += fmt::format("{}[{},{}]", mergers.empty() ? "" : ",", snapshot, script_number(ratio));
  return fmt::format("[[{}],{},[{}],{},{}]", fmt::join(history.snapshot, ","),
                     json_numbers(history.mass), mergers, history.half_mass, history.last_major);
}

}  // namespace

GroupHistories group_histories(const Findings& findings, const std::string& path,
                               const Execution& execution) {
  const HaloHistories all = read_histories(path, execution);
  const MergerTrees& trees = all.trees;
  const std::int32_t snapshot = snapshot_of(all, findings.path, findings.catalogue.count(), path);
  const std::vector<double> mass = all.mass_or_members();
  const std::vector<double> ratios = merger_ratios(trees, mass);
  GroupHistories result{.name = fs::path(path).filename().string(),
                        .has_mass = !all.columns.mass.empty(),
                        .time = all.time,
                        .redshift = all.redshift,
                        .of = std::vector<GroupHistory>(findings.catalogue.count())};
  for (std::size_t row = 0; row < trees.size(); ++row)
    if (trees.snapshot[row] == snapshot)
      result.of.at(static_cast<std::size_t>(trees.label[row])) =
          history_of(trees, mass, ratios, row);
  return result;
}

std::string histories_json(const Findings& findings, const std::optional<GroupHistories>& all,
                           std::size_t rows) {
  if (!all) return "null";
  std::string text;
  std::size_t values = 0;
  for (std::size_t g = 0; g < rows && values < kMostValues; ++g) {
    text += (g == 0 ? "" : ",") + history_row(all->of[g]);
    values += 2 * all->of[g].mass.size();
  }
  return fmt::format(R"({{"name":{},"what":{},"unit":{},"time":{},"redshift":{},"rows":[{}]}})",
                     script_text(all->name), script_text(all->has_mass ? "mass" : "members"),
                     script_text(all->has_mass ? unit_name(findings.about.units, {.mass = 1}) : ""),
                     json_numbers(all->time), json_numbers(all->redshift), text);
}

}  // namespace kith::cli
