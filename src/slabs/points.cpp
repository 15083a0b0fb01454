// Points outside of memory: in a snapshot, or in an array that the system pages in.
#include <algorithm>
#include <cstring>
#include <sys/stat.h>

#include <kith/io/stored_points.hpp>

#include "base/dispatch.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

class PointsInMemory : public StoredPoints {
 public:
  explicit PointsInMemory(const PointsView& points) : points_(points) {}
  std::uint64_t size() const override { return points_.size; }
  int dimension() const override { return points_.dimension; }
  Scalar scalar() const override { return points_.scalar; }
  void read(Field, std::uint64_t begin, std::span<float> out) const override { copy(begin, out); }
  void read(Field, std::uint64_t begin, std::span<double> out) const override { copy(begin, out); }

 private:
  template <class T>
  void copy(std::uint64_t begin, std::span<T> out) const {
    const auto d = static_cast<std::size_t>(points_.dimension);
    const auto stride = static_cast<std::size_t>(points_.stride);
    const T* from = static_cast<const T*>(points_.data) + begin * stride;
    for (std::size_t i = 0; i < out.size() / d; ++i)
      std::copy_n(from + i * stride, d, out.data() + i * d);
  }

  PointsView points_;
};

class PointsOfSnapshot : public StoredPoints {
 public:
  PointsOfSnapshot(const Snapshot& snapshot, std::span<const int> types)
      : snapshot_(snapshot), types_(types.begin(), types.end()) {
    if (types_.empty())
      for (const SnapshotType& type : snapshot.info().type) types_.push_back(type.type);
  }
  std::uint64_t size() const override { return snapshot_.size(types_); }
  int dimension() const override { return snapshot_.info().dimension; }
  Scalar scalar() const override { return snapshot_.info().position_scalar; }
  std::vector<std::uint64_t> counts() const override {
    std::vector<std::uint64_t> counts;
    for (const int type : types_) counts.push_back(snapshot_.size({&type, 1}));
    return counts;
  }
  bool has(Field field) const override { return snapshot_.has(field, types_); }
  std::string identity() const override {
    std::string text;
    for (const int type : types_) text += formatted("{} ", type);
    for (const std::string& file : snapshot_.info().files) {
      struct stat about {};
      if (stat(file.c_str(), &about) != 0) return {};
      text += formatted("{} {} {}.{} ", file, about.st_size, about.st_mtim.tv_sec,
                        about.st_mtim.tv_nsec);
    }
    return text;
  }
  void read(Field field, std::uint64_t begin, std::span<float> out) const override {
    get(field, begin, out);
  }
  void read(Field field, std::uint64_t begin, std::span<double> out) const override {
    get(field, begin, out);
  }
  void read_mass(std::uint64_t begin, std::span<double> out) const override {
    snapshot_.read(Field::mass, begin, out, types_);
  }
  void read_id(std::uint64_t begin, std::span<std::uint64_t> out) const override {
    snapshot_.read_id(begin, out, types_);
  }

 private:
  template <class T>
  void get(Field field, std::uint64_t begin, std::span<T> out) const {
    snapshot_.read(field, begin, out, types_);
    const double factor = snapshot_.info().velocity_factor;
    if (field != Field::velocity || factor == 1) return;
    for (T& v : out) v = static_cast<T>(static_cast<double>(v) * factor);
  }

  Snapshot snapshot_;
  std::vector<int> types_;
};

}  // namespace

StoredPoints::~StoredPoints() = default;
void StoredPoints::read_mass(std::uint64_t, std::span<double>) const {
  refuse("stored points: no masses");
}
void StoredPoints::read_id(std::uint64_t, std::span<std::uint64_t>) const {
  refuse("stored points: no ids");
}

std::shared_ptr<const StoredPoints> stored_points(PointsView points) {
  return public_call("stored_points",
                     [&] { return std::make_shared<const PointsInMemory>(points); });
}

std::shared_ptr<const StoredPoints> stored_points(const Snapshot& snapshot,
                                                  std::span<const int> types) {
  return public_call("stored_points", [&] {
    const FileFormat format = snapshot.info().format;
    if (format == FileFormat::text || format == FileFormat::npz || format == FileFormat::ply)
      refuse(
          "stored points: rows of {} files have no fixed places; convert the file to .npy or "
          "HDF5, and it can be larger than memory",
          std::string(name(format)));
    return std::make_shared<const PointsOfSnapshot>(snapshot, types);
  });
}

}  // namespace kith
