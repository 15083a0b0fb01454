#include "neighbors.hpp"

#include <fmt/format.h>

#include <kith/error.hpp>

namespace kith::cli {

void add_neighbor_request(Command command, NeighborRequest& request) {
  add_input(command, request.input);
  add_types(command, request.input);
  command.add_option("-o,--output", request.output, "result to write: .hdf5, .npz or .csv");
  command
      .add_option("--compression", request.write.compression, "gzip level of .hdf5 files, 0 to 9")
      .shows_default();
  command
      .add_option("--files", request.write.files,
                  "number of .hdf5 files to write: NAME.0.hdf5 and so on, and NAME.hdf5, which "
                  "refers to them")
      .shows_default()
      .positive();
  add_max_memory(command, request.common);
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

Tree build_tree(const Input& input, const Session& session) {
  const Numbers positions = input.positions(session.execution());
  return Tree(positions.rows(input.dimension()),
              {.box = input.box(), .non_finite = input.non_finite()}, session.on_device());
}

}  // namespace kith::cli
