#include "neighbors.hpp"

#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/tree.hpp>

#include "stored.hpp"

namespace kith::cli {

void add_neighbor_request(Command command, NeighborRequest& request) {
  add_input(command, request.input);
  add_types(command, request.input);
  command.add_option("-o,--output", request.output,
                     "result to write: .hdf5, .npz or .csv; -: standard output, as .csv");
  command
      .add_option("--compression", request.write.compression, "gzip level of .hdf5 files, 0 to 9")
      .shows_default();
  command
      .add_option("--files", request.write.files,
                  "number of .hdf5 files to write: NAME.0.hdf5 and so on, and NAME.hdf5, which "
                  "refers to them")
      .shows_default()
      .positive();
  add_disk(command, request.common);
  add_common(command, request.common);
}

void check_neighbors(std::uint64_t k, std::uint64_t points) {
  if (k > points)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-k {}, but there are {}; ask for at most as many", k,
                            counted(points, "point", "points")));
}

double tree_bytes(const Input& input) {
  return input.position_bytes() +
         static_cast<double>(
             estimate_memory(input.size(), input.dimension(), input.scalar(), {.box = input.box()})
                 .peak);
}

Angles::Angles(const Input& input, detail::NeighborArrays& near, const Execution& execution) {
  if (!input.is_sky()) return;
  const auto* chord = static_cast<const double*>(near.distance);
  const std::size_t count =
      near.are_lists ? (near.offset.empty() ? 0 : static_cast<std::size_t>(near.offset.back()))
                     : near.rows * near.width;
  angle_.assign(chord, chord + count);
  sky::to_angles(angle_, sky::AngleUnit::degrees, execution);
  near.distance = angle_.data();
}

void NeighborRequest::check_output(ResultKind kind, const Input& points) const {
  if (output.empty()) return;
  check_result_path(output, write, kind);
  points.check_output(output, write.files);
}

void check_stored(const NeighborRequest& request, double p) {
  if (p != 2) refuse_disk("--norm needs");
  if (request.common.device != "cpu") refuse_disk("--device needs");
  if (!request.input.file.sky_columns.empty()) refuse_disk("--sky needs");
}

void write_output(const NeighborRequest& request, const ResultAbout& about,
                  std::span<const ResultRows> arrays, Session& session) {
  if (request.output.empty()) return;
  write_result(request.output, about, arrays, request.write, session.execution());
  session.report().add("output", request.output);
  session.say_written(request.output);
}

}  // namespace kith::cli
