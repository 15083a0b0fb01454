// Groups and catalogue of particles that stay on disk.
#include "stored.hpp"

#include "groups/groups.hpp"

namespace kith::cli {

namespace {

/// The rest of the limit beside tables of this many rows, which are there twice.
DiskOptions beside(const DiskOptions& disk, std::uint64_t rows) {
  constexpr std::uint64_t kRows = sizeof(double) * 2 * 40;
  DiskOptions left = disk;
  left.max_memory -= std::min<std::uint64_t>(left.max_memory - 1, rows * kRows);
  return left;
}

Measured measure_stored(const GroupTask& task, const Found& found, std::uint64_t subhalos,
                        StoredFound& stored, Session& session) {
  const Execution& execution = session.execution();
  const DiskOptions disk = beside(disk_options(session), subhalos);
  CatalogueOptions measure = catalogue_options(task);
  measure.mass = task.input.mass_values({});
  stored.catalogue =
      kith::catalogue(stored.points, stored.groups, measure, center_options(task, found),
                      stored_types(task), disk, execution);
  Measured measured;
  measured.own.catalogue = stored.catalogue->rows();
  const auto peak = stored.catalogue->peak();
  measured.own.peak.assign(peak.begin(), peak.end());
  if (task.request.wants_overdensities) {
    OverdensityOptions spheres = sphere_options(task, measured);
    spheres.mass = measure.mass;
    const TreeOptions tree{.box = task.input.box(), .non_finite = task.input.non_finite()};
    measured.own.overdensities = overdensities(stored.points, measured.own.places(), spheres, tree,
                                               beside(disk, found.count), execution);
  }
  measured.first =
      first_rows(measured.own, std::min<std::size_t>(task.request.rows, found.count), execution);
  return measured;
}

}  // namespace

std::vector<int> stored_types(const GroupTask& task) {
  return task.has_types() ? task.input.types() : std::vector<int>();
}

void find_stored(const GroupTask& task, const StoredSteps& steps, Session& session) {
  const InputPoints points(task.input);
  const DiskOptions disk = disk_options(session);
  const FofOptions options = linking_options(task, task.request.fof.b, session);
  const StoredGroups groups = fof(points, options, disk, session.execution());
  Found found{.b = options.b};
  found.count = groups.count();
  found.grouped = groups.grouped();
  found.linking_length = groups.linking_length();
  report_found(task, {}, found, session.report(), session);
  StoredFound stored{points, groups};
  found.stored = &stored;
  SubhalosToWrite subhalos;
  if (steps.find_subhalos) subhalos = steps.find_subhalos(stored, found, disk);
  const std::uint64_t rows = subhalos.found ? subhalos.found->own.parent.size() : 0;
  const Measured measured = measure_stored(task, found, rows, stored, session);
  steps.report(found, measured);
  report_written(write_groups(task, found, measured, subhalos, session), session.report(), session);
  const Statistics& spheres = session.statistics();
  report_disk({groups.slabs(), groups.bytes_written() + spheres.count("bytes written to scratch"),
               groups.bytes_read() + spheres.count("bytes read from scratch")},
              session);
  session.finish();
}

}  // namespace kith::cli
