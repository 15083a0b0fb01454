// The options of fof and subhalos.

#include "groups.hpp"

namespace kith::cli {
namespace {

void add_files(Command command, GroupRequest& request) {
  command.add_option("-o,--output", request.output, "file for the catalogue: .hdf5, .npz or .csv");
  command.add_option("--style", request.style, "of .hdf5: gadget or swift; default gadget")
      .one_of({"gadget", "swift"});
  command.add_option("--compression", request.write.compression, "of .hdf5: gzip level 0 ... 9")
      .shows_default();
  command.add_flag("--labels", request.wants_labels, "add the group of every particle");
  command.add_flag("--order", request.wants_order,
                   "add the particles by group, with their ids; default in style gadget");
  command.add_flag("--no-order", request.wants_no_order, "leave the order out");
  command.add_option("--sorted-snapshot", request.sorted_snapshot,
                     "file for all particles, group after group: .hdf5; readers of halos want it");
  command.add_option("--picture", request.picture,
                     "file for a picture of density and groups: .png or .svg");
  command.add_option("--picture-size", request.picture_size, "pixels of the longer side")
      .shows_default();
  command.add_option("--rows", request.rows, "of the table that is printed").shows_default();
}

void add_contaminating(Command command, GroupRequest& request) {
  command
      .add_option("--contaminating-types", request.contaminating_types,
                  "low-resolution types of a zoom run, or none: they join groups and are counted "
                  "in each; default 2,3 where they are heavier than type 1")
      .separated_by(',');
}

}  // namespace

void add_linking(Command command, GroupRequest& request) {
  const Option length = command.add_option("--linking-length", request.fof.linking_length,
                                           "friends are at most so far apart");
  command.add_option("-b", request.fof.b, "instead: as a fraction of the mean separation")
      .excludes(length);
  command.add_option("--mean-separation", request.fof.mean_separation,
                     "for -b; default from the box, or from particle mass and Omega in a zoom");
  command.add_option("--volume", request.fof.volume, "for -b, where the box has none");
  command.add_option("--min-size", request.fof.min_size, "smallest group that counts")
      .shows_default()
      .positive();
  command.add_flag("--strict", request.fof.strict, "not those at exactly the linking length");
  command
      .add_option("--link-types", request.link_types,
                  "types that make groups; default 1 where there is one, else all")
      .separated_by(',');
  command
      .add_option("--attach-types", request.attach_types,
                  "types that join the group of their nearest linked particle, or none; default "
                  "0,4,5")
      .separated_by(',');
}

void add_group_request(Command command, GroupRequest& request) {
  add_input(command, request.input);
  add_linking(command, request);
  add_contaminating(command, request);
  add_files(command, request);
  command.add_flag(
      "--overdensities", request.wants_overdensities,
      "masses and radii at 200 and 500 times critical, 200 times mean, and virial density");
  command
      .add_option("--center", request.center,
                  "of the groups: of mass, the densest member, of shrinking spheres, or the member "
                  "with the deepest potential; default potential for those spheres, else mass")
      .one_of({"mass", "density", "shrinking", "potential"});
  add_max_memory(command, request.common);
  add_common(command, request.common);
}

}  // namespace kith::cli
