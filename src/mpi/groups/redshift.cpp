// Groups in redshift space over ranks.
#include "mpi/groups/redshift.hpp"

#include "groups/redshift.hpp"
#include "mpi/groups/lengths.hpp"

namespace kith::mpi {
namespace {

constexpr const char* kCall = "redshift_fof";

void agree_on_sight(Call& call, const RedshiftSpace& space) {
  call.same().add("line_of_sight", static_cast<std::uint64_t>(space.line_of_sight));
  call.same().add("stretch", space.stretch);
  call.same().add_unshown("observer", space.observer);
}

/// Groups by lines of sight to midpoints.
Groups in_sight(const Domains& domains, const LinkingLengths* lengths, const FofOptions& options,
                const RedshiftSpace& space, const Execution& execution) {
  const Domains::Impl& impl = impl_of(domains);
  Call call(kCall, *impl.communicator, execution);
  agree_on_groups(call, domains, options, RowOrder::input,
                  lengths ? Lengths::of_points : Lengths::one);
  agree_on_sight(call, space);
  std::optional<SentLengths> sent;
  if (lengths) sent.emplace(call, impl, *lengths, options);
  LinkingJob job{.options = options, .sight = &space};
  if (sent) job.lengths = sent->here();
  if (sent) job.values = sent->values();
  return linked_groups(call, impl, job, RowOrder::input);
}

}  // namespace

Groups redshift_groups(const Domains& domains, PointsView points, const LinkingLengths* lengths,
                       const FofOptions& options, const RedshiftSpace& space,
                       const Execution& execution) {
  const Domains::Impl& impl = impl_of(domains);
  FofOptions across = options;
  CompressedPoints made;
  {
    Call call(kCall, *impl.communicator, execution);
    agree_on_sight(call, space);
    call.quick([&] {
      if (lengths) {
        check_linking_lengths(*lengths, impl.input_size, options, kCall);
        return check_line_of_sight(points, options, space);
      }
      check_redshift_space(points, options, space);
      across = with_length_across(options, static_cast<std::size_t>(impl.total), points.dimension);
    });
    if (space.line_of_sight != LineOfSight::midpoint)
      call.phase(
          [&](Workers& workers) { made = compressed_points(points, across, space, workers); });
  }
  if (space.line_of_sight == LineOfSight::midpoint)
    return in_sight(domains, lengths, across, space, execution);
  const MPI_Comm comm = impl.communicator->comm();
  return lengths ? fof(comm, made.points, *lengths, made.options, execution)
                 : fof(comm, made.points, made.options, execution);
}

namespace {

Groups redshift_groups_of(MPI_Comm comm, PointsView points, const LinkingLengths* lengths,
                          const FofOptions& options, const RedshiftSpace& space,
                          const Execution& execution) {
  return public_call(kCall, [&] {
    const DomainOptions domains{.tree = {.box = options.box, .non_finite = options.non_finite}};
    return redshift_groups(Domains::curve(comm, points, domains, execution), points, lengths,
                           options, space, execution);
  });
}

}  // namespace

Groups redshift_fof(MPI_Comm comm, PointsView points, const FofOptions& options,
                    const RedshiftSpace& space, const Execution& execution) {
  return redshift_groups_of(comm, points, nullptr, options, space, execution);
}

Groups redshift_fof(MPI_Comm comm, PointsView points, const LinkingLengths& lengths,
                    const FofOptions& options, const RedshiftSpace& space,
                    const Execution& execution) {
  return redshift_groups_of(comm, points, &lengths, options, space, execution);
}

}  // namespace kith::mpi
