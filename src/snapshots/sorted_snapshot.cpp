// A snapshot in another order. Datasets of HDF5 files are moved as bytes: nothing is converted.
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <kith/detail/sorted_snapshot.hpp>

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

void swap_bytes(char* bytes, std::size_t count, std::size_t size) {
  for (std::size_t at = 0; at + size <= count; at += size)
    std::reverse(bytes + at, bytes + at + size);
}

/// Where the rows of a dataset are stored, and how.
struct Source {
  Stored stored;
  io::hdf5::Shape shape;                                     ///< of all rows
  std::vector<std::pair<std::string, std::uint64_t>> files;  ///< and their rows
};

}  // namespace

class SortedCopy::Impl {
 public:
  explicit Impl(const Snapshot& snapshot) : info_(snapshot.info()) {
    if (!is_possible(snapshot))
      refuse("write_sorted_snapshot: only datasets of HDF5 snapshots are copied as they are");
    for (const SnapshotType& type : info_.type) find_datasets(type);
  }

  /// Everything but the rows, whose places are known after it.
  void create(const std::string& path) {
    out_.emplace(path);
    const io::hdf5::InputFile first(info_.files.front());
    copy_groups(first);
    std::size_t next = 0;
    for (const SnapshotType& type : info_.type) {
      io::hdf5::Group to = out_->create_group(formatted("PartType{}", type.type));
      for (; next < datasets.size() && datasets[next].type == type.type; ++next)
        create_dataset(next, to);
    }
  }

  /// As they are in the new file.
  void read(std::size_t number, std::uint64_t begin, std::uint64_t count, char* to,
            const Workers& workers) const {
    const Source& source = sources_[number];
    const std::size_t size = datasets[number].row_bytes;
    const std::size_t bytes = static_cast<std::size_t>(count) * size;
    char* next = to;
    std::uint64_t first = 0;  // row of a file
    for (const auto& [name, rows] : source.files) {
      const std::uint64_t from = std::max(begin, first);
      const std::uint64_t end = std::min(begin + count, first + rows);
      if (from < end) {
        const io::hdf5::InputFile file(name);
        const io::hdf5::Dataset dataset = file.dataset(datasets[number].path);
        for (std::uint64_t row = from; row < end; row += kSortedRows) {
          workers.check_cancelled();
          const std::uint64_t piece = std::min<std::uint64_t>(kSortedRows, end - row);
          dataset.read_stored(row - first, piece, next);
          next += static_cast<std::size_t>(piece) * size;
        }
      }
      first += rows;
    }
    if (source.stored.is_big_endian) swap_bytes(to, bytes, source.stored.bytes());
  }

  std::vector<Dataset> datasets;
  std::vector<std::uint64_t> offsets;
  io::hdf5::OutputFile& file() { return *out_; }

 private:
  bool is_swift() const { return info_.format == FileFormat::swift_hdf5; }

  /// The attributes of the file, without those about particles.
  void copy_groups(const io::hdf5::InputFile& first) {
    for (const std::string& name : first.names()) {
      if (name.starts_with("PartType") || name == "Cells" || !is_group(first, name)) continue;
      const io::hdf5::Group from = first.group(name);
      if (from.contains("Coordinates") || from.contains("ParticleIDs")) continue;  // second names
      io::hdf5::Group to = out_->create_group(name);
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

  void find_datasets(const SnapshotType& type) {
    const std::string group = formatted("PartType{}", type.type);
    std::set<std::string> names;
    for (const std::string& path : info_.files) {
      const io::hdf5::InputFile file(path);
      if (!file.contains(group)) continue;
      for (const std::string& name : file.group(group).names()) names.insert(name);
    }
    for (const std::string& name : names) find_dataset(type, formatted("{}/{}", group, name));
  }

  /// Leaves out datasets that do not have one row per particle.
  void find_dataset(const SnapshotType& type, const std::string& path) {
    Source source;
    std::uint64_t found = 0, row_size = 0;
    for (const std::string& name : info_.files) {
      const io::hdf5::InputFile file(name);
      if (!file.contains(path)) continue;
      const io::hdf5::Dataset dataset = file.dataset(path);
      if (dataset.is_virtual())
        fail(ErrorCode::io,
             "{}: is a virtual dataset; sort the snapshot in the files that it points to",
             dataset.where());
      if (!dataset.stored() || dataset.shape().empty()) return;
      if (found > 0 && !(*dataset.stored() == source.stored)) return;
      source.stored = *dataset.stored();
      source.shape = dataset.shape();
      row_size = dataset.row_size();
      source.files.emplace_back(name, dataset.rows());
      found += dataset.rows();
    }
    if (found != type.count) return;
    source.shape[0] = found;
    datasets.push_back(
        {type.type, path, found, static_cast<std::size_t>(row_size) * source.stored.bytes()});
    sources_.push_back(std::move(source));
  }

  void create_dataset(std::size_t number, io::hdf5::Group& to) {
    const std::string& path = datasets[number].path;
    const Source& source = sources_[number];
    io::hdf5::Dataset dataset =
        to.create_dataset(path.substr(path.find('/') + 1), source.stored.number, source.shape);
    const io::hdf5::InputFile from(source.files.front().first);
    dataset.copy_attributes(from.dataset(path));
    offsets.push_back(dataset.offset());
  }

  SnapshotInfo info_;
  std::vector<Source> sources_;
  std::optional<io::hdf5::OutputFile> out_;
};

namespace {

/// Beside the library, as results are written.
void copy_rows(SortedCopy::Impl& copy, std::size_t number, Order order, const Workers& workers) {
  const SortedCopy::Dataset& dataset = copy.datasets[number];
  const auto count = static_cast<std::size_t>(dataset.rows);
  const std::size_t size = dataset.row_bytes;
  std::vector<char> rows(count * size), sorted(std::min(count, kSortedRows) * size);
  copy.read(number, 0, dataset.rows, rows.data(), workers);
  for_pieces(workers, count, kSortedRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t row = order.empty() ? k : order[k];
      std::copy_n(rows.data() + row * size, size, sorted.data() + (k - begin) * size);
    }
    copy.file().write_at(copy.offsets[number] + begin * size, sorted.data(), (end - begin) * size);
    copy.file().sync_written();
  });
}

void copy_sorted(const std::string& path, const Snapshot& snapshot,
                 std::span<const TypeOrder> orders, const Workers& workers) {
  SortedCopy::Impl copy(snapshot);
  copy.create(path);
  int last = -1;
  for (std::size_t number = 0; number < copy.datasets.size(); ++number) {
    const SortedCopy::Dataset& dataset = copy.datasets[number];
    copy_rows(copy, number, order_of(orders, dataset.type), workers);
    if (std::exchange(last, dataset.type) != dataset.type) workers.advance(dataset.rows);
  }
  workers.check_cancelled();
  copy.file().commit();
}

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
    const bool is_hdf5 = SortedCopy::is_possible(snapshot);
    if (!is_hdf5 && info.type.size() > 1)
      refuse("{}: several types in a file that is not HDF5", path);
    const Stage stage(workers, "sorting", snapshot.size());
    if (is_hdf5)
      copy_sorted(path, snapshot, orders, workers);
    else
      write_fields(path, snapshot, orders.empty() ? Order() : orders.front().row, execution);
  });
}

bool SortedCopy::is_possible(const Snapshot& snapshot) {
  const FileFormat format = snapshot.info().format;
  return format == FileFormat::gadget_hdf5 || format == FileFormat::swift_hdf5;
}

SortedCopy::SortedCopy(const Snapshot& snapshot)
    : impl_(
          public_call("write_sorted_snapshot", [&] { return std::make_unique<Impl>(snapshot); })) {}
SortedCopy::~SortedCopy() = default;

const std::vector<SortedCopy::Dataset>& SortedCopy::datasets() const { return impl_->datasets; }

void SortedCopy::read(std::size_t dataset, std::uint64_t begin, std::uint64_t count, void* to,
                      const Execution& execution) const {
  public_call("write_sorted_snapshot", execution, [&](Workers& workers) {
    impl_->read(dataset, begin, count, static_cast<char*>(to), workers);
  });
}

void SortedCopy::create(const std::string& path) {
  public_call("write_sorted_snapshot", [&] { impl_->create(path); });
}
const std::string& SortedCopy::temporary() const { return impl_->file().temporary(); }
std::uint64_t SortedCopy::offset(std::size_t dataset) const { return impl_->offsets[dataset]; }
void SortedCopy::commit() {
  public_call("write_sorted_snapshot", [&] { impl_->file().commit(); });
}

}  // namespace kith
