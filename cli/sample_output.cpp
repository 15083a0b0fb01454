#include "sample_output.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <numeric>

#include <kith/error.hpp>

namespace kith::cli {

void add_sample_request(Command kind, SampleRequest& request) {
  request.kind = kind.name();
  kind.add_option(
          "-o,--output", request.output,
          "file for the points: .hdf5, .gadget2, .npy, .npz, .ply, .csv, .xyz, .raw, .f32; -: "
          "standard output, as .csv")
      .required();
  kind.add_option("--compression", request.write.compression, "gzip level of .hdf5 files, 0 to 9")
      .shows_default();
  kind.add_flag("--swift", request.write.is_swift, ".hdf5 in SWIFT's layout instead of Gadget-4's");
  kind.add_option("--picture", request.picture, "file for a picture of the density: .png");
  kind.add_option("--picture-size", request.view.size, "pixels of the longer side").shows_default();
  kind.add_option("--picture-axis", request.view.axis, "axis to look along").shows_default();
  kind.add_option("--picture-thickness", request.view.thickness,
                  "thickness of the slice; 0 = everything")
      .shows_default();
  kind.add_option("--picture-center", request.view.center,
                  "center of the slice, measured from the lower edge")
      .shows_default();
  kind.add_option("--picture-smoothing", request.view.smoothing,
                  "number of points to average over in sparse regions; 0 = no smoothing")
      .shows_default();
  add_common(kind, request.common);
}

void check_sample(const SampleRequest& request, int dimension) {
  check_snapshot_path(request.output, Scalar::float32, dimension);
  check_folder_of(request.output);
  if (!request.velocity.empty()) {
    check_snapshot_path(request.velocity, Scalar::float32, dimension);
    check_folder_of(request.velocity);
  }
  if (request.picture.empty()) return;
  if (!ends_with(request.picture, ".png"))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: pictures are PNG files; the name must end in .png", request.picture));
  check_folder_of(request.picture);
}

bool is_made_in_parts(const SampleRequest& request) {
  const auto has_ending = [&](const char* ending) { return ends_with(request.output, ending); };
  return request.picture.empty() &&
         (has_ending(".hdf5") || has_ending(".h5") || has_ending(".npy") || has_ending(".npz") ||
          has_ending(".raw") || has_ending(".f32"));
}

void deliver_sample(const SampleRequest& request, Session& session, SnapshotContent content) {
  const double made = session.seconds();
  const PointsView& points = content.position;
  std::vector<std::uint64_t> ids;
  if (content.make_position) {
    content.first_id = 1;
  } else {
    ids.resize(points.size);
    std::iota(ids.begin(), ids.end(), std::uint64_t{1});
    content.id = ids.data();
  }
  Report& report = session.report();
  report.add("kind", request.kind);
  report.add_count("points", points.size);
  report.add_count("dimension", static_cast<std::uint64_t>(points.dimension));
  session.say(
      fmt::format("{}: {} in {}{}", request.kind, counted(points.size, "point", "points"),
                  counted(static_cast<std::uint64_t>(points.dimension), "dimension", "dimensions"),
                  content.make_position ? "" : ", made in " + seconds_name(made)));
  write_snapshot(request.output, content, request.write, session.execution());
  report.add("output", request.output);
  session.say_written(request.output, "  ");
  if (!request.velocity.empty()) {
    write_snapshot(request.velocity, {.position = content.velocity}, request.write,
                   session.execution());
    report.add("velocity", request.velocity);
    session.say("  " + request.velocity);
  }
  if (!request.picture.empty()) {
    write_png(request.picture, picture(points, request.view, session.execution()),
              session.execution());
    report.add("picture", request.picture);
    session.say("  " + request.picture);
  }
  if (request.common.json) session.finish();
}

}  // namespace kith::cli
