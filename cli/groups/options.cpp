// The options of fof and subhalos.

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

void add_files(Command command, GroupRequest& request) {
  command.add_option("-o,--output", request.output,
                     "catalogue to write: .hdf5, .npz or .csv; -: standard output, as .csv");
  command
      .add_option("--style", request.style,
                  "layout of .hdf5 files: gadget or swift; default: gadget")
      .one_of({"gadget", "swift"});
  command
      .add_option("--compression", request.write.compression, "gzip level of .hdf5 files, 0 to 9")
      .shows_default();
  command
      .add_option("--files", request.write.files,
                  "number of .hdf5 files to write: NAME.0.hdf5 and so on, and NAME.hdf5, which "
                  "refers to them")
      .shows_default()
      .positive();
  command.add_flag("--labels", request.wants_labels, "also write the group of every particle");
  command.add_flag(
      "--order", request.wants_order,
      "also write the indices and ids of the members of each group; default in style gadget");
  command.add_flag("--no-order", request.wants_no_order, "do not write the order");
  command.add_option(
      "--sorted-snapshot", request.sorted_snapshot,
      "also write the snapshot with its particles sorted by group, as halo readers expect: .hdf5");
  command.add_option("--picture", request.picture,
                     "picture of density and groups to write: .png, .svg or .pdf");
  command.add_option("--picture-size", request.picture_size, "pixels of the longer side")
      .shows_default();
  add_view(command, request.view);
  command
      .add_option("--rows", request.rows,
                  "groups in the printed table and in --json: a number, or all")
      .shows_default()
      .or_all();
}

void add_contaminating(Command command, GroupRequest& request) {
  command
      .add_option("--contaminating-types", request.contaminating_types,
                  "low-resolution types of a zoom run, or none; they are attached to groups and "
                  "counted there; default: 2,3 if heavier than type 1")
      .separated_by(',');
}

}  // namespace

void add_view(Command command, ViewRequest& view) {
  command.add_option("--picture-axis", view.axis, "axis to look along").shows_default();
  command.add_option("--picture-thickness", view.thickness,
                     "thickness of the slice; default: a tenth of a periodic box");
  command
      .add_option("--picture-center", view.group,
                  "number of the group that the slice goes through; default: the largest")
      .non_negative();
}

void add_linking(Command command, GroupRequest& request) {
  const Option length = command
                            .add_option("--linking-length", request.fof.linking_length,
                                        "largest distance between friends, instead of -b")
                            .positive();
  command
      .add_option("-b", request.fof.b,
                  "linking length as a fraction of the mean separation; default: 0.2")
      .positive()
      .excludes(length);
  command
      .add_option(
          "--mean-separation", request.fof.mean_separation,
          "mean separation for -b; default: from the box, or in zoom runs from the particle "
          "mass and Omega_m")
      .positive();
  command.add_option("--volume", request.fof.volume, "volume for -b if the box is open").positive();
  command.add_option("--min-size", request.fof.min_size, "smallest size of a group")
      .shows_default()
      .positive();
  command.add_flag("--strict", request.fof.strict, "exclude pairs at exactly the linking length");
  command
      .add_option("--link-types", request.link_types,
                  "types that form groups; default: 1 if present, else all")
      .separated_by(',');
  command
      .add_option(
          "--attach-types", request.attach_types,
          "types that join the group of their nearest linked particle, or none; default: 0,4,5")
      .separated_by(',');
}

void add_group_request(Command command, GroupRequest& request) {
  add_input(command, request.input);
  add_sky(command, request.input);
  add_linking(command, request);
  add_sight(command, request);
  add_contaminating(command, request);
  add_files(command, request);
  command.add_flag("--overdensities", request.wants_overdensities,
                   "also find masses and radii at 200 and 500 times the critical, 200 times the "
                   "mean and the virial density");
  command
      .add_option(
          "--center", request.center,
          "center of a group: the center of mass, the densest member, by shrinking spheres, or "
          "the member of deepest potential; default: potential with --overdensities, else mass")
      .one_of({"mass", "density", "shrinking", "potential"});
  if (request.can_be_stored)
    add_disk(command, request.common);
  else
    add_max_memory(command, request.common);
  add_common(command, request.common);
}

}  // namespace kith::cli
