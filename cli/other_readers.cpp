#include "other_readers.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <regex>

#include <kith/error.hpp>
#include <kith/io/results.hpp>

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kMpc = 3.0856775814913673e24, kSun = 1.98841e33;  // in cm, g

bool is_near(double value, double expected) { return std::abs(value / expected - 1) < 2e-3; }

/// yt takes lengths for comoving Mpc/h and masses for 1e10 Msun/h. Empty if they are; otherwise the
/// argument that says what they are.
std::string unit_base_of(const ResultAbout& about) {
  const Units& units = about.units;
  const double per_h = units.is_per_h ? 1 : about.background.h;
  const double length = units.length * per_h, mass = units.mass * per_h;
  if (is_near(length, kMpc) && is_near(mass, 1e10 * kSun)) return "";
  if (!(length > 0) || !(mass > 0)) return "";
  return fmt::format(
      R"(; give yt.load unit_base={{"UnitLength_in_cm": {:.8g}, "UnitMass_in_g": {:.8g}, )"
      R"("UnitVelocity_in_cm_per_s": {:.8g}}})",
      length, mass, units.velocity > 0 ? units.velocity : 1e5);
}

/// Where illustris_python looks if its base path is the folder above that of the catalogue: Python
/// gives "." as the parent of ".".
fs::path offsets_path(const fs::path& catalogue, const std::string& number) {
  const fs::path base = catalogue.parent_path().parent_path();
  const fs::path above = base.empty() || base == "." ? fs::path() : base.parent_path();
  return above / "postprocessing" / "offsets" / ("offsets_" + number + ".hdf5");
}

/// NNN of groups_NNN/fof_subhalo_tab_NNN.0.hdf5, or without the 0; empty for other names.
std::string tng_number(const fs::path& catalogue) {
  static const std::regex kName(R"(fof_subhalo_tab_(\d{3,})(\.0)?\.hdf5)");
  std::smatch match;
  const std::string name = catalogue.filename().string();
  if (!std::regex_match(name, match, kName)) return "";
  const std::string number = match[1];
  return catalogue.parent_path().filename() == "groups_" + number ? number : "";
}

bool is_ours(const fs::path& path) {
  try {
    const ResultFile file(path.string());
    return file.about().kind == ResultKind::fof || file.about().kind == ResultKind::subhalos;
  } catch (const Error&) {
    return false;
  }
}

/// The rows with which the files of a catalogue begin.
std::vector<std::int64_t> first_rows(const ResultFile& catalogue, int files, const char* column) {
  const std::size_t rows = catalogue.has(column) ? catalogue.rows(column) : 0;
  std::vector<std::int64_t> first;
  first.reserve(static_cast<std::size_t>(files));
  for (int part = 0; part < files; ++part)
    first.push_back(static_cast<std::int64_t>(result_part_begin(rows, part, files)));
  return first;
}

}  // namespace

void link_for_yt(const std::string& path, const ResultAbout& about, Session& session) {
  const fs::path file(path);
  const std::string stem = file.stem().string();
  // yt cuts the name at its first dot: several such files would share one link.
  if (about.dimension != 3 || !about.background.is_known || stem.find('.') != std::string::npos)
    return;
  const std::string link = result_part_path(path, 0);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(link, error);
  if (fs::exists(status)) {
    const bool is_link = fs::is_symlink(status) && fs::read_symlink(link, error) == file.filename();
    if (!is_link)
      return session.say(fmt::format("{} is another file, which yt would open instead of {}",
                                     printable(link), printable(path)));
  } else {
    fs::create_symlink(file.filename(), link, error);
    if (error) return;  // a file system without links
  }
  session.report().add("link", link);
  session.say(
      fmt::format("{}: a link, the name that yt opens{}", printable(link), unit_base_of(about)));
}

void write_tng_offsets(const std::string& path, int files, Session& session) {
  const std::string number = tng_number(path);
  if (number.empty()) return;
  const ResultFile catalogue(path);
  const ResultAbout& about = catalogue.about();
  if (about.sorted_snapshot.empty()) return;
  const fs::path offsets = offsets_path(path, number);
  if (fs::exists(offsets) && !is_ours(offsets))
    return session.warn(
        fmt::format("{} exists and is not a file of kith: it stays as it is, and "
                    "illustris_python will read it",
                    offsets.string()));
  std::error_code error;
  fs::create_directories(offsets.parent_path(), error);
  const auto types = static_cast<std::size_t>(about.type_numbers);
  const std::vector<std::int64_t> zeros(types);
  std::vector<std::vector<std::int64_t>> columns;
  columns.reserve(4);  // arrays point to them
  std::vector<ResultArray> arrays{
      result_array("FileOffsets/SnapByType", zeros.data(), std::size_t{1}, types)};
  const auto add = [&](const char* name, std::vector<std::int64_t> values, std::size_t width) {
    columns.push_back(std::move(values));
    arrays.push_back(
        result_array(name, columns.back().data(), columns.back().size() / width, width));
  };
  add("FileOffsets/Group", first_rows(catalogue, files, "size"), 1);
  add("FileOffsets/Subhalo", first_rows(catalogue, files, "subhalo_size"), 1);
  add("Group/SnapByType", catalogue.integers("type_offset"), types);
  if (catalogue.has("subhalo_type_offset"))
    add("Subhalo/SnapByType", catalogue.integers("subhalo_type_offset"), types);
  write_result(offsets.string(), about, arrays, {}, session.execution());
  session.report().add("offsets", offsets.string());
  session.say(fmt::format("{}: offsets for illustris_python", printable(offsets.string())));
}

}  // namespace kith::cli
