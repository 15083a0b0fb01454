// A snapshot in another order. Datasets of HDF5 files are moved as bytes: nothing is converted.
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include <kith/sorted_snapshot.hpp>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "files/hdf5.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "snapshots/writers.hpp"

namespace kith {
namespace {

using io::Stored;
using Order = std::span<const std::uint32_t>;

constexpr std::size_t kSortedRows = std::size_t{1} << 16;

bool is_hdf5_name(std::string_view path) {
  return path.ends_with(".hdf5") || path.ends_with(".h5");
}

Order order_of(std::span<const TypeOrder> orders, int type) {
  for (const TypeOrder& each : orders)
    if (each.type == type) return each.row;
  return {};
}

void check_order(const TypeOrder& order, std::uint64_t count, const Workers& workers) {
  if (order.row.size() != count)
    refuse("write_sorted_snapshot: {} rows for {} particles of type {}", order.row.size(), count,
           order.type);
  std::vector<std::uint8_t> is_taken(count, 0);
  for_each_in_order(workers, count, [&](std::size_t k) {
    const std::uint32_t row = order.row[k];
    if (row >= count || is_taken[row])
      refuse("write_sorted_snapshot: row {} of type {} is {}; give each of 0 ... {} once", k,
             order.type, row, count - 1);
    is_taken[row] = 1;
  });
}

/// All rows of a dataset over all files, as they are stored.
struct Rows {
  Stored stored;
  io::hdf5::Shape shape;
  std::vector<char> bytes;
  std::size_t row_bytes() const {
    return shape[0] == 0 ? 0 : bytes.size() / static_cast<std::size_t>(shape[0]);
  }
};

void swap_bytes(Rows& rows) {
  const std::size_t size = rows.stored.bytes();
  for (std::size_t at = 0; at + size <= rows.bytes.size(); at += size)
    std::reverse(rows.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 rows.bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
  rows.stored.is_big_endian = false;
}

class SortedCopy {
 public:
  SortedCopy(const std::string& path, const Snapshot& snapshot, std::span<const TypeOrder> orders,
             const Workers& workers)
      : info_(snapshot.info()), orders_(orders), workers_(workers), out_(path) {}

  void run() {
    const io::hdf5::InputFile first(info_.files.front());
    copy_groups(first);
    for (const SnapshotType& type : info_.type) copy_type(type);
    workers_.check_cancelled();
    out_.commit();
  }

 private:
  bool is_swift() const { return info_.format == FileFormat::swift_hdf5; }

  /// What the file says about itself, without what is said about particles.
  void copy_groups(const io::hdf5::InputFile& first) {
    for (const std::string& name : first.names()) {
      if (name.starts_with("PartType") || name == "Cells" || !is_group(first, name)) continue;
      const io::hdf5::Group from = first.group(name);
      if (from.contains("Coordinates") || from.contains("ParticleIDs")) continue;  // second names
      io::hdf5::Group to = out_.create_group(name);
      if (name == "Header")
        copy_header(from, to);
      else
        to.copy_attributes(from);
    }
  }

  static bool is_group(const io::hdf5::InputFile& file, const std::string& name) {
    try {
      (void)file.group(name);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void copy_header(const io::hdf5::Group& from, io::hdf5::Group& to) const {
    to.copy_attributes(from,
                       {"NumPart_ThisFile", "NumPart_Total", "NumPart_Total_HighWord",
                        "TotalNumberOfParticles", "NumFilesPerSnapshot", "ThisFile", "Virtual"});
    const auto length = from.numbers("NumPart_ThisFile");
    std::vector<std::uint64_t> counts(length ? length->size() : 6);
    for (const SnapshotType& type : info_.type) {
      counts.resize(std::max(counts.size(), static_cast<std::size_t>(type.type) + 1));
      counts[static_cast<std::size_t>(type.type)] = type.count;
    }
    std::vector<std::uint32_t> low, high;
    for (const std::uint64_t count : counts) {
      low.push_back(static_cast<std::uint32_t>(count));
      high.push_back(static_cast<std::uint32_t>(count >> 32));
    }
    to.set("NumPart_ThisFile", counts);
    if (from.has("NumPart_Total_HighWord")) {
      to.set("NumPart_Total", low);
      to.set("NumPart_Total_HighWord", high);
    } else {
      to.set("NumPart_Total", counts);
    }
    if (!is_swift()) return to.set("NumFilesPerSnapshot", std::int32_t{1});
    to.set("TotalNumberOfParticles", counts);
    to.set("NumFilesPerSnapshot", std::vector<std::int32_t>{1});
    to.set("ThisFile", std::vector<std::int32_t>{0});
    to.set("Virtual", std::vector<std::int32_t>{0});
  }

  void copy_type(const SnapshotType& type) {
    const std::string group = formatted("PartType{}", type.type);
    io::hdf5::Group to = out_.create_group(group);
    std::set<std::string> names;
    for (const std::string& path : info_.files) {
      const io::hdf5::InputFile file(path);
      if (!file.contains(group)) continue;
      for (const std::string& name : file.group(group).names()) names.insert(name);
    }
    for (const std::string& name : names) copy_dataset(type, group + "/" + name, name, to);
    workers_.advance(type.count);
  }

  /// Leaves out what does not have one row per particle.
  void copy_dataset(const SnapshotType& type, const std::string& path, const std::string& name,
                    io::hdf5::Group& to) {
    Rows rows;
    if (!gather(path, type.count, rows)) return;
    if (rows.stored.is_big_endian) swap_bytes(rows);
    io::hdf5::Dataset dataset = to.create_dataset(name, rows.stored.number, rows.shape);
    for (const std::string& file : info_.files) {
      const io::hdf5::InputFile from(file);
      if (!from.contains(path)) continue;
      dataset.copy_attributes(from.dataset(path));
      break;
    }
    write(rows, order_of(orders_, type.type), dataset);
  }

  bool gather(const std::string& path, std::uint64_t count, Rows& rows) const {
    std::uint64_t found = 0;
    for (const std::string& name : info_.files) {
      workers_.check_cancelled();
      const io::hdf5::InputFile file(name);
      if (!file.contains(path)) continue;
      const io::hdf5::Dataset dataset = file.dataset(path);
      if (dataset.is_virtual())
        fail(ErrorCode::io,
             "{}: is a virtual dataset; sort the snapshot in the files that it points to",
             dataset.where());
      if (!dataset.stored() || dataset.shape().empty()) return false;
      if (found > 0 && !(*dataset.stored() == rows.stored)) return false;
      rows.stored = *dataset.stored();
      rows.shape = dataset.shape();
      const std::size_t row_bytes =
          static_cast<std::size_t>(dataset.row_size()) * rows.stored.bytes();
      if (found + dataset.rows() > count) return false;
      rows.bytes.resize(static_cast<std::size_t>(found + dataset.rows()) * row_bytes);
      for (std::uint64_t begin = 0; begin < dataset.rows(); begin += kSortedRows) {
        workers_.check_cancelled();
        dataset.read_stored(
            begin, std::min<std::uint64_t>(kSortedRows, dataset.rows() - begin),
            rows.bytes.data() + static_cast<std::size_t>(found + begin) * row_bytes);
      }
      found += dataset.rows();
    }
    if (found != count) return false;
    rows.shape[0] = count;
    return true;
  }

  void write(const Rows& rows, Order order, io::hdf5::Dataset& dataset) {
    const std::size_t count = static_cast<std::size_t>(rows.shape[0]), size = rows.row_bytes();
    std::vector<char> sorted(std::min(count, kSortedRows) * size);
    for_pieces(workers_, count, kSortedRows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t row = order.empty() ? k : order[k];
        std::copy_n(rows.bytes.data() + row * size, size, sorted.data() + (k - begin) * size);
      }
      dataset.write(begin, end - begin, rows.stored.number, sorted.data());
      out_.sync();
    });
  }

  const SnapshotInfo& info_;
  std::span<const TypeOrder> orders_;
  const Workers& workers_;
  io::hdf5::OutputFile out_;
};

/// The rows of a field in their new order.
template <class T>
std::vector<T> sorted_rows(const std::vector<T>& rows, std::size_t width, Order order) {
  if (order.empty()) return rows;
  std::vector<T> sorted(rows.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(order[k] * width), width,
                sorted.begin() + static_cast<std::ptrdiff_t>(k * width));
  return sorted;
}

/// Of files without types.
void write_fields(const std::string& path, const Snapshot& snapshot, Order order,
                  const Execution& execution) {
  const SnapshotInfo& info = snapshot.info();
  const SnapshotType& type = info.type.front();
  const auto d = static_cast<std::size_t>(info.dimension);
  SnapshotContent content{.position = {},
                          .particle_mass = type.mass,
                          .type = info.types > 1 ? type.type : 1,
                          .box = info.box,
                          .units = info.units,
                          .background = info.background};
  if (type.has_mass && !(type.mass > 0))
    refuse("{}: particles of different masses in a file that is not HDF5; write it as .hdf5 first",
           path);
  std::vector<double> position(type.count * d), velocity;
  snapshot.read(Field::position, position, {}, execution);
  position = sorted_rows(position, d, order);
  content.position = view(position.data(), type.count, info.dimension);
  if (type.has_velocity) {
    velocity.resize(position.size());
    snapshot.read(Field::velocity, velocity, {}, execution);
    for (double& v : velocity) v *= info.velocity_factor;
    velocity = sorted_rows(velocity, d, order);
    content.velocity = view(velocity.data(), type.count, info.dimension);
  }
  std::vector<std::uint64_t> id(type.count);
  if (type.has_id)
    snapshot.read_id(id, {}, execution);
  else
    std::iota(id.begin(), id.end(), std::uint64_t{0});
  id = sorted_rows(id, 1, order);
  content.id = id.data();
  write_snapshot(path, content, {}, execution);
}

}  // namespace

void write_sorted_snapshot(const std::string& path, const Snapshot& snapshot,
                           std::span<const TypeOrder> orders, const Execution& execution) {
  public_call("write_sorted_snapshot", execution, [&](Workers& workers) {
    const SnapshotInfo& info = snapshot.info();
    if (!is_hdf5_name(path)) refuse("{}: a sorted snapshot is an HDF5 file; use .hdf5", path);
    for (const TypeOrder& order : orders)
      check_order(order, snapshot.size(std::span(&order.type, 1)), workers);
    const bool is_hdf5 =
        info.format == FileFormat::gadget_hdf5 || info.format == FileFormat::swift_hdf5;
    if (!is_hdf5 && info.type.size() > 1)
      refuse("{}: several types in a file that is not HDF5", path);
    const Stage stage(workers, "sorting", snapshot.size());
    if (is_hdf5)
      SortedCopy(path, snapshot, orders, workers).run();
    else
      write_fields(path, snapshot, orders.empty() ? Order() : orders.front().row, execution);
  });
}

}  // namespace kith
