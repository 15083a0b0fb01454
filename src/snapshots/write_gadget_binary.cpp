// Gadget-2's binary snapshots, format 2: records between their lengths, each after one that names
// it.
#include <algorithm>
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/gadget_binary.hpp"
#include "snapshots/writers.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kMostBytes = 0xffffffff - 8;

GadgetHeader header_of(const SnapshotContent& content) {
  GadgetHeader header{};
  const auto type = static_cast<std::size_t>(content.type);
  const std::uint64_t n = content.position.size;
  const Background& background = content.background;
  header.count[type] = static_cast<std::uint32_t>(n);
  header.total[type] = static_cast<std::uint32_t>(n);
  header.mass[type] = content.particle_mass;
  header.time = background.is_known ? background.scale_factor : 0;
  header.redshift = background.is_known ? background.redshift : 0;
  header.files = 1;
  header.box = content.box.side(0);
  header.omega_m = background.omega_m;
  header.omega_lambda = background.omega_lambda;
  header.h = background.is_known ? background.h : 1;
  return header;
}

/// Both ends of a record, and the one in front with its name.
class BlockWriter {
 public:
  BlockWriter(AtomicFile& file, const std::string& path, std::string_view name, std::uint64_t bytes)
      : file_(file), bytes_(static_cast<std::uint32_t>(bytes)) {
    if (bytes > kMostBytes)
      fail(ErrorCode::invalid_argument,
           "{}: the block {} would have {} bytes; the format ends at {}, use .hdf5", path, name,
           bytes, kMostBytes);
    write(std::uint32_t{8});
    file.write(name.data(), 4);
    write(bytes_ + 8);
    write(std::uint32_t{8});
    write(bytes_);
  }
  void end() { write(bytes_); }

 private:
  void write(std::uint32_t value) { file_.write(&value, sizeof value); }
  AtomicFile& file_;
  std::uint32_t bytes_;
};

void write_points(AtomicFile& file, const std::string& path, std::string_view name,
                  const PointsView& points, double factor, const Workers& workers) {
  BlockWriter block(file, path, name, points.size * row_bytes(points));
  for_packed_rows(points, factor, workers, [&](const char* rows, std::size_t, std::size_t count) {
    file.write(rows, count * row_bytes(points));
    file.sync();
  });
  block.end();
}

/// In 32 bits where they fit, as most readers expect.
void write_ids(AtomicFile& file, const std::string& path, const SnapshotContent& content,
               const Workers& workers) {
  const std::size_t n = content.position.size;
  const bool is_wide =
      std::any_of(content.id, content.id + n, [](std::uint64_t id) { return id > 0xffffffff; });
  BlockWriter block(file, path, "ID  ", n * (is_wide ? 8 : 4));
  std::vector<std::uint32_t> narrow;
  for_pieces(n, 8, workers, [&](std::size_t begin, std::size_t count) {
    if (is_wide) return file.write(content.id + begin, count * 8);
    narrow.clear();
    for (std::size_t i = begin; i < begin + count; ++i)
      narrow.push_back(static_cast<std::uint32_t>(content.id[i]));
    file.write(narrow.data(), count * 4);
  });
  block.end();
}

}  // namespace

void write_gadget_binary(AtomicFile& file, const std::string& path, const SnapshotContent& content,
                         const Workers& workers) {
  const GadgetHeader header = header_of(content);
  BlockWriter block(file, path, "HEAD", sizeof header);
  file.write(&header, sizeof header);
  block.end();
  write_points(file, path, "POS ", content.position, 1, workers);
  if (content.velocity.data)
    write_points(file, path, "VEL ", content.velocity, gadget_velocity_factor(content.background),
                 workers);
  if (content.id) write_ids(file, path, content, workers);
}

}  // namespace kith::io
