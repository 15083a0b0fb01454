// Merger trees as SubLink writes them: rows in depth-first order, where links are IDs of halos.
// Ours are the rows themselves. A folder has the tree and, for each snapshot, the places of its
// subhalos in the tree, where illustris_python looks for them.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/sides.hpp"
#include "files/hdf5.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/plain_trees.hpp"
#include "merger_files/tree_chains.hpp"
#include "merger_files/tree_formats.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::int64_t>;

constexpr std::int64_t kRawFactor = 1000000000000;

template <class To, class From>
void put_rows(hdf5::OutputFile& file, const char* name, const std::vector<From>& column,
              std::size_t width = 1) {
  const std::vector<To> values(column.begin(), column.end());
  const std::size_t rows = values.size() / width;
  file.write_dataset(name, width == 1 ? hdf5::Shape{rows} : hdf5::Shape{rows, width},
                     values.data());
}

/// The mass of each halo, added along its main branch.
std::vector<double> mass_histories(const MergerTrees& trees, std::vector<double> mass) {
  for (std::size_t row = mass.size(); row-- > 0;)
    if (const std::int64_t main = trees.first_progenitor[row]; main >= 0)
      mass[row] += mass[static_cast<std::size_t>(main)];
  return mass;
}

void put_links(hdf5::OutputFile& file, const MergerTrees& trees, const Rows& group) {
  Rows id(trees.size()), raw(trees.size()), tree(trees.size());
  for (std::size_t row = 0; row < trees.size(); ++row) {
    id[row] = static_cast<std::int64_t>(row);
    raw[row] = trees.snapshot[row] * kRawFactor + trees.label[row];
  }
  for (std::size_t t = 0; t < trees.roots.size(); ++t) {
    const std::int64_t last = trees.last_progenitor[static_cast<std::size_t>(trees.roots[t])];
    std::fill(tree.begin() + trees.roots[t], tree.begin() + last + 1, static_cast<std::int64_t>(t));
  }
  const GroupChains groups(trees, group);
  put_rows<std::int64_t>(file, "SubhaloID", id);
  put_rows<std::int64_t>(file, "SubhaloIDRaw", raw);
  put_rows<std::int64_t>(file, "TreeID", tree);
  put_rows<std::int64_t>(file, "LastProgenitorID", trees.last_progenitor);
  put_rows<std::int64_t>(file, "MainLeafProgenitorID", trees.main_leaf);
  put_rows<std::int64_t>(file, "RootDescendantID", trees.root);
  put_rows<std::int64_t>(file, "FirstProgenitorID", trees.first_progenitor);
  put_rows<std::int64_t>(file, "NextProgenitorID", trees.next_progenitor);
  put_rows<std::int64_t>(file, "DescendantID", trees.descendant);
  put_rows<std::int64_t>(file, "FirstSubhaloInFOFGroupID", groups.first);
  put_rows<std::int64_t>(file, "NextSubhaloInFOFGroupID", groups.next);
  put_rows<std::int16_t>(file, "SnapNum", trees.snapshot);
  put_rows<std::int32_t>(file, "SubfindID", trees.label);
  put_rows<std::int32_t>(file, "NumParticles", trees.members);
}

void put_columns(hdf5::OutputFile& file, const HaloHistories& histories) {
  const std::vector<double> mass = histories.mass_or_members();
  put_rows<float>(file, "Mass", mass);
  put_rows<float>(file, "MassHistory", mass_histories(histories.trees, mass));
  for_each_column(histories.columns, [&](const char* name, const auto& column, std::size_t width) {
    if (column.size() != histories.trees.size() * width) return;
    const bool is_group = std::string_view(name) == "GroupNr";
    if constexpr (std::is_same_v<decltype(column), const std::vector<double>&>)
      put_rows<float>(file, name, column, width);
    else if (is_group)
      put_rows<std::int32_t>(file, "SubhaloGrNr", column);
    else
      put_rows<std::uint64_t>(file, name, column);
  });
}

/// The format has no place for these; attributes do not disturb its readers.
void put_facts(hdf5::OutputFile& file, const HaloHistories& histories) {
  if (!histories.time.empty()) {
    file.set("Time", histories.time);
    file.set("Redshift", histories.redshift);
  }
  file.set("BoxSize", kith::sides_of(histories.box, 3).front());
  const Background& background = histories.background;
  file.set("Omega0", background.omega_m);
  file.set("OmegaLambda", background.omega_lambda);
  file.set("OmegaBaryon", background.omega_b);
  file.set("HubbleParam", background.h);
  file.set("UnitLength_in_cm", histories.units.length);
  file.set("UnitMass_in_g", histories.units.mass);
  file.set("UnitVelocity_in_cm_per_s", histories.units.velocity);
  file.set("IsPerH", std::int32_t{histories.units.is_per_h});
  file.set("IsComoving", std::int32_t{histories.units.is_comoving});
}

void get_facts(const hdf5::InputFile& file, HaloHistories& histories) {
  const auto number = [&](const char* name) { return file.number(name).value_or(0); };
  Background& background = histories.background;
  background.omega_m = number("Omega0");
  background.omega_lambda = number("OmegaLambda");
  background.omega_b = number("OmegaBaryon");
  background.h = number("HubbleParam");
  background.is_known = background.h > 0;
  if (const double side = number("BoxSize"); side > 0) histories.box = Box::periodic(side);
  histories.units.length = number("UnitLength_in_cm");
  histories.units.mass = number("UnitMass_in_g");
  histories.units.velocity = number("UnitVelocity_in_cm_per_s");
  histories.units.is_per_h = number("IsPerH") > 0;
  histories.units.is_comoving = number("IsComoving") > 0;
  histories.time = file.numbers("Time").value_or(std::vector<double>{});
  histories.redshift = file.numbers("Redshift").value_or(std::vector<double>{});
}

void write_tree_file(const std::string& path, const HaloHistories& histories) {
  hdf5::OutputFile file(path);
  put_facts(file, histories);
  put_links(file, histories.trees, histories.columns.group);
  put_columns(file, histories);
  file.finish();
  file.commit();
}

/// Where the subhalos of one snapshot are in the tree.
void write_offsets(const std::string& path, const MergerTrees& trees, const Rows& rows) {
  std::int64_t subhalos = 0;
  for (const std::int64_t row : rows)
    subhalos = std::max<std::int64_t>(subhalos, trees.label[static_cast<std::size_t>(row)] + 1);
  Rows id(static_cast<std::size_t>(subhalos), -1), last = id;
  for (const std::int64_t row : rows) {
    const auto label = static_cast<std::size_t>(trees.label[static_cast<std::size_t>(row)]);
    id[label] = row;
    last[label] = trees.last_progenitor[static_cast<std::size_t>(row)];
  }
  hdf5::OutputFile file(path);
  {
    const std::int64_t zero = 0;
    file.create_group("FileOffsets").write_dataset("Subhalo", {1}, &zero);
    hdf5::Group offsets = file.create_group("Subhalo").create_group("SubLink");
    offsets.write_dataset("RowNum", {id.size()}, id.data());
    offsets.write_dataset("SubhaloID", {id.size()}, id.data());
    offsets.write_dataset("LastProgenitorID", {last.size()}, last.data());
  }
  file.finish();
  file.commit();
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::io, "{}: cannot be made: {}", folder.string(), error.message());
}

/// The first file in a folder; files are themselves.
std::string sublink_file(const std::string& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* inside :
       {"postprocessing/trees/SubLink/tree_extended.0.hdf5", "tree_extended.0.hdf5", "tree.0.hdf5"})
    if (const fs::path file = fs::path(path) / inside; fs::is_regular_file(file))
      return file.string();
  return path;
}

/// "tree_extended.0.hdf5" and those with higher numbers, as long as there are.
std::vector<std::string> sublink_files(const std::string& path) {
  std::vector<std::string> files{path};
  const std::string ending = ".0.hdf5";
  if (!path.ends_with(ending)) return files;
  const std::string stem = path.substr(0, path.size() - ending.size());
  for (std::size_t number = 1;; ++number) {
    const std::string next = fmt::format("{}.{}.hdf5", stem, number);
    if (!fs::is_regular_file(next)) return files;
    files.push_back(next);
  }
}

/// The halos of all files, whose links are IDs.
struct SubLinkHalos {
  PlainTrees plain;
  Rows id;
  HaloColumns columns;

  void add(const std::string& path) {
    const hdf5::InputFile file(path);
    const std::uint64_t rows = row_count(file, "SubhaloID");
    const auto whole = [&](const char* name, Rows& to) {
      io::append(to, read_signed(file, name, rows));
    };
    whole("SubhaloID", id);
    whole("SnapNum", plain.snapshot);
    whole("SubfindID", plain.label);
    whole("NumParticles", plain.members);
    whole("DescendantID", plain.descendant);
    whole("FirstProgenitorID", plain.main_progenitor);
    for_each_column(columns, [&](const char* name, auto& column, std::size_t width) {
      const std::string dataset = std::string_view(name) == "GroupNr" ? "SubhaloGrNr" : name;
      append_dataset(column, file, dataset, rows, width);
    });
  }

  void number_rows(const std::string& where) {
    std::unordered_map<std::int64_t, std::int64_t> row;
    for (std::size_t k = 0; k < id.size(); ++k) row[id[k]] = static_cast<std::int64_t>(k);
    for (Rows* column : {&plain.descendant, &plain.main_progenitor})
      for (std::int64_t& link : *column) {
        if (link < 0) continue;
        const auto found = row.find(link);
        if (found == row.end())
          fail(ErrorCode::io, "{}: a link to subhalo {}, which is not there", where, link);
        link = found->second;
      }
  }
};

}  // namespace

void write_sublink(const std::string& path, const HaloHistories& histories) {
  const MergerTrees& trees = histories.trees;
  if (trees.snapshots > 32768)
    refuse("{}: {} snapshots; SubLink's files number them with 16 bits", path, trees.snapshots);
  const fs::path inside = fs::path(path) / "postprocessing";
  make_folder(fs::path(path) / "output");  // readers find everything from here
  make_folder(inside / "trees" / "SubLink");
  make_folder(inside / "offsets");
  std::vector<Rows> rows(trees.snapshots);
  for (std::size_t row = 0; row < trees.size(); ++row)
    rows[static_cast<std::size_t>(trees.snapshot[row])].push_back(static_cast<std::int64_t>(row));
  for (std::size_t s = 0; s < rows.size(); ++s)
    write_offsets((inside / "offsets" / fmt::format("offsets_{:03}.hdf5", s)).string(), trees,
                  rows[s]);
  write_tree_file((inside / "trees" / "SubLink" / "tree_extended.0.hdf5").string(), histories);
}

bool is_sublink(const std::string& path) {
  const std::string first = sublink_file(path);
  if (fs::is_directory(first) || !hdf5::is_hdf5(first)) return false;
  const hdf5::InputFile file(first);
  return file.contains("SubhaloID") && file.contains("DescendantID") && file.contains("SubfindID");
}

HaloHistories read_sublink(const std::string& path) {
  const std::string first = sublink_file(path);
  HaloHistories histories;
  get_facts(hdf5::InputFile(first), histories);
  SubLinkHalos halos;
  for (const std::string& name : sublink_files(first)) halos.add(name);
  halos.number_rows(first);
  fill_times(halos.plain, histories);
  take_plain_trees(halos.plain, halos.columns, first, histories);
  return histories;
}

}  // namespace kith::io
