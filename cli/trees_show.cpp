// `kith trees show`: the main branch of one tree. `kith trees convert`: the same trees in another
// format.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include <kith/error.hpp>

#include "ranks.hpp"
#include "trees.hpp"
#include "unit_text.hpp"

namespace kith::cli {
namespace {

constexpr const char* kShowExamples = R"(Examples:
  kith trees show trees.hdf5
  kith trees show trees.hdf5 --root 3
  kith trees show trees.hdf5 --snapshot 9 --halo 4 --json

Trees are numbered by their roots, the halos without a descendant: those of the last snapshot first.
The table has the main branch back in time, with the margin of each link to the next halo, and the
ratios of mergers: the largest mass of the one that merges over that of the main branch before.)";

constexpr const char* kConvertExamples = R"(Examples:
  kith trees convert trees.hdf5 --format sublink -o sublink
  kith trees convert tree_0_0_0.dat -o trees.hdf5
  kith trees convert trees.hdf5 --format lhalotree -o trees_015.0)";

struct ShowRequest {
  Common common;
  std::string trees;
  std::int64_t root = 0, snapshot = -1, halo = 0;
};

/// The row of the halo to begin with.
std::size_t first_row(const ShowRequest& request, const MergerTrees& trees) {
  if (request.snapshot < 0) {
    if (request.root < 0 || request.root >= static_cast<std::int64_t>(trees.roots.size()))
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("--root {}: {} has {}, numbered from 0", request.root,
                      printable(request.trees), counted(trees.roots.size(), "tree", "trees")));
    return static_cast<std::size_t>(trees.roots[static_cast<std::size_t>(request.root)]);
  }
  for (std::size_t row = 0; row < trees.size(); ++row)
    if (trees.snapshot[row] == request.snapshot && trees.label[row] == request.halo) return row;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: has no halo {} in snapshot {}", printable(request.trees),
                          request.halo, request.snapshot));
}

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

/// A halo with its progenitors, and the answers to questions about it.
class Shown {
 public:
  Shown(const HaloHistories& histories, std::size_t row)
      : histories_(histories),
        trees_(histories.trees),
        mass_(histories.mass_or_members()),
        ratio_(merger_ratios(trees_, mass_)),
        row_(row) {}

  void tell(Session& session) const {
    session.say(fmt::format("halo {} of snapshot {}: {}, {}", trees_.label[row_],
                            trees_.snapshot[row_], mass_text(row_),
                            counted(static_cast<std::uint64_t>(trees_.last_progenitor[row_]) - row_,
                                    "progenitor", "progenitors")));
    Table table({"snapshot", "redshift", "halo", "members", "mass", "margin", "merging"});
    for (const std::size_t row : branch())
      table.add({fmt::format("{}", trees_.snapshot[row]), redshift_text(row),
                 fmt::format("{}", trees_.label[row]),
                 grouped(static_cast<std::uint64_t>(trees_.members[row])), number_text(mass_[row]),
                 trees_.descendant[row] < 0 ? "-" : fmt::format("{:.3f}", trees_.margin(row)),
                 mergers_text(row)});
    session.say(table.text());
    session.say(fmt::format("half of its mass at redshift {}", redshift_text(half())));
    const std::int64_t merger = last_major();
    session.say(merger < 0
                    ? "no merger with a ratio of 1:4 or more"
                    : fmt::format("last merger with a ratio of 1:4 or more: before redshift {}",
                                  redshift_text(static_cast<std::size_t>(merger))));
  }

  void report(Report& report) const {
    std::vector<double> redshift, mass, margin;
    std::vector<int> snapshot, halo;
    for (const std::size_t row : branch()) {
      snapshot.push_back(trees_.snapshot[row]);
      halo.push_back(trees_.label[row]);
      redshift.push_back(redshift_of(row));
      mass.push_back(mass_[row]);
      margin.push_back(trees_.margin(row));
    }
    report.add_count("progenitors",
                     static_cast<std::uint64_t>(trees_.last_progenitor[row_]) - row_);
    report.add("snapshot", snapshot);
    report.add("halo", halo);
    report.add("redshift", redshift);
    report.add("mass", mass);
    report.add("margin", margin);
    report.add("half_mass_redshift", redshift_of(half()));
    const std::int64_t merger = last_major();
    if (merger >= 0)
      report.add("last_major_merger_redshift", redshift_of(static_cast<std::size_t>(merger)));
  }

 private:
  std::vector<std::size_t> branch() const {
    std::vector<std::size_t> rows;
    for (std::size_t row = row_; row <= static_cast<std::size_t>(trees_.main_leaf[row_]); ++row)
      rows.push_back(row);
    return rows;
  }

  double redshift_of(std::size_t row) const {
    return histories_.redshift[static_cast<std::size_t>(trees_.snapshot[row])];
  }
  std::string redshift_text(std::size_t row) const {
    return fmt::format("{:.3f}", std::max(redshift_of(row), 0.0));  // rounding in 1 / a - 1
  }

  std::string mass_text(std::size_t row) const {
    if (histories_.columns.mass.empty())
      return counted(static_cast<std::uint64_t>(trees_.members[row]), "member", "members");
    return with_unit(mass_[row], histories_.units, {.mass = 1});
  }

  /// "0.41, 5 smaller": the ratios of the progenitors that are not the main one.
  std::string mergers_text(std::size_t row) const {
    constexpr double kShown = 0.1;
    std::string text;
    std::size_t smaller = 0;
    for (std::int64_t p = trees_.first_progenitor[row]; p >= 0;
         p = trees_.next_progenitor[static_cast<std::size_t>(p)])
      if (const double ratio = ratio_[static_cast<std::size_t>(p)]; ratio >= kShown)
        text += fmt::format("{}{:.3f}", text.empty() ? "" : ", ", ratio);
      else if (ratio > 0)
        ++smaller;
    if (smaller > 0) text += fmt::format("{}{} smaller", text.empty() ? "" : ", ", smaller);
    return text;
  }

  std::size_t half() const {
    return static_cast<std::size_t>(half_mass_row(trees_, mass_, static_cast<std::int64_t>(row_)));
  }
  std::int64_t last_major() const {
    return last_merger_row(trees_, ratio_, static_cast<std::int64_t>(row_));
  }

  const HaloHistories& histories_;
  const MergerTrees& trees_;
  std::vector<double> mass_, ratio_;
  std::size_t row_;
};

void show(const ShowRequest& request) {
  Session session(request.common);
  const HaloHistories histories = read_histories(request.trees, session.execution());
  tell_trees(histories, session);
  if (histories.trees.size() > 0) {
    const Shown shown(histories, first_row(request, histories.trees));
    shown.tell(session);
    shown.report(session.report());
  }
  session.finish();
}

struct ConvertRequest {
  Common common;
  std::string from, to, format = name(TreeFormat::gadget4);
};

void convert(const ConvertRequest& request) {
  check_folder_of(request.to);
  check_not_input(request.to, request.from);
  Session session(request.common);
  const HaloHistories histories = read_histories(request.from, session.execution());
  tell_trees(histories, session);
  for (const TreeFormat format : {TreeFormat::gadget4, TreeFormat::sublink, TreeFormat::lhalotree,
                                  TreeFormat::consistent_trees, TreeFormat::csv})
    if (request.format == name(format))
      write_histories(request.to, histories, format, session.execution());
  session.say("wrote " + printable(request.to));
  session.finish();
}

}  // namespace

void add_show_trees(Command trees, const std::function<void()>& done) {
  Command command = trees.add_subcommand("show", "shows the history of one halo");
  const auto request = std::make_shared<ShowRequest>();
  command.footer(kShowExamples);
  command.add_option("trees", request->trees, "file with merger trees").required();
  command.add_option("--root", request->root, "number of the tree").shows_default();
  command.add_option("--snapshot", request->snapshot, "begin with a halo of this snapshot");
  command.add_option("--halo", request->halo, "number of this halo in its catalogue")
      .shows_default();
  add_common(command, request->common);
  command.callback([request, done] {
    done();
    if (is_first_rank()) show(*request);
  });
}

void add_convert_trees(Command trees, const std::function<void()>& done) {
  Command command = trees.add_subcommand("convert", "writes merger trees in another format");
  const auto request = std::make_shared<ConvertRequest>();
  command.footer(kConvertExamples);
  command.add_option("trees", request->from, "file with merger trees").required();
  command.add_option("-o,--output", request->to, "file to write; a folder for sublink").required();
  command.add_option("--format", request->format, "format to write")
      .one_of({"gadget4", "sublink", "lhalotree", "consistent-trees", "csv"})
      .shows_default();
  add_common(command, request->common);
  command.callback([request, done] {
    done();
    if (is_first_rank()) convert(*request);
  });
}

}  // namespace kith::cli
