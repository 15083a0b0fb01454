// Merger trees as Gadget-4 writes them: halos in trees, where links are numbers within the tree.
// Halos of one group belong to one tree there, so our trees are joined where they share a group.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include <kith/version.hpp>

#include "base/fail.hpp"
#include "base/sides.hpp"
#include "files/hdf5.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/members_reader.hpp"
#include "merger_files/plain_trees.hpp"
#include "merger_files/tree_chains.hpp"
#include "merger_files/tree_formats.hpp"

namespace kith::io {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

/// Writes columns of the histories in the order of the file.
class HaloWriter {
 public:
  HaloWriter(hdf5::OutputFile& file, const JoinedTrees& order)
      : group_(file.create_group("TreeHalos")), order_(order) {}

  template <class To, class From>
  void put(const std::string& name, const std::vector<From>& column, std::size_t width = 1) {
    std::vector<To> values;
    values.reserve(column.size());
    for (const std::int64_t row : order_.row)
      for (std::size_t k = 0; k < width; ++k)
        values.push_back(static_cast<To>(column[place(row) * width + k]));
    const hdf5::Shape shape =
        width == 1 ? hdf5::Shape{order_.row.size()} : hdf5::Shape{order_.row.size(), width};
    group_.write_dataset(name, shape, values.data());
  }

  /// As float32 if that loses nothing: catalogues have them so.
  void put_numbers(const std::string& name, const std::vector<double>& column, std::size_t width) {
    const bool are_floats = std::all_of(column.begin(), column.end(), [](double value) {
      return !(std::abs(value) <= std::numeric_limits<float>::max()) ||
             static_cast<double>(static_cast<float>(value)) == value;
    });
    if (are_floats)
      put<float>(name, column, width);
    else
      put<double>(name, column, width);
  }

  /// Rows as numbers within the tree.
  void put_links(const std::string& name, const Numbers& column) {
    Numbers numbers(column.size(), -1);
    for (std::size_t r = 0; r < column.size(); ++r)
      if (column[r] >= 0) numbers[r] = order_.number[place(column[r])];
    put<std::int32_t>(name, numbers);
  }

 private:
  hdf5::Group group_;
  const JoinedTrees& order_;
};

void write_links(HaloWriter& halos, const MergerTrees& trees, const GroupChains& groups) {
  const Chains progenitors(trees, trees.descendant), descendants(trees, trees.best_progenitor);
  halos.put_links("TreeDescendant", trees.descendant);
  halos.put_links("TreeMainProgenitor", trees.first_progenitor);
  halos.put_links("TreeFirstProgenitor", progenitors.first);
  halos.put_links("TreeNextProgenitor", progenitors.next);
  halos.put_links("TreeProgenitor", trees.best_progenitor);
  halos.put_links("TreeFirstDescendant", descendants.first);
  halos.put_links("TreeNextDescendant", descendants.next);
  halos.put_links("TreeFirstHaloInFOFgroup", groups.first);
  halos.put_links("TreeNextHaloInFOFgroup", groups.next);
}

/// What Gadget-4's files do not have. The second best descendant may be in another tree, so it is
/// a row of the file.
void write_margins(HaloWriter& halos, const MergerTrees& trees, const JoinedTrees& order) {
  const auto put_rows = [&](const char* name, const Numbers& column) {
    Numbers rows(column.size(), -1);
    for (std::size_t r = 0; r < column.size(); ++r)
      if (column[r] >= 0) rows[r] = order.file_row[place(column[r])];
    halos.put<std::int64_t>(name, rows);
  };
  put_rows("LinkSecond", trees.second);
  halos.put<double>("LinkScore", trees.score);
  halos.put<double>("LinkSecondScore", trees.second_score);
  halos.put<std::uint8_t>("LinkIsMutual", trees.is_mutual);
  halos.put<std::uint8_t>("LinkIsFlyby", trees.is_flyby);
  halos.put<std::uint8_t>("LinkIsSwap", trees.is_swap);
  if (trees.host.empty()) return;
  put_rows("LinkHost", trees.host);
  halos.put<std::uint8_t>("LinkIsOrphan", trees.is_orphan);
}

void write_halos(HaloWriter& halos, const HaloHistories& histories, const JoinedTrees& order) {
  const MergerTrees& trees = histories.trees;
  halos.put<std::int32_t>("SnapNum", trees.snapshot);
  halos.put<std::int64_t>("SubhaloNr", trees.label);
  halos.put<std::int32_t>("SubhaloLen", trees.members);
  Numbers tree(trees.size());
  for (std::size_t k = 0; k < tree.size(); ++k) tree[place(order.row[k])] = order.tree[k];
  halos.put<std::int64_t>("TreeID", tree);
  halos.put<std::int32_t>("TreeIndex", order.number);
  for_each_column(histories.columns, [&](const char* name, const auto& column, std::size_t width) {
    if (column.size() != trees.size() * width) return;
    if constexpr (std::is_same_v<decltype(column), const std::vector<double>&>)
      halos.put_numbers(name, column, width);
    else
      halos.put<typename std::decay_t<decltype(column)>::value_type>(name, column);
  });
}

void write_parameters(hdf5::OutputFile& file, const HaloHistories& histories) {
  hdf5::Group parameters = file.create_group("Parameters");
  const Background& background = histories.background;
  parameters.set("BoxSize", kith::sides_of(histories.box, 3).front());
  parameters.set("Omega0", background.omega_m);
  parameters.set("OmegaLambda", background.omega_lambda);
  parameters.set("OmegaBaryon", background.omega_b);
  parameters.set("HubbleParam", background.is_known ? background.h : 1.0);
  parameters.set("ComovingIntegrationOn", std::int32_t{background.is_known ? 1 : 0});
  parameters.set("UnitLength_in_cm", histories.units.length);
  parameters.set("UnitMass_in_g", histories.units.mass);
  parameters.set("UnitVelocity_in_cm_per_s", histories.units.velocity);
}

/// How the trees were made, as far as checks and more snapshots need it.
void write_options(hdf5::OutputFile& file, const HaloHistories& histories) {
  const HistoryOptions& options = histories.options;
  hdf5::Group kith = file.create_group("KithTrees");
  kith.set("version", KITH_VERSION);
  kith.set("weight", kith::name(options.links.match.weight));
  kith.set("weight_is_automatic", std::int32_t{options.weight_is_automatic});
  kith.set("most_bound", options.links.match.most_bound);
  kith.set("reach", std::int32_t{options.links.reach});
  kith.set("main_branch", kith::name(options.main_branch));
  if (options.orphans) kith.set("orphans", std::int32_t{1});
  kith.set("type", std::int32_t{options.halos.type});
  kith.set("find", std::int32_t{options.halos.find});
  kith.set("subhalos", std::int32_t{options.halos.subhalos});
  kith.set("b", options.halos.b);
  kith.set("linking_length", options.halos.linking_length);
  kith.set("min_size", static_cast<std::uint64_t>(options.halos.min_size));
  kith.set("is_per_h", std::int32_t{histories.units.is_per_h});
  kith.set("is_comoving", std::int32_t{histories.units.is_comoving});
  for (std::size_t s = 0; s < histories.catalogue.size(); ++s)
    kith.set(fmt::format("catalogue_{}", s), histories.catalogue[s]);
}

template <class T>
void write_table(hdf5::Group& group, const char* name, const std::vector<T>& values) {
  group.write_dataset(name, {values.size()}, values.data());
}

/// The halos of all files.
struct StoredTrees {
  PlainTrees plain;
  Numbers index;
  HaloColumns columns;

  void add(const std::string& path) {
    const hdf5::InputFile file(path);
    if (!file.contains("TreeHalos/SnapNum")) return;  // a file without halos
    const std::uint64_t rows = row_count(file, "TreeHalos/SnapNum");
    const auto whole = [&](const char* name, Numbers& to) {
      io::append(to, read_signed(file, fmt::format("TreeHalos/{}", name), rows));
    };
    const auto numbers = [&](const char* name, std::vector<double>& to) {
      io::append(to, read_numbers(file, fmt::format("TreeHalos/{}", name), rows));
    };
    whole("SnapNum", plain.snapshot);
    whole("SubhaloNr", plain.label);
    whole("SubhaloLen", plain.members);
    whole("TreeIndex", index);
    whole("TreeDescendant", plain.descendant);
    whole("TreeMainProgenitor", plain.main_progenitor);
    whole("TreeProgenitor", plain.best_progenitor);
    whole("LinkSecond", plain.second);
    whole("LinkIsMutual", plain.is_mutual);
    whole("LinkIsFlyby", plain.is_flyby);
    whole("LinkIsOrphan", plain.is_orphan);
    whole("LinkHost", plain.host);
    numbers("LinkScore", plain.score);
    numbers("LinkSecondScore", plain.second_score);
    for_each_column(columns, [&](const char* name, auto& column, std::size_t width) {
      append_dataset(column, file, fmt::format("TreeHalos/{}", name), rows, width);
    });
  }

  /// Links within trees as rows of all files.
  void number_rows(const std::string& where) {
    const std::size_t n = plain.snapshot.size();
    for (Numbers* column : {&plain.descendant, &plain.main_progenitor, &plain.best_progenitor}) {
      if (column->size() != n || index.size() != n)
        fail(ErrorCode::io, "{}: {} rows of links for {} halos", where, column->size(), n);
      for (std::size_t k = 0; k < n; ++k)
        if ((*column)[k] >= 0) (*column)[k] += static_cast<std::int64_t>(k) - index[k];
    }
  }
};

double number_of_parameter(const hdf5::Group& parameters, const char* name, double otherwise) {
  return parameters.number(name).value_or(otherwise);
}

void read_parameters(const hdf5::InputFile& file, HaloHistories& histories) {
  histories.units.is_per_h = histories.units.is_comoving = true;
  if (!file.contains("Parameters")) return;
  const hdf5::Group parameters = file.group("Parameters");
  const auto number = [&](const char* name, double otherwise) {
    return number_of_parameter(parameters, name, otherwise);
  };
  Background& background = histories.background;
  background.is_known = number("ComovingIntegrationOn", 1) > 0;
  background.omega_m = number("Omega0", 0);
  background.omega_lambda = number("OmegaLambda", 0);
  background.omega_b = number("OmegaBaryon", 0);
  background.h = number("HubbleParam", 0);
  if (!histories.redshift.empty()) {
    background.redshift = histories.redshift.back();
    background.scale_factor = 1 / (1 + background.redshift);
  }
  if (const double side = number("BoxSize", 0); side > 0) histories.box = Box::periodic(side);
  histories.units.length = number("UnitLength_in_cm", 0);
  histories.units.mass = number("UnitMass_in_g", 0);
  histories.units.velocity = number("UnitVelocity_in_cm_per_s", 0);
}

void read_options(const hdf5::InputFile& file, HaloHistories& histories) {
  if (!file.contains("KithTrees")) return;
  const hdf5::Group kith = file.group("KithTrees");
  HistoryOptions& options = histories.options;
  const auto number = [&](const char* name, double otherwise) {
    return number_of_parameter(kith, name, otherwise);
  };
  const auto count = [&](const char* name, std::uint64_t otherwise) {
    const auto found = kith.counts(name);
    return found && !found->empty() ? found->front() : otherwise;
  };
  for (const RankWeight weight :
       {RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank})
    if (kith.text("weight") == kith::name(weight)) options.links.match.weight = weight;
  if (kith.text("main_branch") == kith::name(MainBranch::score))
    options.main_branch = MainBranch::score;
  options.weight_is_automatic = count("weight_is_automatic", 1) != 0;
  options.orphans = count("orphans", 0) != 0;
  options.links.match.most_bound = count("most_bound", 0);
  options.links.reach = static_cast<int>(std::clamp<std::uint64_t>(count("reach", 1), 1, 1000000));
  options.halos.type = static_cast<int>(std::clamp(number("type", -1), -1.0, 1e6));
  options.halos.find = count("find", 0) != 0;
  options.halos.subhalos = count("subhalos", 0) != 0;
  options.halos.b = number("b", options.halos.b);
  options.halos.linking_length = number("linking_length", 0);
  options.halos.min_size = count("min_size", options.halos.min_size);
  histories.units.is_per_h = count("is_per_h", 1) != 0;
  histories.units.is_comoving = count("is_comoving", 1) != 0;
  for (std::size_t s = 0; s < histories.time.size(); ++s)
    if (const auto path = kith.text(fmt::format("catalogue_{}", s)))
      histories.catalogue.push_back(*path);
}

}  // namespace

void write_gadget_trees(const std::string& path, const HaloHistories& histories) {
  const MergerTrees& trees = histories.trees;
  const GroupChains groups(trees, histories.columns.group);
  const JoinedTrees order(trees, groups, histories.columns.most_bound_id);
  hdf5::OutputFile file(path);
  {
    hdf5::Group header = file.create_group("Header");
    for (const char* name : {"Ntrees_ThisFile", "Ntrees_Total"})
      header.set(name, static_cast<std::uint64_t>(order.length.size()));
    for (const char* name : {"Nhalos_ThisFile", "Nhalos_Total"})
      header.set(name, static_cast<std::uint64_t>(trees.size()));
    header.set("NumFiles", std::int32_t{1});
    header.set("LastSnapShotNr", static_cast<std::int32_t>(trees.snapshots) - 1);
    write_parameters(file, histories);
    write_options(file, histories);
    HaloWriter halos(file, order);
    write_halos(halos, histories, order);
    write_links(halos, trees, groups);
    write_margins(halos, trees, order);
    hdf5::Group table = file.create_group("TreeTable");
    write_table(table, "Length",
                std::vector<std::int32_t>(order.length.begin(), order.length.end()));
    write_table(table, "StartOffset", order.start);
    Numbers id(order.length.size());
    std::iota(id.begin(), id.end(), 0);
    write_table(table, "TreeID", id);
    hdf5::Group times = file.create_group("TreeTimes");
    write_table(times, "Redshift", histories.redshift);
    write_table(times, "Time", histories.time);
  }
  file.finish();
  file.commit();
}

bool is_gadget_trees(const std::string& path) {
  if (!hdf5::is_hdf5(path)) return false;
  const hdf5::InputFile file(path);
  return file.contains("Header") && file.contains("TreeTable") && file.contains("TreeTimes");
}

HaloHistories read_gadget_trees(const std::string& path) {
  HaloHistories histories;
  {
    const hdf5::InputFile file(path);
    const std::uint64_t snapshots = row_count(file, "TreeTimes/Time");
    histories.time = read_numbers(file, "TreeTimes/Time", snapshots);
    histories.redshift = read_numbers(file, "TreeTimes/Redshift", snapshots);
    read_parameters(file, histories);
    read_options(file, histories);
  }
  StoredTrees stored;
  for (const std::string& name : gadget_catalogue_files(path)) stored.add(name);
  stored.plain.snapshots = histories.time.size();
  stored.number_rows(path);
  take_plain_trees(stored.plain, stored.columns, path, histories);
  return histories;
}

}  // namespace kith::io
