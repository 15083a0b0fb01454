// Merger trees: made from catalogues or from labeled IDs, read and written.
#include <memory>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

#include <kith/error.hpp>
#include <kith/io/halo_histories.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "match_arguments.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

using Histories = std::shared_ptr<HaloHistories>;

void read_history_options(Options& read, HistoryOptions& options) {
  std::string weight;
  std::uint64_t min_size = options.halos.min_size;
  read("weight", weight);
  for (const RankWeight each :
       {RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank}) {
    if (weight != name(each)) continue;
    options.links.match.weight = each;
    options.weight_is_automatic = false;
  }
  if (!weight.empty() && options.weight_is_automatic)
    throw Error(ErrorCode::invalid_argument,
                "trees: weight = " + weight + "; choose from equal, inverse_rank, sqrt_rank");
  read("most_bound", options.links.match.most_bound);
  read("reach", options.links.reach);
  read("orphans", options.orphans);
  read.choice("main_branch", options.main_branch, {MainBranch::history, MainBranch::score});
  read("type", options.halos.type);
  read("find", options.halos.find);
  read("subhalos", options.halos.subhalos);
  read("b", options.halos.b);
  read("linking_length", options.halos.linking_length);
  read("min_size", min_size);
  options.halos.min_size = min_size;
}

HistoryOptions history_options(const nb::dict& given) {
  HistoryOptions options;
  Options read(given);
  read_history_options(read, options);
  read.expect_no_more();
  return options;
}

Histories trees_of_catalogues(const std::vector<std::string>& catalogues, const nb::dict& given,
                              const Histories& earlier, const Call& call) {
  const HistoryOptions options = history_options(given);
  return run(call, [&](const Execution& e) {
    return std::make_shared<HaloHistories>(halo_histories(catalogues, options, earlier.get(), e));
  });
}

/// Counts members, as labels have been checked.
void count_members(const Labels& label, std::size_t halos, std::vector<std::int64_t>& members) {
  const std::size_t before = members.size();
  members.resize(before + halos, 0);
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label.data()[i] >= 0) ++members[before + static_cast<std::size_t>(label.data()[i])];
}

Histories trees_of_ids(const std::vector<std::pair<Ids, Labels>>& snapshots, const nb::dict& given,
                       const Call& call) {
  const HistoryOptions options = history_options(given);
  return run(call, [&](const Execution& e) {
    auto histories = std::make_shared<HaloHistories>();
    HaloLinker linker(options.links);
    std::vector<std::int64_t> members;
    for (const auto& [id, label] : snapshots) {
      linker.add(labeled(id, label), e);
      const HaloLinks& links = linker.links();
      count_members(label, links.size() - members.size(), members);
      histories->time.push_back(static_cast<double>(histories->time.size()));
      histories->redshift.push_back(0);
    }
    HaloLinks links = linker.links();
    if (options.orphans) {
      OrphanFollower follower(links, members, options.main_branch, e);
      for (const auto& [id, label] : snapshots) follower.add(labeled(id, label), e);
      links = follower.links();
      members = follower.members();
    }
    histories->trees = merger_trees(links, members, options.main_branch, e);
    histories->options = options;
    return histories;
  });
}

/// An array over memory of the histories, which it keeps alive.
template <class T>
nb::object over(const std::vector<T>& values, const Histories& histories, std::size_t width = 1) {
  if (width == 1) return array_over(values.data(), {values.size()}, histories);
  return array_over(values.data(), {values.size() / width, width}, histories);
}

nb::dict links_of(const Histories& histories) {
  const MergerTrees& trees = histories->trees;
  nb::dict links;
  links["snapshot"] = over(trees.snapshot, histories);
  links["label"] = over(trees.label, histories);
  links["members"] = over(trees.members, histories);
  links["descendant"] = over(trees.descendant, histories);
  links["first_progenitor"] = over(trees.first_progenitor, histories);
  links["next_progenitor"] = over(trees.next_progenitor, histories);
  links["last_progenitor"] = over(trees.last_progenitor, histories);
  links["main_leaf"] = over(trees.main_leaf, histories);
  links["root"] = over(trees.root, histories);
  links["roots"] = over(trees.roots, histories);
  links["second"] = over(trees.second, histories);
  links["best_progenitor"] = over(trees.best_progenitor, histories);
  links["score"] = over(trees.score, histories);
  links["second_score"] = over(trees.second_score, histories);
  links["is_mutual"] = over(trees.is_mutual, histories);
  links["is_flyby"] = over(trees.is_flyby, histories);
  links["is_swap"] = over(trees.is_swap, histories);
  if (!trees.host.empty()) {
    links["is_orphan"] = over(trees.is_orphan, histories);
    links["host"] = over(trees.host, histories);
  }
  links["time"] = over(histories->time, histories);
  links["redshift"] = over(histories->redshift, histories);
  return links;
}

nb::dict columns_of_halos(const Histories& histories) {
  const HaloColumns& columns = histories->columns;
  nb::dict found;
  const auto add = [&](const char* name, const auto& column, std::size_t width = 1) {
    if (!column.empty()) found[name] = over(column, histories, width);
  };
  add("mass", columns.mass);
  add("position", columns.position, 3);
  add("velocity", columns.velocity, 3);
  add("spin", columns.spin, 3);
  add("velocity_dispersion", columns.velocity_dispersion);
  add("vmax", columns.vmax);
  add("vmax_radius", columns.vmax_radius);
  add("half_mass_radius", columns.half_mass_radius);
  add("critical200_mass", columns.critical200_mass);
  add("most_bound_id", columns.most_bound_id);
  add("group", columns.group);
  add("halo_id", columns.halo_id);
  return found;
}

void write_trees(const Histories& histories, const std::string& path, const std::string& format,
                 const Call& call) {
  std::string known;
  for (const TreeFormat each : {TreeFormat::gadget4, TreeFormat::sublink, TreeFormat::lhalotree,
                                TreeFormat::consistent_trees, TreeFormat::csv}) {
    known += (known.empty() ? "" : ", ") + std::string(name(each));
    if (format != name(each)) continue;
    return run_work(call, [&](const Execution& e) { write_histories(path, *histories, each, e); });
  }
  throw Error(ErrorCode::invalid_argument, "trees: format = " + format + "; choose from " + known);
}

}  // namespace

void bind_merger_trees(nb::module_& module) {
  nb::class_<HaloHistories>(module, "Histories");
  module.def("trees_of_catalogues", &trees_of_catalogues, nb::arg("catalogues"), nb::arg("options"),
             nb::arg("earlier").none(), nb::arg("call"));
  module.def("trees_of_ids", &trees_of_ids);
  module.def("read_trees", [](const std::string& path, const Call& call) {
    return run(call, [&](const Execution& e) {
      return std::make_shared<HaloHistories>(read_histories(path, e));
    });
  });
  module.def("write_trees", &write_trees);
  module.def("tree_links", &links_of);
  module.def("tree_columns", &columns_of_halos);
  module.def("merger_ratios", [](const Histories& histories, const Numbers& mass) {
    return array_of(merger_ratios(histories->trees, span_of(mass)));
  });
  module.def("half_mass_row",
             [](const Histories& histories, const Numbers& mass, std::int64_t row) {
               return half_mass_row(histories->trees, span_of(mass), row);
             });
  module.def("last_merger_row",
             [](const Histories& histories, const Numbers& ratios, std::int64_t row, double least) {
               return last_merger_row(histories->trees, span_of(ratios), row, least);
             });
}

}  // namespace kith::python
