// Snapshots from the shell, for the tests that are written in Python:
//   snapshot_tool dump PATH FOLDER    prints the facts, writes the fields into FOLDER
//   snapshot_tool write PATH N SEED   N points that depend on the seed alone
//   snapshot_tool check PATH          prints the seed of a file that `write` wrote, if it is whole
//   snapshot_tool rate PATH           seconds to read the positions
// Errors of the library go to stderr and end with 1, anything else ends otherwise.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

#include <kith/error.hpp>
#include <kith/io/snapshot.hpp>

namespace {

using namespace kith;

template <class T>
void save(const std::string& path, const std::vector<T>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// Every way to cut the rows in three gives the same numbers as reading all of them at once.
template <class T, class Read>
void check_parts(const std::vector<T>& whole, std::size_t columns, const Read& read) {
  const std::size_t rows = whole.size() / columns;
  const std::size_t step = rows / 7 + 1;
  for (std::size_t begin = 0; begin <= rows; begin += step)
    for (std::size_t end = begin; end <= rows; end += step) {
      std::vector<T> parts(whole.size());
      for (const auto& [from, to] : {std::pair(0UL, begin), {begin, end}, {end, rows}})
        read(from, std::span(parts).subspan(from * columns, (to - from) * columns));
      if (std::memcmp(parts.data(), whole.data(), whole.size() * sizeof(T)) != 0)
        throw Error(ErrorCode::internal, fmt::format("parts cut at {} and {} differ", begin, end));
    }
}

void save_field(const Snapshot& snapshot, Field field, const std::string& path) {
  if (!snapshot.has(field)) return;
  const bool is_vector = field == Field::position || field == Field::velocity;
  const std::size_t columns = is_vector ? static_cast<std::size_t>(snapshot.info().dimension) : 1;
  std::vector<double> values(snapshot.size() * columns);
  snapshot.read(field, values);
  save(path + ".f64", values);
  std::vector<float> narrow(values.size());
  snapshot.read(field, narrow);
  save(path + ".f32", narrow);
  check_parts(values, columns, [&](std::size_t begin, std::span<double> part) {
    snapshot.read(field, begin, part);
  });
  check_parts(narrow, columns,
              [&](std::size_t begin, std::span<float> part) { snapshot.read(field, begin, part); });
}

void print_types(const SnapshotInfo& info) {
  const char* comma = "";
  for (const SnapshotType& type : info.type) {
    fmt::print(
        "{}{{\"type\": {}, \"name\": \"{}\", \"count\": {}, \"mass\": {}, \"has\": \"{}{}{}{}\"}}",
        comma, type.type, type.name, type.count, type.mass, type.has_position ? "x" : "",
        type.has_velocity ? "v" : "", type.has_mass ? "m" : "", type.has_id ? "i" : "");
    comma = ", ";
  }
}

void dump(const std::string& path, const std::string& folder) {
  const Snapshot snapshot(path);
  const SnapshotInfo& info = snapshot.info();
  const Background& background = info.background;
  const Units& units = info.units;
  fmt::print(
      "{{\"format\": \"{}\", \"code\": \"{}\", \"files\": {}, \"dimension\": {}, \"types\": {}, ",
      name(info.format), info.code, info.files.size(), info.dimension, info.types);
  fmt::print("\"box\": [");
  for (int axis = 0; axis < info.dimension; ++axis)
    fmt::print("{}{}", axis > 0 ? ", " : "", info.box.side(axis));
  fmt::print("], \"time\": {}, \"velocity_factor\": {}, \"scalar\": \"{}\", ", info.time,
             info.velocity_factor, info.position_scalar == Scalar::float32 ? "float32" : "float64");
  fmt::print("\"units\": [{}, {}, {}, {}, {}], ", units.length, units.mass, units.velocity,
             units.is_per_h, units.is_comoving);
  fmt::print("\"background\": [{}, {}, {}, {}, {}, {}, {}], \"type\": [", background.is_known,
             background.omega_m, background.omega_lambda, background.omega_b, background.h,
             background.scale_factor, background.redshift);
  print_types(info);
  fmt::print("]}}\n");
  save_field(snapshot, Field::position, folder + "/position");
  save_field(snapshot, Field::velocity, folder + "/velocity");
  save_field(snapshot, Field::mass, folder + "/mass");
  if (!snapshot.has(Field::id)) return;
  std::vector<std::uint64_t> id(snapshot.size());
  snapshot.read_id(id);
  check_parts(id, 1, [&](std::size_t begin, std::span<std::uint64_t> part) {
    snapshot.read_id(begin, part);
  });
  save(folder + "/id.u64", id);
}

/// The coordinate i of the file with this seed.
float pattern(std::size_t i, unsigned seed) {
  return static_cast<float>((i * 2654435761U + seed * 40503U) % 1000003U);
}

void write(const std::string& path, std::size_t n, unsigned seed) {
  std::vector<float> x(3 * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = pattern(i, seed);
  write_snapshot(path, {.position = view(x.data(), n, 3)},
                 {.compression = static_cast<int>(seed % 2)});
}

int check(const std::string& path) {
  const Snapshot snapshot(path);
  std::vector<float> x(3 * snapshot.size());
  snapshot.read(Field::position, x);
  for (unsigned seed = 0; seed < 100000; ++seed) {
    if (x.empty() || x[0] != pattern(0, seed) || x[1] != pattern(1, seed)) continue;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != pattern(i, seed)) return 3;
    fmt::print("{}\n", seed);
    return 0;
  }
  return 3;
}

void rate(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const Snapshot snapshot(path);
  std::vector<float> x(3 * snapshot.size());
  snapshot.read(Field::position, x);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} {:.3f}\n", snapshot.size(), seconds.count());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view command = count > 2 ? arguments[1] : "";
  try {
    if (command == "dump" && count == 4)
      dump(arguments[2], arguments[3]);
    else if (command == "write" && count == 5)
      write(arguments[2], std::strtoul(arguments[3], nullptr, 10),
            static_cast<unsigned>(std::strtoul(arguments[4], nullptr, 10)));
    else if (command == "check")
      return check(arguments[2]);
    else if (command == "rate")
      rate(arguments[2]);
    else
      return 2;
  } catch (const kith::Error& error) {
    fmt::print(stderr, "{}: {}\n", name(error.code()), error.what());
    return 1;
  }
  return 0;
}
