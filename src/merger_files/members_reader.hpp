// The readers of halos with their members, one for each kind of catalogue.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <kith/groups.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/subhalos.hpp>

namespace kith::io {

/// The rows of a table that this process reads.
struct PartOfRows {
  std::uint64_t begin, count;

  PartOfRows(std::uint64_t rows, const HaloMembersOptions& options)
      : begin(rows / options.parts * options.part + std::min(rows % options.parts, options.part)),
        count(rows / options.parts + (options.part < rows % options.parts ? 1 : 0)) {}
};

using MembersReader = HaloMembers (*)(const std::string& path, const HaloMembersOptions& options,
                                      const Execution& execution);
/// The reader of a catalogue, and the file to read: the catalogue beside a snapshot. Null: groups
/// are to be found in it.
MembersReader members_reader(std::string& path, const HaloMembersOptions& options);

/// Whether the file is a catalogue of Gadget-4's Subfind.
bool is_gadget_catalogue(const std::string& path);
/// The catalogue beside a snapshot of Gadget-4; empty: there is none.
std::string gadget_catalogue_of(const std::string& snapshot);
/// The snapshot beside a catalogue of Gadget-4; empty: there is none.
std::string gadget_snapshot_of(const std::string& catalogue);
/// All files of a catalogue, of which this is one.
std::vector<std::string> gadget_catalogue_files(const std::string& path);

HaloMembers gadget_members(const std::string& path, const HaloMembersOptions& options,
                           const Execution& execution);
bool is_rockstar_catalogue(const std::string& path);
HaloMembers rockstar_members(const std::string& path, const HaloMembersOptions& options,
                             const Execution& execution);
bool is_velociraptor_catalogue(const std::string& path);
HaloMembers velociraptor_members(const std::string& path, const HaloMembersOptions& options,
                                 const Execution& execution);
bool is_ahf_catalogue(const std::string& path);
HaloMembers ahf_members(const std::string& path, const HaloMembersOptions& options,
                        const Execution& execution);
bool is_hbt_catalogue(const std::string& path);
HaloMembers hbt_members(const std::string& path, const HaloMembersOptions& options,
                        const Execution& execution);
HaloMembers result_members(const std::string& path, const HaloMembersOptions& options,
                           const Execution& execution);
HaloMembers found_members(const std::string& path, const HaloMembersOptions& options,
                          const Execution& execution);

/// The particles of one type in which groups are found, or those of this process.
struct LinkedParticles {
  std::vector<float> position, velocity, mass;
  std::vector<std::uint64_t> id;
  bool have_velocity = false, have_mass = false;

  LinkedParticles(const Snapshot& snapshot, int type, const HaloMembersOptions& options,
                  const Execution& execution);
  PointsView points() const { return view(position.data(), id.size(), 3); }
  CatalogueOptions rows(const Box& box) const;
};

/// The type of the particles that are linked; errors if they cannot be linked or matched.
int linked_type(const Snapshot& snapshot, const HaloMembersOptions& options);
FofOptions linking(const Snapshot& snapshot, int type, const HaloMembersOptions& options,
                   const Execution& execution);
SubhaloOptions binding(const SnapshotInfo& info, const LinkedParticles& particles,
                       double linking_length, const HaloMembersOptions& options);
/// Columns of catalogues of groups and of bound subhalos.
void take_groups(Catalogue&& found, const LinkedParticles& particles, HaloMembers& members);
void take_subhalos(Catalogue&& found, std::vector<double>&& peak,
                   std::vector<std::int64_t>&& parent, HaloMembers& members);

/// Time, box, units and cosmology of the snapshot.
void add_facts(const SnapshotInfo& info, HaloMembers& members);

}  // namespace kith::io
