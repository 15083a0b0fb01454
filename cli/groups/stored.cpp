// Groups and catalogue of particles that stay on disk.
#include "stored.hpp"

#include "groups/groups.hpp"

namespace kith::cli {

void find_stored(const GroupTask& task, Session& session) {
  const Execution& execution = session.execution();
  const InputPoints points(task.input);
  const DiskOptions disk = disk_options(session);
  const FofOptions options = linking_options(task, task.request.fof.b, session);
  const StoredGroups groups = fof(points, options, disk, execution);
  Found found{.b = options.b};
  found.count = groups.count();
  found.grouped = groups.grouped();
  found.linking_length = groups.linking_length();
  report_found(task, {}, found, session.report(), session);

  CatalogueOptions measure = catalogue_options(task);
  measure.mass = task.input.mass_values({});
  const std::vector<int> types = task.has_types() ? task.input.types() : std::vector<int>();
  const StoredCatalogue catalogue =
      kith::catalogue(points, groups, measure, center_options(task, found), types, disk, execution);
  Measured measured;
  measured.own.catalogue = catalogue.rows();
  measured.own.peak.assign(catalogue.peak().begin(), catalogue.peak().end());
  if (task.request.wants_overdensities) {
    OverdensityOptions spheres = sphere_options(task, measured);
    spheres.mass = measure.mass;
    const TreeOptions tree{.box = task.input.box(), .non_finite = task.input.non_finite()};
    // The rows of the catalogue are in memory, twice.
    constexpr std::uint64_t kRows = sizeof(double) * 2 * 40;
    DiskOptions left = disk;
    left.max_memory -= std::min<std::uint64_t>(left.max_memory - 1, found.count * kRows);
    measured.own.overdensities =
        overdensities(points, measured.own.places(), spheres, tree, left, execution);
  }
  measured.first =
      first_rows(measured.own, std::min<std::size_t>(task.request.rows, found.count), execution);
  if (found.count > 0 && task.request.rows > 0)
    session.say("\n" + group_table(task, found, measured));
  report_groups(task, found, measured, session.report());
  const StoredFound stored{points, groups, catalogue};
  found.stored = &stored;
  report_written(write_groups(task, found, measured, {}, session), session.report(), session);
  const Statistics& spheres = session.statistics();
  report_disk({groups.slabs(), groups.bytes_written() + spheres.count("bytes written to scratch"),
               groups.bytes_read() + spheres.count("bytes read from scratch")},
              session);
  session.finish();
}

}  // namespace kith::cli
