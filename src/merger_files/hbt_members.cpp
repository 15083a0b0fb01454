// Subhalos of HBT+: 015/SubSnap_015.0.hdf5 has a table with a record for each track and the list of
// its bound particles, the most bound first. Every process of HBT+ has written its own file.
#include <utility>

#include "base/fail.hpp"
#include "files/hdf5_lists.hpp"
#include "merger_files/halo_columns.hpp"
#include "merger_files/members_reader.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

constexpr const char* kTable = "Subhalos";
constexpr const char* kParticles = "SubhaloParticles";

/// The first number of a dataset; 0 if it is not there.
double number_in(const hdf5::InputFile& file, const std::string& path) {
  if (!file.contains(path) || row_count(file, path) == 0) return 0;
  return read_numbers(file, path, row_count(file, path), file.dataset(path).row_size()).front();
}

std::vector<std::string> files_of(const std::string& path) {
  const hdf5::InputFile file(path);
  const std::uint64_t count =
      file.contains("NumberOfFiles")
          ? whole_number<std::uint64_t>(number_in(file, "NumberOfFiles")).value_or(0)
          : 1;
  if (count == 0 || count > kMostFiles)
    fail(ErrorCode::io, "{}: claims to be one of {} files", path, count);
  if (count == 1) return {path};
  std::vector<std::string> all;
  const NumberedName name = numbered_name(path, count);
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(name.with(i));
  return all;
}

void set_facts(const std::string& path, HaloMembers& members) {
  const hdf5::InputFile file(path);
  members.time = number_in(file, "Cosmology/ScaleFactor");
  if (!(members.time > 0)) return;
  members.redshift = 1 / members.time - 1;
  members.background.scale_factor = members.time;
  members.background.redshift = members.redshift;
}

/// The tracks of one file that have members: of others only the place is known, that of the last
/// particle.
class Tracks {
 public:
  explicit Tracks(const std::string& path)
      : file_(path),
        table_(file_.dataset(kTable, hdf5::RowKind::records)),
        particles_(path, file_.dataset(kParticles, hdf5::RowKind::lists)) {
    table_.check_storage(file_.bytes());
    if (table_.rows() != particles_.rows())
      fail(ErrorCode::io, "{}: has {} subhalos and lists of particles for {}", path, table_.rows(),
           particles_.rows());
    for (std::size_t row = 0; row < particles_.rows(); ++row)
      if (particles_.size(row) > 1) rows_.push_back(row);
  }

  std::uint64_t particles() const {
    std::uint64_t sum = 0;
    for (const std::size_t row : rows_) sum += particles_.size(row);
    return sum;
  }

  void add_columns(HaloMembers& members) const {
    HaloColumns& columns = members.columns;
    for (const std::size_t row : rows_)
      members.size.push_back(static_cast<std::int64_t>(particles_.size(row)));
    add("Mbound", 1, columns.mass);
    add("ComovingMostBoundPosition", 3, columns.position);
    add("PhysicalAverageVelocity", 3, columns.velocity);
    add("SpecificAngularMomentum", 3, columns.spin);
    add("VmaxPhysical", 1, columns.vmax);
    add("RmaxComoving", 1, columns.vmax_radius);
    add("RHalfComoving", 1, columns.half_mass_radius);
    const std::vector<std::uint64_t> group = table_.member_whole("HostHaloId");
    const std::vector<std::uint64_t> track = table_.member_whole("TrackId");
    for (const std::size_t row : rows_) {
      columns.group.push_back(static_cast<std::int64_t>(group[row]));
      columns.halo_id.push_back(track[row]);
    }
  }

  /// The members in `part`; `seen`: the particles of the files before.
  void add_members(const PartOfRows& part, std::uint64_t seen, std::size_t first,
                   HaloMembers& members) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::uint64_t size = particles_.size(rows_[k]);
      const std::uint64_t from = std::max(seen, part.begin);
      const std::uint64_t to = std::min(seen + size, part.begin + part.count);
      if (from < to) {
        particles_.read(rows_[k], from - seen, to - from, members.id);
        members.label.insert(members.label.end(), to - from, static_cast<std::int32_t>(first + k));
      }
      seen += size;
    }
  }

 private:
  /// A member of the records, if they have it.
  void add(const char* name, std::size_t width, std::vector<double>& to) const {
    if (!table_.has_member(name)) return;
    const std::vector<double> all = table_.member_numbers(name, width);
    for (const std::size_t row : rows_)
      to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(row * width),
                all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  }

  hdf5::InputFile file_;
  hdf5::Dataset table_;
  hdf5::Lists particles_;
  std::vector<std::size_t> rows_;
};

}  // namespace

bool is_hbt_catalogue(const std::string& path) {
  if (!hdf5::is_hdf5(path)) return false;
  const hdf5::InputFile file(path);
  return file.contains(kParticles) && file.is_dataset(kParticles) && file.contains(kTable) &&
         file.is_dataset(kTable);
}

HaloMembers hbt_members(const std::string& path, const HaloMembersOptions& options,
                        const Execution&) {
  if (options.type >= 0)
    refuse("{}: the types of its particles are unknown; leave out the type", path);
  HaloMembers members{.path = path, .is_in_order_of_binding = true};
  const std::vector<std::string> files = files_of(path);
  set_facts(files.front(), members);
  std::uint64_t particles = 0;
  for (const std::string& name : files) particles += Tracks(name).particles();
  const PartOfRows part(particles, options);
  std::uint64_t seen = 0;
  for (const std::string& name : files) {
    Tracks tracks(name);
    const std::size_t first = members.size.size();
    tracks.add_columns(members);
    tracks.add_members(part, seen, first, members);
    seen += tracks.particles();
  }
  members.halos = members.size.size();
  return members;
}

}  // namespace kith::io
