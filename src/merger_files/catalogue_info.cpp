// The headers of other codes' catalogues.
#include <algorithm>
#include <filesystem>

#include <kith/io/halo_catalogue.hpp>

#include "files/hdf5.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/members_reader.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {
namespace {

double number_or(const hdf5::Group& header, const char* name, double otherwise) {
  const auto numbers = header.numbers(name);
  return numbers && !numbers->empty() ? numbers->front() : otherwise;
}

std::uint64_t count_of(const hdf5::Group& header, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto counts = header.counts(name); counts && !counts->empty()) return counts->front();
  return 0;
}

/// The datasets of a table, with the rows of all files.
void add_table(const hdf5::InputFile& file, const std::string& table, std::uint64_t rows,
               std::vector<HaloCatalogueColumn>& columns) {
  if (!file.contains(table)) return;
  for (const std::string& name : file.group(table).names()) {
    std::string path = table;
    path.append("/").append(name);
    if (!file.is_dataset(path)) continue;
    const hdf5::Dataset dataset = file.dataset(path);
    columns.push_back({path, rows, std::max<std::uint64_t>(1, dataset.row_size())});
  }
}

/// Groups are ordered by size, so the first one of the first file that has any.
void add_largest(const hdf5::InputFile& file, HaloCatalogueInfo& info) {
  if (info.largest_size > 0 || !file.contains("Group/GroupLen")) return;
  const std::uint64_t rows = row_count(file, "Group/GroupLen");
  const auto sizes = read_whole(file, "Group/GroupLen", rows);
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  if (largest == sizes.end()) return;
  info.largest_size = *largest;
  const auto masses = read_numbers(file, "Group/GroupMass", rows);
  if (!masses.empty())
    info.largest_mass = masses[static_cast<std::size_t>(largest - sizes.begin())];
}

std::optional<HaloCatalogueInfo> read_info(const std::string& path) {
  if (!hdf5::is_hdf5(path)) return std::nullopt;
  const hdf5::InputFile file(path);
  if (file.contains("Kith") || !file.contains("Header")) return std::nullopt;
  const hdf5::Group header = file.group("Header");
  if (!header.has("Ngroups_Total")) return std::nullopt;
  HaloCatalogueInfo info{.files = gadget_catalogue_files(path),
                         .groups = count_of(header, {"Ngroups_Total"}),
                         .subhalos = count_of(header, {"Nsubhalos_Total", "Nsubgroups_Total"}),
                         .time = number_or(header, "Time", 0),
                         .redshift = number_or(header, "Redshift", 0),
                         .side = number_or(header, "BoxSize", 0),
                         .snapshot = gadget_snapshot_of(path)};
  for (const std::string& name : info.files) {
    const hdf5::InputFile part(name);
    add_largest(part, info);
    if (!info.columns.empty()) continue;
    add_table(part, "Group", info.groups, info.columns);
    add_table(part, "Subhalo", info.subhalos, info.columns);
  }
  return info;
}

}  // namespace
}  // namespace io

std::optional<HaloCatalogueInfo> halo_catalogue_info(const std::string& path) {
  return public_call("halo_catalogue_info", [&] { return io::read_info(path); });
}

}  // namespace kith
