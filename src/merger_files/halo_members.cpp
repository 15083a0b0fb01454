#include <numeric>

#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/io/particle_roles.hpp>
#include <kith/io/results.hpp>
#include <kith/subhalos.hpp>

#include "base/fail.hpp"
#include "files/hdf5.hpp"
#include "merger_files/members_reader.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {
namespace {

bool is_kiths_result(const std::string& path) {
  if (path.ends_with(".npz")) return true;
  return hdf5::is_hdf5(path) && hdf5::InputFile(path).contains("Kith");
}

/// Dark matter if there is any, else the type with the most particles.
int type_to_link(const SnapshotInfo& info, const HaloMembersOptions& options) {
  if (options.type >= 0) return options.type;
  const SnapshotType* most = nullptr;
  for (const SnapshotType& type : info.type) {
    if (type.type == 1) return 1;
    if (most == nullptr || type.count > most->count) most = &type;
  }
  return most == nullptr ? 0 : most->type;
}

}  // namespace

int linked_type(const Snapshot& snapshot, const HaloMembersOptions& options) {
  const std::string& path = snapshot.info().files.front();
  const int type = type_to_link(snapshot.info(), options);
  if (snapshot.info().dimension != 3)
    refuse("{}: has {} dimensions; halos are found in 3", path, snapshot.info().dimension);
  if (!snapshot.has(Field::id, {&type, 1}))
    refuse("{}: its particles of type {} have no IDs, which matching needs", path, type);
  return type;
}

LinkedParticles::LinkedParticles(const Snapshot& snapshot, int type,
                                 const HaloMembersOptions& options, const Execution& execution) {
  const std::span<const int> types(&type, 1);
  const PartOfRows part(snapshot.size(types), options);
  have_velocity = snapshot.has(Field::velocity, types);
  have_mass = snapshot.has(Field::mass, types);
  position.resize(3 * part.count);
  id.resize(part.count);
  snapshot.read(Field::position, part.begin, position, types, execution);
  snapshot.read_id(part.begin, id, types, execution);
  if (have_velocity) {
    velocity.resize(3 * part.count);
    snapshot.read(Field::velocity, part.begin, velocity, types, execution);
    const double factor = snapshot.info().velocity_factor;
    if (factor != 1)
      for (float& v : velocity) v = static_cast<float>(static_cast<double>(v) * factor);
  }
  if (have_mass) {
    mass.resize(part.count);
    snapshot.read(Field::mass, part.begin, mass, types, execution);
  }
}

CatalogueOptions LinkedParticles::rows(const Box& box) const {
  CatalogueOptions options{.box = box};
  if (have_velocity) options.velocity = view(velocity.data(), id.size(), 3);
  if (have_mass) options.mass = {mass.data(), id.size(), Scalar::float32};
  return options;
}

FofOptions linking(const Snapshot& snapshot, int type, const HaloMembersOptions& options,
                   const Execution& execution) {
  FofOptions fof{.box = snapshot.info().box, .min_size = options.min_size};
  fof.linking_length = options.linking_length;
  if (fof.linking_length > 0) return fof;
  const MeanSeparation mean = mean_separation(snapshot, {&type, 1}, fof.box, execution);
  fof.mean_separation = mean.is_by_mass ? mean.by_mass : mean.by_number;
  if (!(fof.mean_separation > 0))
    refuse(
        "{}: its mean separation is unknown, as it has no periodic box and no units; give a "
        "linking length",
        snapshot.info().files.front());
  fof.b = options.b;
  return fof;
}

SubhaloOptions binding(const SnapshotInfo& info, const LinkedParticles& particles,
                       double linking_length, const HaloMembersOptions& options) {
  const std::size_t n = particles.id.size();
  SubhaloOptions bound{.method = SubhaloMethod::subfind, .box = info.box};
  bound.gravity = snapshot_gravity(info);
  if (!particles.have_velocity || !particles.have_mass || !(bound.gravity > 0))
    refuse("{}: bound subhalos need velocities, masses and units; find groups instead",
           info.files.front());
  bound.velocity = view(particles.velocity.data(), n, 3);
  bound.mass = {particles.mass.data(), n, Scalar::float32};
  bound.min_size = options.min_size;
  bound.softening = 0.2 * linking_length;
  bound.hubble_flow = snapshot_hubble_flow(info);
  return bound;
}

void take_subhalos(Catalogue&& found, std::vector<double>&& peak,
                   std::vector<std::int64_t>&& parent, HaloMembers& members) {
  members.halos = parent.size();
  members.size = std::move(found.size);
  members.is_in_order_of_binding = true;
  members.columns.mass = std::move(found.mass);
  members.columns.position = std::move(peak);
  members.columns.velocity = std::move(found.velocity);
  members.columns.vmax = std::move(found.max_circular_velocity);
  members.columns.group = std::move(parent);
}

void take_groups(Catalogue&& found, const LinkedParticles& particles, HaloMembers& members) {
  members.halos = found.count();
  members.size = std::move(found.size);
  members.columns.position = std::move(found.center);
  members.columns.velocity = std::move(found.velocity);
  if (particles.have_mass) members.columns.mass = std::move(found.mass);
  members.columns.group.resize(members.halos);
  std::iota(members.columns.group.begin(), members.columns.group.end(), 0);
}

/// Bound subhalos of groups, with their members in order of binding.
static void find_subhalos(const SnapshotInfo& info, const LinkedParticles& particles,
                          const Groups& groups, const HaloMembersOptions& options,
                          const Execution& execution, HaloMembers& members) {
  Subhalos found = subhalos(particles.points(), kith::members(groups, execution),
                            binding(info, particles, groups.linking_length(), options), execution);
  for (std::size_t halo = 0; halo < found.members.count(); ++halo) {
    const std::size_t begin = found.members.offset[halo], end = found.members.offset[halo + 1];
    for (std::size_t k = begin; k < end; ++k)
      members.id.push_back(particles.id[found.by_binding[k]]);
    members.label.insert(members.label.end(), end - begin, static_cast<std::int32_t>(halo));
    members.columns.most_bound_id.push_back(
        particles.id[static_cast<std::size_t>(found.most_bound[halo])]);
  }
  take_subhalos(std::move(found.catalogue), std::move(found.peak), std::move(found.parent),
                members);
}

/// Friends of friends of one type, whose members are in the order of the file, or their subhalos.
HaloMembers found_members(const std::string& path, const HaloMembersOptions& options,
                          const Execution& execution) {
  if (options.parts > 1)
    refuse("{}: groups are found among all of its particles, not among a part of them", path);
  const Snapshot snapshot(path, {}, execution);
  const int type = linked_type(snapshot, options);
  HaloMembers members{.path = path, .snapshot = path, .types = {type}};
  add_facts(snapshot.info(), members);
  LinkedParticles particles(snapshot, type, options, execution);
  const Groups groups =
      fof(particles.points(), linking(snapshot, type, options, execution), execution);
  if (options.subhalos) {
    find_subhalos(snapshot.info(), particles, groups, options, execution, members);
    return members;
  }
  take_groups(catalogue(particles.points(), groups, particles.rows(members.box), execution),
              particles, members);
  members.label.assign(groups.label().begin(), groups.label().end());
  members.id = std::move(particles.id);
  return members;
}

void add_facts(const SnapshotInfo& info, HaloMembers& members) {
  members.time = info.time;
  members.redshift = info.background.redshift;
  members.box = info.box;
  members.units = info.units;
  members.background = info.background;
}

MembersReader members_reader(std::string& path, const HaloMembersOptions& options) {
  if (is_kiths_result(path)) return result_members;
  if (is_gadget_catalogue(path)) return gadget_members;
  if (is_rockstar_catalogue(path)) return rockstar_members;
  if (is_ahf_catalogue(path)) return ahf_members;
  if (is_velociraptor_catalogue(path)) return velociraptor_members;
  if (is_hbt_catalogue(path)) return hbt_members;
  const std::string beside = options.find ? "" : gadget_catalogue_of(path);
  if (beside.empty()) return nullptr;
  path = beside;
  return gadget_members;
}

}  // namespace io

HaloMembers read_halo_members(const std::string& path, const HaloMembersOptions& options,
                              const Execution& execution) {
  return public_call("halos", [&] {
    if (options.part >= options.parts)
      refuse("halos: part {} of {}; parts are numbered from 0", options.part, options.parts);
    std::string catalogue = path;
    const io::MembersReader reader = io::members_reader(catalogue, options);
    return (reader ? reader : io::found_members)(catalogue, options, execution);
  });
}

}  // namespace kith
