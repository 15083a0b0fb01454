// Merger trees as text: consistent-trees' tables, and a table that ytree reads.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/sides.hpp"
#include "files/atomic_file.hpp"
#include "files/input_bytes.hpp"
#include "files/known_units.hpp"
#include "files/utf8.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/plain_trees.hpp"
#include "merger_files/tree_chains.hpp"
#include "merger_files/tree_formats.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

constexpr const char* kColumns[] = {"scale",
                                    "id",
                                    "desc_scale",
                                    "desc_id",
                                    "num_prog",
                                    "pid",
                                    "upid",
                                    "desc_pid",
                                    "phantom",
                                    "sam_Mvir",
                                    "Mvir",
                                    "Rvir",
                                    "rs",
                                    "vrms",
                                    "mmp?",
                                    "scale_of_last_MM",
                                    "vmax",
                                    "x",
                                    "y",
                                    "z",
                                    "vx",
                                    "vy",
                                    "vz",
                                    "Jx",
                                    "Jy",
                                    "Jz",
                                    "Spin",
                                    "Breadth_first_ID",
                                    "Depth_first_ID",
                                    "Tree_root_ID",
                                    "Orig_halo_ID",
                                    "Snap_idx",
                                    "Next_coprogenitor_depthfirst_ID",
                                    "Last_progenitor_depthfirst_ID",
                                    "Last_mainleaf_depthfirst_ID"};

constexpr double kSolarMass = kMasses[0].cgs;

/// Codes write 1.989e43 g for 1e10 Msun: such a factor is meant to be a power of ten.
double meant_factor(double unit, double in) {
  const double factor = unit / in, power = std::pow(10.0, std::round(std::log10(factor)));
  return std::abs(factor / power - 1) < 1e-3 ? power : factor;
}

/// Factors from the units of the histories to those of the format: Msun/h, Mpc/h, km/s, comoving.
struct TextUnits {
  double mass, length, velocity;

  TextUnits(const std::string& path, const HaloHistories& histories) {
    const Units& units = histories.units;
    const double h = histories.background.h;
    if (!(units.mass > 0) || !(units.length > 0) || !(units.velocity > 0) || !(h > 0))
      refuse("{}: consistent-trees' files need units and the Hubble constant, which are unknown",
             path);
    const double per_h = units.is_per_h ? 1 : h;
    mass = meant_factor(units.mass, kSolarMass) * per_h;
    length = meant_factor(units.length, kMegaparsec) * per_h;
    velocity = units.velocity / 1e5;
  }
};

double value_or_zero(const std::vector<double>& column, std::size_t i) {
  return column.empty() ? 0 : column[i];
}

/// One tree after the other, depth first.
class ConsistentWriter {
 public:
  ConsistentWriter(const std::string& path, const HaloHistories& histories)
      : histories_(histories),
        trees_(histories.trees),
        units_(path, histories),
        mass_(histories.mass_or_members()),
        groups_(trees_, histories.columns.group),
        ratio_(merger_ratios(trees_, mass_)),
        progenitors_(trees_.size(), 0),
        last_merger_(trees_.size(), 0) {
    for (const std::int64_t to : trees_.descendant)
      if (to >= 0) ++progenitors_[static_cast<std::size_t>(to)];
    find_last_mergers();
    breadth_first();
  }

  std::string head() const {
    const Background& background = histories_.background;
    std::string text = "#";
    for (std::size_t k = 0; k < std::size(kColumns); ++k)
      text += fmt::format("{}{}({})", k == 0 ? "" : " ", kColumns[k], k);
    text += fmt::format("\n#Omega_M = {}; Omega_L = {}; h0 = {}\n", background.omega_m,
                        background.omega_lambda, background.h);
    text += fmt::format("#Full box size = {:.6f} Mpc/h\n",
                        kith::sides_of(histories_.box, 3).front() * units_.length);
    text +=
        "#Scale: Scale factor of halo.\n#ID: ID of halo (unique across entire simulation).\n"
        "#Desc_Scale: Scale of descendant halo, if applicable.\n"
        "#Descid: ID of descendant halo, if applicable.\n"
        "#Num_prog: Number of progenitors.\n"
        "#Pid: ID of the first halo of the group (-1 if this is the first one).\n"
        "#Upid: the same.\n#Phantom: 0; links reach over snapshots without the halo.\n"
        "#SAM_Mvir: Halo mass (Msun/h).\n#Mvir: Halo mass (Msun/h).\n"
        "#Rvir: Half-mass radius (kpc/h comoving); 0 if it is unknown.\n"
        "#Rs: 0, as it is unknown.\n#Vrms: Velocity dispersion (km/s physical).\n"
        "#mmp?: whether the halo is the main progenitor or not.\n"
        "#scale_of_last_MM: scale factor of the last major merger (Mass ratio > 0.3).\n"
        "#Vmax: Maximum circular velocity (km/s physical).\n"
        "#X/Y/Z: Halo position (Mpc/h comoving).\n"
        "#VX/VY/VZ: Halo velocity (km/s physical).\n"
        "#JX/JY/JZ: Specific angular momenta in units of the catalogue.\n"
        "#Consistent Trees: the format; written by kith\n";
    return text + fmt::format("{}\n", trees_.roots.size());
  }

  /// With the line before it that names its tree, if it is the first.
  std::string row(std::size_t r) const {
    const HaloColumns& columns = histories_.columns;
    std::string text;
    if (trees_.descendant[r] < 0) text = fmt::format("#tree {}\n", r);
    const std::int64_t to = trees_.descendant[r], host = host_of(r);
    const double mass = mass_[r] * units_.mass;
    text += fmt::format(
        "{:.8g} {} {:.8g} {} {} {} {} {} 0 {:.9g} {:.9g} {:.9g} 0 {:.9g} {} {:.8g} "
        "{:.9g}",
        scale(r), r, to < 0 ? 0 : scale(static_cast<std::size_t>(to)), to, progenitors_[r], host,
        host, to < 0 ? -1 : host_of(static_cast<std::size_t>(to)), mass, mass,
        value_or_zero(columns.half_mass_radius, r) * units_.length * 1e3,
        value_or_zero(columns.velocity_dispersion, r) * units_.velocity, is_main(r) ? 1 : 0,
        last_merger_[r], value_or_zero(columns.vmax, r) * units_.velocity);
    for (std::size_t axis = 0; axis < 3; ++axis)
      text += fmt::format(" {:.9g}", value_or_zero(columns.position, 3 * r + axis) * units_.length);
    for (std::size_t axis = 0; axis < 3; ++axis)
      text +=
          fmt::format(" {:.9g}", value_or_zero(columns.velocity, 3 * r + axis) * units_.velocity);
    for (std::size_t axis = 0; axis < 3; ++axis)
      text += fmt::format(" {:.9g}", value_or_zero(columns.spin, 3 * r + axis));
    return text + fmt::format(" 0 {} {} {} {} {} {} {} {}\n", breadth_[r], r, trees_.root[r],
                              trees_.label[r], trees_.snapshot[r], trees_.next_progenitor[r],
                              trees_.last_progenitor[r], trees_.main_leaf[r]);
  }

 private:
  double scale(std::size_t r) const {
    return 1 / (1 + histories_.redshift[static_cast<std::size_t>(trees_.snapshot[r])]);
  }
  bool is_main(std::size_t r) const {
    const std::int64_t to = trees_.descendant[r];
    return to < 0 ||
           trees_.first_progenitor[static_cast<std::size_t>(to)] == static_cast<std::int64_t>(r);
  }
  std::int64_t host_of(std::size_t r) const {
    return groups_.first[r] == static_cast<std::int64_t>(r) ? -1 : groups_.first[r];
  }

  /// Progenitors are in later rows, so their last mergers are known first.
  void find_last_mergers() {
    constexpr double kMajor = 0.3;
    for (std::size_t r = 0; r < trees_.size(); ++r)
      if (ratio_[r] > kMajor) {
        const auto with = static_cast<std::size_t>(trees_.linked_to(r));
        last_merger_[with] = std::max(last_merger_[with], scale(with));
      }
    for (std::size_t r = trees_.size(); r-- > 0;)
      if (const std::int64_t main = trees_.first_progenitor[r]; main >= 0)
        last_merger_[r] = std::max(last_merger_[r], last_merger_[static_cast<std::size_t>(main)]);
  }

  /// Within each tree: all progenitors of one generation before the next.
  void breadth_first() {
    breadth_.resize(trees_.size());
    for (const std::int64_t root : trees_.roots) {
      std::vector<std::int64_t> queue{root};
      for (std::size_t k = 0; k < queue.size(); ++k) {
        const auto here = static_cast<std::size_t>(queue[k]);
        breadth_[here] = root + static_cast<std::int64_t>(k);
        for (std::int64_t p = trees_.first_progenitor[here]; p >= 0;
             p = trees_.next_progenitor[static_cast<std::size_t>(p)])
          queue.push_back(p);
      }
    }
  }

  const HaloHistories& histories_;
  const MergerTrees& trees_;
  TextUnits units_;
  std::vector<double> mass_;
  GroupChains groups_;
  std::vector<double> ratio_;
  std::vector<std::int64_t> progenitors_, breadth_;
  std::vector<double> last_merger_;
};

/// Columns of consistent-trees' files by name.
class ConsistentRows {
 public:
  ConsistentRows(std::string_view head, const std::string& where) : where_(where) {
    std::vector<std::string_view> words;
    split(head.substr(1), Separator::space, words);
    for (std::size_t k = 0; k < words.size(); ++k)
      column_[std::string(words[k].substr(0, words[k].find('(')))] = k;
    for (const char* name : {"scale", "id", "desc_id", "mmp?", "Mvir", "x", "y", "z"})
      if (!column_.contains(name))
        fail(ErrorCode::io, "{}: its first line names no column {}", where, name);
  }

  void add(std::string_view line, std::uint64_t number) {
    split(line, Separator::space, words_);
    if (words_.size() < column_.size())
      fail(ErrorCode::io, "{}: line {} has {} numbers for {} columns", where_, number,
           words_.size(), column_.size());
    scale.push_back(value("scale"));
    id.push_back(whole("id"));
    descendant.push_back(whole("desc_id"));
    is_main.push_back(value("mmp?") != 0);
    label.push_back(column_.contains("Orig_halo_ID") ? whole("Orig_halo_ID") : whole("id"));
    snapshot.push_back(column_.contains("Snap_idx")   ? whole("Snap_idx")
                       : column_.contains("Snap_num") ? whole("Snap_num")
                                                      : -1);
    const std::int64_t host = column_.contains("upid") ? whole("upid") : -1;
    group.push_back(host < 0 ? id.back() : host);
    columns.mass.push_back(value("Mvir"));
    for (const char* axis : {"x", "y", "z"}) columns.position.push_back(value(axis));
    for (const char* axis : {"vx", "vy", "vz"}) columns.velocity.push_back(value(axis));
    for (const char* axis : {"Jx", "Jy", "Jz"}) columns.spin.push_back(value(axis));
    columns.velocity_dispersion.push_back(value("vrms"));
    columns.vmax.push_back(value("vmax"));
  }

  std::vector<double> scale;
  std::vector<std::int64_t> id, descendant, label, snapshot, group;
  std::vector<bool> is_main;
  HaloColumns columns;

 private:
  double value(const char* name) const {
    const auto found = column_.find(name);
    double number = 0;
    if (found != column_.end() && !parse_number(words_[found->second], number))
      fail(ErrorCode::io, "{}: {} is not a number of column {}", where_,
           as_utf8(std::string(words_[found->second].substr(0, 40))), name);
    return number;
  }
  std::int64_t whole(const char* name) const {
    const double number = value(name);
    if (!(std::abs(number) <= 0x1p53) || number != std::floor(number))
      fail(ErrorCode::io, "{}: {} is not a whole number", where_, number);
    return static_cast<std::int64_t>(number);
  }

  const std::string& where_;
  std::map<std::string, std::size_t> column_;
  std::vector<std::string_view> words_;
};

/// Rows without the number of their snapshot are numbered by their scale factors.
void number_snapshots(ConsistentRows& rows) {
  if (std::none_of(rows.snapshot.begin(), rows.snapshot.end(),
                   [](std::int64_t snapshot) { return snapshot < 0; }))
    return;
  std::vector<double> scales = rows.scale;
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  for (std::size_t k = 0; k < rows.scale.size(); ++k)
    rows.snapshot[k] =
        std::lower_bound(scales.begin(), scales.end(), rows.scale[k]) - scales.begin();
}

PlainTrees plain_of(const ConsistentRows& rows, const std::string& where) {
  PlainTrees plain;
  plain.snapshot = rows.snapshot;
  plain.label = rows.label;
  plain.main_progenitor.assign(rows.id.size(), -1);
  std::unordered_map<std::int64_t, std::int64_t> row;
  for (std::size_t k = 0; k < rows.id.size(); ++k) row[rows.id[k]] = static_cast<std::int64_t>(k);
  for (std::size_t k = 0; k < rows.id.size(); ++k) {
    std::int64_t to = -1;
    if (rows.descendant[k] >= 0) {
      const auto found = row.find(rows.descendant[k]);
      if (found == row.end())
        fail(ErrorCode::io, "{}: halo {} has descendant {}, which is not there", where, rows.id[k],
             rows.descendant[k]);
      to = found->second;
      if (rows.is_main[k])
        plain.main_progenitor[static_cast<std::size_t>(to)] = static_cast<std::int64_t>(k);
    }
    plain.descendant.push_back(to);
  }
  return plain;
}

/// "#Omega_M = 0.3; Omega_L = 0.7; h0 = 0.7" and "#Full box size = 25.0 Mpc/h".
void take_head_line(std::string_view line, HaloHistories& histories) {
  const auto number = [&](std::string_view name, double& to) {
    const std::size_t at = line.find(name);
    if (at == std::string_view::npos) return;
    std::vector<std::string_view> words;
    split(line.substr(at + name.size()), Separator::space, words);
    for (std::string_view word : words) {
      if (word.ends_with(';')) word.remove_suffix(1);
      if (parse_number(word, to)) return;
    }
  };
  Background& background = histories.background;
  number("Omega_M =", background.omega_m);
  number("Omega_L =", background.omega_lambda);
  number("h0 =", background.h);
  background.is_known = background.h > 0;
  double side = 0;
  number("Full box size =", side);
  if (side > 0) histories.box = Box::periodic(side);
}

void add_csv_column(std::string names[3], const char* name, const char* type, const char* unit) {
  const char* const separator = names[0].empty() ? "#" : ",";
  names[0] += fmt::format("{}{}", separator, name);
  names[1] += fmt::format("{}{}", separator, type);
  names[2] += fmt::format("{}{}", separator, unit);
}

}  // namespace

void write_consistent_trees(const std::string& path, const HaloHistories& histories) {
  const ConsistentWriter writer(path, histories);
  AtomicFile file(path);
  const std::string head = writer.head();
  file.write(head.data(), head.size());
  for (std::size_t row = 0; row < histories.trees.size(); ++row) {
    const std::string text = writer.row(row);
    file.write(text.data(), text.size());
  }
  file.commit();
}

bool is_consistent_trees(const std::string& path) {
  const std::string head = InputBytes(path).text(0, 64);
  return head.starts_with("#scale(0) id(1) desc_scale");
}

HaloHistories read_consistent_trees(const std::string& path) {
  const InputBytes file(path);
  Lines lines(file);
  HaloHistories histories;
  std::string_view line;
  if (!lines.next(line) || !line.starts_with("#"))
    fail(ErrorCode::io, "{}: has no line with the names of columns", path);
  ConsistentRows rows(line, path);
  bool is_head = true;
  while (lines.next(line)) {
    if (is_head && line.starts_with("#")) take_head_line(line, histories);
    if (line.starts_with("#") || line.empty()) continue;
    if (std::exchange(is_head, false)) continue;  // the number of trees
    rows.add(line, lines.number());
  }
  number_snapshots(rows);
  PlainTrees plain = plain_of(rows, path);
  for (std::size_t k = 0; k < rows.scale.size(); ++k) {
    const auto snapshot =
        static_cast<std::size_t>(std::clamp<std::int64_t>(rows.snapshot[k], 0, 1 << 20));
    if (histories.time.size() <= snapshot) histories.time.resize(snapshot + 1, std::nan(""));
    histories.time[snapshot] = rows.scale[k];
  }
  for (const double a : histories.time) histories.redshift.push_back(1 / a - 1);
  histories.units = {kMegaparsec, kSolarMass, 1e5, true, true};
  rows.columns.group = rows.group;
  fill_times(plain, histories);
  take_plain_trees(plain, rows.columns, path, histories);
  return histories;
}

void write_csv_trees(const std::string& path, const HaloHistories& histories) {
  const MergerTrees& trees = histories.trees;
  const HaloColumns& columns = histories.columns;
  const bool has_units = histories.units.mass > 0 && histories.background.h > 0;
  const double to_suns = has_units ? meant_factor(histories.units.mass, kSolarMass) /
                                         (histories.units.is_per_h ? histories.background.h : 1)
                                   : 1;
  const bool has_position = !columns.position.empty();
  std::string names[3];
  add_csv_column(names, "uid", "INT", "None");
  add_csv_column(names, "desc_uid", "INT", "None");
  add_csv_column(names, "mass", "FLOAT", has_units ? "Msun" : "None");
  add_csv_column(names, "redshift", "FLOAT", "None");
  add_csv_column(names, "snapshot", "INT", "None");
  add_csv_column(names, "halo", "INT", "None");
  add_csv_column(names, "members", "INT", "None");
  add_csv_column(names, "margin", "FLOAT", "None");
  for (const char* axis : {"position_x", "position_y", "position_z"})
    if (has_position) add_csv_column(names, axis, "FLOAT", "None");
  AtomicFile file(path);
  for (const std::string& line : names) file.write((line + "\n").data(), line.size() + 1);
  const std::vector<double> mass = histories.mass_or_members();
  for (std::size_t r = 0; r < trees.size(); ++r) {
    std::string text =
        fmt::format("{},{},{},{},{},{},{},{}", r, trees.descendant[r], mass[r] * to_suns,
                    histories.redshift[static_cast<std::size_t>(trees.snapshot[r])],
                    trees.snapshot[r], trees.label[r], trees.members[r], trees.margin(r));
    for (std::size_t axis = 0; axis < 3 && has_position; ++axis)
      text += fmt::format(",{}", columns.position[3 * r + axis]);
    text += "\n";
    file.write(text.data(), text.size());
  }
  file.commit();
}

}  // namespace kith::io
