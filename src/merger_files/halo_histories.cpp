// Catalogue after catalogue becomes merger trees.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include <kith/detail/halo_ranks.hpp>

#include "base/fail.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/orphan_columns.hpp"
#include "merger_files/tree_formats.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {

HaloColumns rows_of(const HaloColumns& columns, const std::vector<std::int64_t>& from) {
  HaloColumns rows = columns;
  for_each_column(rows, [&](const char*, auto& column, std::size_t width) {
    if (column.empty()) return;
    const auto all = std::move(column);
    column.clear();
    for (const std::int64_t row : from) {
      const auto first = all.begin() + row * static_cast<std::ptrdiff_t>(width);
      column.insert(column.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
  });
  return rows;
}

void append(HaloColumns& columns, std::size_t before, HaloColumns&& more, std::size_t halos) {
  std::vector<bool> is_there;
  for_each_column(more, [&](const char*, auto& column, std::size_t width) {
    is_there.push_back(column.size() == halos * width);
  });
  std::size_t number = 0;
  for_each_column(columns, [&](const char*, auto& column, std::size_t width) {
    const bool is_complete = is_there[number++] && column.size() == before * width;
    if (!is_complete) column.clear();
  });
  // Behind this loop both have the same columns, or the first ones have none.
  for_each_column(columns, [&](const char* name, auto& column, std::size_t width) {
    if (column.size() != before * width) return;
    for_each_column(more, [&](const char* other, auto& rows, std::size_t) {
      if constexpr (std::is_same_v<decltype(column), decltype(rows)>)
        if (name == std::string_view(other) && rows.size() == halos * width)
          column.insert(column.end(), rows.begin(), rows.end());
    });
  });
}

namespace {

/// Halos in the order of links: snapshot after snapshot.
struct Collected {
  HaloLinks links;
  HaloColumns columns;
  std::vector<std::int64_t> members;
};

/// Numbers of links: of each row, from labels that count the halos of a snapshot.
std::vector<std::int64_t> numbers_of(const MergerTrees& trees,
                                     const std::vector<std::int64_t>& first) {
  std::vector<std::int64_t> number(trees.size());
  for (std::size_t row = 0; row < trees.size(); ++row)
    number[row] = first[static_cast<std::size_t>(trees.snapshot[row])] + trees.label[row];
  return number;
}

/// Of halos alone: orphans are numbered behind them.
std::vector<std::int64_t> first_halos(const MergerTrees& trees) {
  std::vector<std::int64_t> first(trees.snapshots + 1, 0);
  for (std::size_t row = 0; row < trees.size(); ++row)
    if (trees.is_orphan.empty() || !trees.is_orphan[row])
      ++first[static_cast<std::size_t>(trees.snapshot[row]) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

bool is_orphan(const MergerTrees& trees, std::int64_t row) {
  return !trees.is_orphan.empty() && trees.is_orphan[static_cast<std::size_t>(row)];
}

/// Undoes the arrangement in trees, and leaves out orphans.
Collected collected(const HaloHistories& histories) {
  const MergerTrees& trees = histories.trees;
  Collected all;
  all.links.first = first_halos(trees);
  const std::vector<std::int64_t> number = numbers_of(trees, all.links.first);
  std::vector<std::int64_t> row(static_cast<std::size_t>(all.links.first.back()));
  for (std::size_t r = 0; r < trees.size(); ++r) {
    if (is_orphan(trees, static_cast<std::int64_t>(r))) continue;
    if (number[r] >= all.links.first[static_cast<std::size_t>(trees.snapshot[r]) + 1])
      refuse("trees: snapshot {} has a halo {}, but not all before it; make the trees anew",
             trees.snapshot[r], trees.label[r]);
    row[static_cast<std::size_t>(number[r])] = static_cast<std::int64_t>(r);
  }
  const auto take = [&](const auto& column, auto& to) {
    for (const std::int64_t r : row) to.push_back(column[static_cast<std::size_t>(r)]);
  };
  const auto number_of = [&](std::int64_t other) {
    return other < 0 ? -1 : number[static_cast<std::size_t>(other)];
  };
  take(trees.members, all.members);
  take(trees.score, all.links.score);
  take(trees.second_score, all.links.second_score);
  take(trees.is_mutual, all.links.is_mutual);
  take(trees.is_flyby, all.links.is_flyby);
  for (const std::int64_t r : row) {
    all.links.descendant.push_back(number_of(trees.linked_to(static_cast<std::size_t>(r))));
    all.links.second.push_back(number_of(trees.second[static_cast<std::size_t>(r)]));
    all.links.progenitor.push_back(number_of(trees.best_progenitor[static_cast<std::size_t>(r)]));
  }
  all.columns = rows_of(histories.columns, row);
  return all;
}

/// Reads and links catalogues, and keeps everything but the IDs. Over ranks, each has some of the
/// IDs and all of the halos.
class HistoryMaker {
 public:
  HistoryMaker(const HistoryOptions& options, Ranks* ranks, const Execution& execution)
      : options_(options), ranks_(ranks), execution_(execution) {}

  /// Continues earlier histories, whose last catalogues are read again for their IDs.
  void resume(const HaloHistories& earlier) {
    made_ = earlier;
    options_ = earlier.options;
    Collected all = collected(earlier);
    members_ = std::move(all.members);
    columns_ = std::move(all.columns);
    const std::size_t snapshots = earlier.catalogue.size();
    const std::size_t kept = std::min(snapshots, static_cast<std::size_t>(options_.links.reach));
    std::vector<HaloMembers> latest;
    latest.reserve(kept);
    for (std::size_t s = snapshots - kept; s < snapshots; ++s)
      latest.push_back(read(earlier.catalogue[s]));
    std::vector<LabeledIds> views;
    views.reserve(kept);
    for (const HaloMembers& halos : latest) views.push_back(halos.view());
    make_linker();
    linker_->resume(std::move(all.links), views, execution_);
  }

  void add(const std::string& path) {
    HaloMembers halos = read(path);
    if (!linker_) start(halos);
    check_order(halos);
    linker_->add(halos.view(), execution_);
    on_all_ranks([&] { take(path, std::move(halos)); });
  }

  HaloHistories finish() {
    if (!linker_) make_linker();
    HaloLinks links;
    on_all_ranks([&] { links = linker_->links(); });
    if (options_.orphans) links = followed(links);
    on_all_ranks([&] { arrange(links); });
    return std::move(made_);
  }

 private:
  HaloMembers read(const std::string& path) const {
    return ranks_ ? read_halo_members(*ranks_, path, options_.halos, execution_)
                  : read_halo_members(path, options_.halos, execution_);
  }

  void make_linker() {
    linker_.emplace(ranks_ ? ranks_->halo_linker(options_.links) : HaloLinker(options_.links));
  }

  /// An error of one rank is an error on all.
  void on_all_ranks(const std::function<void()>& f) const {
    if (ranks_)
      ranks_->on_all_ranks(f);
    else
      f();
  }

  void take(const std::string& path, HaloMembers halos) {
    append(columns_, members_.size(), std::move(halos.columns), halos.halos);
    members_.insert(members_.end(), halos.size.begin(), halos.size.end());
    made_.catalogue.push_back(path);
    made_.time.push_back(halos.time);
    made_.redshift.push_back(halos.redshift);
    made_.box = halos.box;
    made_.units = halos.units;
    made_.background = halos.background;
  }

  void arrange(const HaloLinks& links) {
    made_.trees = merger_trees(links, members_, options_.main_branch, execution_);
    made_.columns = rows_of(columns_, numbers_of(made_.trees, links.first));
    made_.options = options_;
  }

  /// Links, members and columns with orphans: all catalogues are read once more.
  HaloLinks followed(const HaloLinks& halos) {
    std::optional<OrphanFollower> follower;
    on_all_ranks(
        [&] { follower.emplace(halos, members_, options_.main_branch, execution_, halo_ranks()); });
    OrphanColumns orphans(ranks_, execution_);
    for (const std::string& path : made_.catalogue) {
      const HaloMembers members = read(path);
      if (!members.is_in_order_of_binding && members.halos > 0)
        refuse(
            "{}: its members are not in order of binding, and orphans are the most bound ones; "
            "find subhalos, or do without orphans",
            path);
      follower->add(members.view(), execution_);
      orphans.add(members, follower->ids(), follower->hosts());
    }
    HaloLinks links;
    on_all_ranks([&] {
      links = follower->links();
      take_orphans(halos, links, std::move(orphans));
      members_ = follower->members();
    });
    return links;
  }

  HaloRanks halo_ranks() const {
    if (!ranks_) return {};
    return {ranks_->rank(), [this](std::span<std::int64_t> values) { ranks_->sum(values); },
            [this](std::span<std::int64_t> values) { ranks_->least(values); }};
  }

  /// The columns of halos and orphans in the order of `links`.
  void take_orphans(const HaloLinks& halos, const HaloLinks& links, OrphanColumns orphans) {
    std::move(orphans).append_to(columns_, halos.size());
    std::vector<std::int64_t> from;
    std::int64_t halo = 0, orphan = static_cast<std::int64_t>(halos.size());
    for (const std::uint8_t is_one : links.is_orphan) from.push_back(is_one ? orphan++ : halo++);
    columns_ = rows_of(columns_, from);
  }

  void start(const HaloMembers& halos) {
    if (options_.weight_is_automatic)
      options_.links.match.weight =
          halos.is_in_order_of_binding ? RankWeight::sqrt_rank : RankWeight::equal;
    make_linker();
  }

  void check_order(const HaloMembers& halos) const {
    if (!made_.time.empty() && halos.time < made_.time.back())
      refuse("{}: its time, {}, is before that of {}, {}; give catalogues in order of time",
             halos.path, halos.time, made_.catalogue.back(), made_.time.back());
    const bool needs_order = options_.links.match.weight != RankWeight::equal;
    if (options_.weight_is_automatic && needs_order && !halos.is_in_order_of_binding &&
        halos.halos > 0)
      refuse(
          "{}: its members are not in order of binding, as those before; choose the weight equal",
          halos.path);
  }

  HistoryOptions options_;
  Ranks* ranks_;
  Execution execution_;
  HaloHistories made_;
  HaloColumns columns_;  ///< in the order of links
  std::vector<std::int64_t> members_;
  std::optional<HaloLinker> linker_;
};

/// Whether two paths are the same file; missing files are compared as text.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

}  // namespace
}  // namespace io

std::vector<double> HaloHistories::mass_or_members() const {
  if (columns.mass.size() == trees.size()) return columns.mass;
  return {trees.members.begin(), trees.members.end()};
}

namespace io {
namespace {

HaloHistories made_histories(HistoryMaker maker, const std::vector<std::string>& catalogues,
                             const HaloHistories* earlier) {
  if (earlier != nullptr) {
    if (earlier->catalogue.size() != earlier->trees.snapshots)
      refuse(
          "trees: the earlier trees do not name their catalogues; only trees of kith can be "
          "continued");
    maker.resume(*earlier);
  }
  for (const std::string& path : catalogues) {
    const auto is_this = [&](const std::string& known) { return is_same_file(known, path); };
    const bool is_linked = earlier != nullptr && std::any_of(earlier->catalogue.begin(),
                                                             earlier->catalogue.end(), is_this);
    if (!is_linked) maker.add(path);
  }
  return maker.finish();
}

}  // namespace
}  // namespace io

HaloHistories halo_histories(const std::vector<std::string>& catalogues,
                             const HistoryOptions& options, const HaloHistories* earlier,
                             const Execution& execution) {
  return public_call("trees", [&] {
    return io::made_histories({options, nullptr, execution}, catalogues, earlier);
  });
}

HaloHistories halo_histories(Ranks& ranks, const std::vector<std::string>& catalogues,
                             const HistoryOptions& options, const HaloHistories* earlier,
                             const Execution& execution) {
  return public_call("trees", [&] {
    return io::made_histories({options, &ranks, execution}, catalogues, earlier);
  });
}

void write_histories(const std::string& path, const HaloHistories& histories, TreeFormat format,
                     const Execution& execution) {
  public_call("trees", execution, [&](Workers& workers) {
    const Stage stage(workers, "write", 1);
    switch (format) {
      case TreeFormat::gadget4: return io::write_gadget_trees(path, histories);
      case TreeFormat::sublink: return io::write_sublink(path, histories);
      case TreeFormat::lhalotree: return io::write_lhalotree(path, histories);
      case TreeFormat::consistent_trees: return io::write_consistent_trees(path, histories);
      case TreeFormat::csv: return io::write_csv_trees(path, histories);
    }
  });
}

namespace io {
namespace {

struct TreeReader {
  bool (*is_this)(const std::string& path);
  HaloHistories (*read)(const std::string& path);
};
constexpr TreeReader kTreeReaders[] = {{is_sublink, read_sublink},
                                       {is_gadget_trees, read_gadget_trees},
                                       {is_consistent_trees, read_consistent_trees},
                                       {is_lhalotree, read_lhalotree}};

const TreeReader* tree_reader(const std::string& path) {
  for (const TreeReader& reader : kTreeReaders)
    if (reader.is_this(path)) return &reader;
  return nullptr;
}

}  // namespace
}  // namespace io

bool has_histories(const std::string& path) {
  return public_call("trees", [&] { return io::tree_reader(path) != nullptr; });
}

HaloHistories read_histories(const std::string& path, const Execution& execution) {
  return public_call("trees", execution, [&](Workers& workers) {
    const Stage stage(workers, "read", 1);
    const io::TreeReader* const reader = io::tree_reader(path);
    if (reader == nullptr)
      fail(ErrorCode::io, "{}: has no merger trees, or in a format that is not known", path);
    return reader->read(path);
  });
}

const char* name(TreeFormat format) {
  switch (format) {
    case TreeFormat::gadget4: return "gadget4";
    case TreeFormat::sublink: return "sublink";
    case TreeFormat::lhalotree: return "lhalotree";
    case TreeFormat::consistent_trees: return "consistent-trees";
    case TreeFormat::csv: return "csv";
  }
  return "";
}

}  // namespace kith
