// Merger trees as LHaloTree wrote them for the Millennium run: a binary file of rows of 104 bytes,
// tree after tree. Scale factors and parameters are in text files beside it, where ytree looks.
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "base/fail.hpp"
#include "base/sides.hpp"
#include "files/atomic_file.hpp"
#include "files/input_bytes.hpp"
#include "merger_files/history_columns.hpp"
#include "merger_files/plain_trees.hpp"
#include "merger_files/tree_chains.hpp"
#include "merger_files/tree_formats.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files have this byte order");

struct LHalo {
  std::int32_t descendant, first_progenitor, next_progenitor, first_in_group, next_in_group;
  std::int32_t members;
  float mean200, critical200, top_hat;
  float position[3], velocity[3];
  float velocity_dispersion, vmax;
  float spin[3];
  std::int64_t most_bound_id;
  std::int32_t snapshot, file, label;
  float half_mass_radius;
};
static_assert(sizeof(LHalo) == 104);

/// "trees_015.0" has "trees_015_snapshots.a_list": no name that begins like the tree's other files.
std::string beside_trees(const std::string& path, const char* ending) {
  const std::filesystem::path file(path);
  return (file.parent_path() / (file.stem().string() + ending)).string();
}

void write_text_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

std::string line_of(const char* name, double value) { return fmt::format("{} {}\n", name, value); }

std::string parameters_of(const HaloHistories& histories) {
  const Background& background = histories.background;
  return line_of("Omega0", background.omega_m) + line_of("OmegaLambda", background.omega_lambda) +
         line_of("HubbleParam", background.is_known ? background.h : 1) +
         line_of("BoxSize", kith::sides_of(histories.box, 3).front()) +
         line_of("PeriodicBoundariesOn", histories.box.is_periodic()) +
         line_of("ComovingIntegrationOn", background.is_known) +
         line_of("UnitLength_in_cm", histories.units.length) +
         line_of("UnitMass_in_g", histories.units.mass) +
         line_of("UnitVelocity_in_cm_per_s", histories.units.velocity);
}

/// The rows of the file.
class LHaloRows {
 public:
  LHaloRows(const HaloHistories& histories, const JoinedTrees& joined, const GroupChains& groups)
      : columns_(histories.columns), trees_(histories.trees), joined_(joined), groups_(groups) {}

  LHalo row(std::size_t r) const {
    LHalo halo{};
    halo.descendant = link(trees_.descendant[r]);
    halo.first_progenitor = link(trees_.first_progenitor[r]);
    halo.next_progenitor = link(trees_.next_progenitor[r]);
    halo.first_in_group = link(groups_.first[r]);
    halo.next_in_group = link(groups_.next[r]);
    halo.members = static_cast<std::int32_t>(trees_.members[r]);
    halo.critical200 = number(columns_.critical200_mass, r);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      halo.position[axis] = number(columns_.position, 3 * r + axis);
      halo.velocity[axis] = number(columns_.velocity, 3 * r + axis);
      halo.spin[axis] = number(columns_.spin, 3 * r + axis);
    }
    halo.velocity_dispersion = number(columns_.velocity_dispersion, r);
    halo.vmax = number(columns_.vmax, r);
    if (!columns_.most_bound_id.empty())
      halo.most_bound_id = static_cast<std::int64_t>(columns_.most_bound_id[r]);
    halo.snapshot = trees_.snapshot[r];
    halo.label = trees_.label[r];
    halo.half_mass_radius = number(columns_.half_mass_radius, r);
    return halo;
  }

 private:
  std::int32_t link(std::int64_t to) const {
    return to < 0 ? -1 : static_cast<std::int32_t>(joined_.number[static_cast<std::size_t>(to)]);
  }
  static float number(const std::vector<double>& column, std::size_t i) {
    return column.empty() ? 0 : static_cast<float>(column[i]);
  }

  const HaloColumns& columns_;
  const MergerTrees& trees_;
  const JoinedTrees& joined_;
  const GroupChains& groups_;
};

/// The header, if the file has the size that it states.
bool read_lhalo_lengths(const InputBytes& file, std::vector<std::int32_t>& lengths) {
  std::int32_t head[2];
  if (file.size() < sizeof head) return false;
  file.read(0, head, sizeof head);
  if (head[0] < 0 || head[1] < 0 ||
      file.size() != sizeof head + 4ULL * static_cast<std::uint64_t>(head[0]) +
                         sizeof(LHalo) * static_cast<std::uint64_t>(head[1]))
    return false;
  lengths.resize(static_cast<std::size_t>(head[0]));
  file.read(sizeof head, lengths.data(), 4 * lengths.size());
  std::int64_t sum = 0;
  for (const std::int32_t length : lengths) {
    if (length < 0) return false;
    sum += length;
  }
  return sum == head[1];
}

/// Adds a row of the tree that begins at `start`.
void take_lhalo(const LHalo& halo, std::int64_t start, PlainTrees& plain, HaloColumns& columns) {
  const auto link = [&](std::int32_t to) { return to < 0 ? -1 : start + to; };
  plain.descendant.push_back(link(halo.descendant));
  plain.main_progenitor.push_back(link(halo.first_progenitor));
  plain.snapshot.push_back(halo.snapshot);
  plain.label.push_back(halo.label);
  plain.members.push_back(halo.members);
  columns.critical200_mass.push_back(halo.critical200);
  columns.position.insert(columns.position.end(), halo.position, halo.position + 3);
  columns.velocity.insert(columns.velocity.end(), halo.velocity, halo.velocity + 3);
  columns.spin.insert(columns.spin.end(), halo.spin, halo.spin + 3);
  columns.velocity_dispersion.push_back(halo.velocity_dispersion);
  columns.vmax.push_back(halo.vmax);
  columns.half_mass_radius.push_back(halo.half_mass_radius);
  columns.most_bound_id.push_back(static_cast<std::uint64_t>(halo.most_bound_id));
  columns.group.push_back(start + halo.first_in_group);
}

/// Words of a text file that may be missing.
std::vector<std::string> words_in(const std::string& path) {
  std::vector<std::string> words;
  if (!std::filesystem::is_regular_file(path)) return words;
  const InputBytes file(path);
  Lines lines(file);
  std::vector<std::string_view> found;
  for (std::string_view line; lines.next(line);) {
    split(line, Separator::space, found);
    for (const std::string_view word : found) words.emplace_back(word);
  }
  return words;
}

void read_lhalo_facts(const std::string& path, HaloHistories& histories) {
  for (const std::string& word : words_in(beside_trees(path, "_snapshots.a_list"))) {
    double a = 0;
    if (!parse_number(word, a) || !(a > 0)) continue;
    histories.time.push_back(a);
    histories.redshift.push_back(1 / a - 1);
  }
  const std::vector<std::string> words = words_in(beside_trees(path, "_units.param"));
  const auto number = [&](const char* name) {
    double value = 0;
    for (std::size_t k = 0; k + 1 < words.size(); ++k)
      if (words[k] == name) parse_number(words[k + 1], value);
    return value;
  };
  Background& background = histories.background;
  background.omega_m = number("Omega0");
  background.omega_lambda = number("OmegaLambda");
  background.h = number("HubbleParam");
  background.is_known = number("ComovingIntegrationOn") > 0;
  if (const double side = number("BoxSize"); side > 0) histories.box = Box::periodic(side);
  histories.units = {number("UnitLength_in_cm"), number("UnitMass_in_g"),
                     number("UnitVelocity_in_cm_per_s"), true, true};
}

}  // namespace

void write_lhalotree(const std::string& path, const HaloHistories& histories) {
  const MergerTrees& trees = histories.trees;
  if (trees.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    refuse("{}: {} halos; LHaloTree counts them with 32 bits", path, trees.size());
  const GroupChains groups(trees, histories.columns.group);
  const JoinedTrees joined(trees, groups, histories.columns.most_bound_id);
  const LHaloRows rows(histories, joined, groups);
  AtomicFile file(path);
  const std::int32_t head[2] = {static_cast<std::int32_t>(joined.length.size()),
                                static_cast<std::int32_t>(trees.size())};
  file.write(head, sizeof head);
  for (const std::int64_t length : joined.length) {
    const auto halos = static_cast<std::int32_t>(length);
    file.write(&halos, sizeof halos);
  }
  for (const std::int64_t row : joined.row) {
    const LHalo halo = rows.row(static_cast<std::size_t>(row));
    file.write(&halo, sizeof halo);
  }
  std::string times;
  for (const double redshift : histories.redshift) times += fmt::format("{}\n", 1 / (1 + redshift));
  write_text_file(beside_trees(path, "_snapshots.a_list"), times);
  write_text_file(beside_trees(path, "_units.param"), parameters_of(histories));
  file.commit();
}

bool is_lhalotree(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::vector<std::int32_t> lengths;
  return read_lhalo_lengths(InputBytes(path), lengths);
}

HaloHistories read_lhalotree(const std::string& path) {
  const InputBytes file(path);
  std::vector<std::int32_t> lengths;
  if (!read_lhalo_lengths(file, lengths))
    fail(ErrorCode::io, "{}: its size is not that of LHaloTree's trees", path);
  HaloHistories histories;
  read_lhalo_facts(path, histories);
  PlainTrees plain;
  HaloColumns columns;
  std::uint64_t place = 8 + 4 * lengths.size();
  std::int64_t start = 0;
  for (const std::int32_t length : lengths) {
    std::vector<LHalo> halos(static_cast<std::size_t>(length));
    file.read(place, halos.data(), halos.size() * sizeof(LHalo));
    for (const LHalo& halo : halos) take_lhalo(halo, start, plain, columns);
    place += halos.size() * sizeof(LHalo);
    start += length;
  }
  fill_times(plain, histories);
  take_plain_trees(plain, columns, path, histories);
  return histories;
}

}  // namespace kith::io
