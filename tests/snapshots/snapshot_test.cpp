// Snapshot reads the files of write_snapshot: the same numbers in every format.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include <kith/io/snapshot.hpp>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;

/// Particles with everything that a snapshot can have.
template <class T>
struct Particles {
  std::vector<T> position, velocity;
  std::vector<std::uint64_t> id;
  int dimension = 3;

  explicit Particles(std::size_t n, int d = 3)
      : position(n * static_cast<std::size_t>(d)), velocity(position.size()), id(n), dimension(d) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> inside(0, 100), speed(-900, 900);
    for (T& x : position) x = inside(random);
    for (T& v : velocity) v = speed(random);
    for (std::size_t i = 0; i < n; ++i) id[i] = 10 * i + 3;
  }

  SnapshotContent content() const {
    return {.position = view(position.data(), id.size(), dimension),
            .velocity = view(velocity.data(), id.size(), dimension),
            .id = id.data(),
            .particle_mass = 0.25,
            .type = 1,
            .box = Box::periodic(100.0),
            .units = {3.085678e24, 1.989e43, 1e5, true, true},
            .background = {true, 0.3, 0.7, 0.05, 0.7, 0.25, 3.0}};
  }
};

template <class T>
std::vector<T> read(const Snapshot& snapshot, Field field) {
  const bool is_vector = field == Field::position || field == Field::velocity;
  std::vector<T> out(snapshot.size() * (is_vector ? snapshot.info().dimension : 1));
  snapshot.read(field, out);
  return out;
}

template <class T>
void expect_close(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 4 * std::numeric_limits<T>::epsilon() * std::abs(a[i])) << i;
}

template <class T>
class SnapshotRoundTrip : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SnapshotRoundTrip, Scalars);

/// All that HDF5 and Gadget's own files keep.
template <class T>
void check_everything(const Folder& folder, const std::string& name,
                      const SnapshotWriteOptions& options, FileFormat format) {
  SCOPED_TRACE(name);
  const Particles<T> particles(1234);
  write_snapshot(folder / name, particles.content(), options);
  const Snapshot snapshot(folder / name);
  const SnapshotInfo& info = snapshot.info();
  EXPECT_STREQ(kith::name(info.format), kith::name(format));
  EXPECT_EQ(info.dimension, 3);
  EXPECT_EQ(info.position_scalar, scalar_of<T>);
  ASSERT_EQ(info.type.size(), 1U);
  EXPECT_EQ(info.type[0].type, 1);
  EXPECT_EQ(info.type[0].count, 1234U);
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(info.box.side(axis), 100.0);
  EXPECT_TRUE(info.background.is_known);
  EXPECT_EQ(info.background.omega_m, 0.3);
  EXPECT_EQ(info.background.h, 0.7);
  EXPECT_EQ(info.background.scale_factor, 0.25);
  EXPECT_EQ(info.background.redshift, 3.0);
  EXPECT_TRUE(info.units.is_comoving);
  EXPECT_EQ(read<T>(snapshot, Field::position), particles.position);
  std::vector<T> velocity = read<T>(snapshot, Field::velocity);
  for (T& v : velocity) v = static_cast<T>(v * info.velocity_factor);
  expect_close(velocity, particles.velocity);
  EXPECT_EQ(read<double>(snapshot, Field::mass), std::vector<double>(1234, 0.25));
  std::vector<std::uint64_t> id(1234);
  snapshot.read_id(id);
  EXPECT_EQ(id, particles.id);
  EXPECT_EQ(folder.names(), std::vector<std::string>{name});
}

TYPED_TEST(SnapshotRoundTrip, GadgetHdf5) {
  for (const int compression : {0, 4}) {
    const Folder folder;
    check_everything<TypeParam>(folder, "a.hdf5", {.compression = compression},
                                FileFormat::gadget_hdf5);
    const Snapshot snapshot(folder / "a.hdf5");
    EXPECT_TRUE(snapshot.info().units.is_per_h);
    EXPECT_EQ(snapshot.info().units.length, 3.085678e24);
    EXPECT_EQ(snapshot.info().velocity_factor, 0.5);
    EXPECT_EQ(snapshot.info().type[0].mass, 0.25);
    EXPECT_EQ(snapshot.info().types, 6);
  }
}

TYPED_TEST(SnapshotRoundTrip, SwiftHdf5) {
  for (const int compression : {0, 4}) {
    const Folder folder;
    check_everything<TypeParam>(folder, "a.h5", {.compression = compression, .is_swift = true},
                                FileFormat::swift_hdf5);
    const Snapshot snapshot(folder / "a.h5");
    EXPECT_FALSE(snapshot.info().units.is_per_h);
    EXPECT_DOUBLE_EQ(snapshot.info().units.length, 3.085678e24 / 0.7);
    EXPECT_DOUBLE_EQ(snapshot.info().units.velocity, 1e5);
    EXPECT_EQ(snapshot.info().velocity_factor, 1);
    EXPECT_EQ(snapshot.info().types, 7);
  }
}

TYPED_TEST(SnapshotRoundTrip, GadgetBinary) {
  const Folder folder;
  check_everything<TypeParam>(folder, "a.gadget2", {}, FileFormat::gadget_binary);
}

TYPED_TEST(SnapshotRoundTrip, Npz) {
  const Folder folder;
  const Particles<TypeParam> particles(500, 5);
  write_snapshot(folder / "a.npz", particles.content());
  const Snapshot snapshot(folder / "a.npz");
  EXPECT_EQ(snapshot.info().dimension, 5);
  EXPECT_EQ(snapshot.info().box, Box::periodic({100, 100, 100, 100, 100}));
  EXPECT_EQ(read<TypeParam>(snapshot, Field::position), particles.position);
  EXPECT_EQ(read<TypeParam>(snapshot, Field::velocity), particles.velocity);
  EXPECT_EQ(read<double>(snapshot, Field::mass), std::vector<double>(500, 0.25));
  std::vector<std::uint64_t> id(500);
  snapshot.read_id(id);
  EXPECT_EQ(id, particles.id);
}

TYPED_TEST(SnapshotRoundTrip, PlyAndText) {
  const Folder folder;
  for (const int d : {1, 2, 3, 4})
    for (const char* name : {"a.ply", "a.csv", "a.txt", "a.xyz"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, d));
      const Particles<TypeParam> particles(300, d);
      SnapshotContent content = particles.content();
      write_snapshot(folder / name, content);
      const Snapshot snapshot(folder / name);
      EXPECT_EQ(snapshot.info().dimension, d);
      EXPECT_EQ(read<TypeParam>(snapshot, Field::position), particles.position);
      EXPECT_EQ(read<TypeParam>(snapshot, Field::velocity), particles.velocity);
      EXPECT_FALSE(snapshot.has(Field::mass));
      if (std::string_view(name) == "a.ply") {
        EXPECT_FALSE(snapshot.has(Field::id));
        continue;
      }
      std::vector<std::uint64_t> id(300);
      snapshot.read_id(id);
      EXPECT_EQ(id, particles.id);
    }
}

TYPED_TEST(SnapshotRoundTrip, NpyAndRaw) {
  const Folder folder;
  const std::string typed = sizeof(TypeParam) == 4 ? "a.f32" : "a.f64";
  for (const int d : {1, 2, 3, 7})
    for (const std::string& name : {std::string("a.npy"), std::string("a.raw"), typed}) {
      SCOPED_TRACE(fmt::format("{} {}", name, d));
      const Particles<TypeParam> particles(300, d);
      write_snapshot(folder / name, particles.content());
      const Snapshot snapshot(folder / name, {.dimension = d, .scalar = scalar_of<TypeParam>});
      EXPECT_EQ(snapshot.info().dimension, d);
      EXPECT_EQ(snapshot.size(), 300U);
      EXPECT_EQ(read<TypeParam>(snapshot, Field::position), particles.position);
      EXPECT_FALSE(snapshot.has(Field::velocity));
    }
}

TEST(WriteSnapshot, LargeOnesAreWrittenInPieces) {
  const Folder folder;
  const Particles<float> particles(400'001);  // more than one piece of 4 MiB
  for (const char* name : {"a.hdf5", "b.h5", "a.gadget2", "a.npz", "a.ply", "a.npy"}) {
    SCOPED_TRACE(name);
    std::uint64_t last = 0, total = 1;
    write_snapshot(folder / name, particles.content(), {.is_swift = name[0] == 'b'},
                   {.progress = [&](const Progress& progress) {
                     EXPECT_GE(progress.done, last);
                     last = progress.done;
                     total = progress.total;
                   }});
    EXPECT_EQ(last, total);
    const Snapshot snapshot(folder / name);
    EXPECT_EQ(read<float>(snapshot, Field::position), particles.position);
    // Other types than the stored one, too.
    const std::vector<double> wide = read<double>(snapshot, Field::position);
    EXPECT_TRUE(std::equal(wide.begin(), wide.end(), particles.position.begin()));
  }
}

TEST(WriteSnapshot, NoParticlesAreASnapshotToo) {
  const Folder folder;
  SnapshotContent content;
  content.position = view(static_cast<const float*>(nullptr), 0, 3);
  for (const char* name : {"a.hdf5", "b.h5", "a.npy", "a.npz", "a.ply", "a.raw", "a.gadget2"}) {
    SCOPED_TRACE(name);
    write_snapshot(folder / name, content, {.is_swift = name[0] == 'b'});
    const Snapshot snapshot(folder / name);
    EXPECT_EQ(snapshot.size(), 0U);
    EXPECT_TRUE(read<float>(snapshot, Field::position).empty());
  }
}

TEST(WriteSnapshot, CancelledLeavesNothing) {
  const Folder folder;
  const Particles<float> particles(1000);
  const CancelToken token;
  token.cancel();
  for (const char* name : {"a.hdf5", "a.npy", "a.npz", "a.ply", "a.raw", "a.gadget2", "a.csv"})
    expect_error(ErrorCode::cancelled, "cancelled", [&] {
      write_snapshot(folder / name, particles.content(), {}, {.cancel = &token});
    });
  EXPECT_TRUE(folder.names().empty());
}

TEST(WriteSnapshot, SaysWhatDoesNotFit) {
  const Folder folder;
  const Particles<double> particles(10);
  const auto refused = [&](const char* name, const char* words, auto change,
                           SnapshotWriteOptions options = {}) {
    SnapshotContent content = particles.content();
    change(content);
    expect_error(ErrorCode::invalid_argument, words,
                 [&] { write_snapshot(folder / name, content, options); });
  };
  const auto as_is = [](SnapshotContent&) {};
  refused("a.fits", "a.fits: unknown file format; the name must end in .hdf5", as_is);
  refused("a.f32", "the points are float64", as_is);
  refused("a.hdf5", "compression = 10", as_is, {.compression = 10});
  refused("a.hdf5", "a box with sides of 1 and 2", [](SnapshotContent& c) {
    c.box = Box::periodic({1, 2, 1});
  });
  refused("a.hdf5", "particles of type 6", [](SnapshotContent& c) { c.type = 6; });
  refused("a.npz", "velocities of 9 points", [](SnapshotContent& c) { c.velocity.size = 9; });
  refused("a.gadget2", "points of dimension 2", [](SnapshotContent& c) {
    c.position.dimension = c.velocity.dimension = 2;
    c.box = {};
  });
  refused("a.hdf5", "particles of mass -1", [](SnapshotContent& c) { c.particle_mass = -1; });
  refused("a.hdf5", "without a value of h", [](SnapshotContent& c) { c.background.h = 0; });
  EXPECT_TRUE(folder.names().empty());
  check_snapshot_path("a.csv", Scalar::float32, 2);
  expect_error(ErrorCode::invalid_argument, "Gadget's files hold 3",
               [] { check_snapshot_path("a.gadget2", Scalar::float32, 2); });
}

TEST(Snapshot, SaysWhatCannotBeRead) {
  const Folder folder;
  SnapshotContent content = Particles<float>(0).content();
  const Particles<float> particles(10);
  content = particles.content();
  content.velocity = {};
  write_snapshot(folder / "a.hdf5", content);
  const Snapshot snapshot(folder / "a.hdf5");
  std::vector<float> out(30);
  expect_error(ErrorCode::invalid_argument, "particles of type 1 (dark matter) have no velocities",
               [&] { snapshot.read(Field::velocity, out); });
  out.resize(29);
  expect_error(ErrorCode::invalid_argument, "memory for 29 numbers",
               [&] { snapshot.read(Field::position, out); });
  expect_error(ErrorCode::invalid_argument, "no type 6; the format has types 0 to 5",
               [&] { snapshot.size(std::vector<int>{6}); });
  expect_error(ErrorCode::invalid_argument, "type 1 is named twice", [&] {
    snapshot.size(std::vector<int>{1, 1});
  });
  expect_error(ErrorCode::invalid_argument, "use read_id", [&] { snapshot.read(Field::id, out); });
  EXPECT_EQ(snapshot.size(std::vector<int>{0, 1}), 10U);
  EXPECT_EQ(snapshot.size(std::vector<int>{0}), 0U);
  const CancelToken token;
  token.cancel();
  out.resize(30);
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { snapshot.read(Field::position, out, {}, {.cancel = &token}); });
  expect_error(ErrorCode::io, "cannot be opened: No such file",
               [&] { Snapshot(folder / "absent.hdf5"); });
  expect_error(ErrorCode::io, "is a terminal or a device", [] { Snapshot("/dev/null"); });
}

template <class T>
void expect_parts(const Snapshot& snapshot, Field field) {
  const std::vector<T> whole = read<T>(snapshot, field);
  const std::size_t rows = snapshot.size(), columns = whole.size() / rows;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, rows / 3, rows - 1, rows})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, rows / 2, rows - begin}) {
      if (begin + count > rows) continue;
      std::vector<T> part(count * columns);
      snapshot.read(field, begin, part);
      const auto* from = whole.data() + begin * columns;
      EXPECT_TRUE(std::equal(part.begin(), part.end(), from)) << begin << " " << count;
    }
}

TEST(SnapshotParts, AreThoseOfTheWholeInEveryFormat) {
  const Folder folder;
  const Particles<float> particles(140001);
  for (const char* name : {"a.hdf5", "a.h5", "a.gadget2", "a.npy", "a.npz", "a.ply", "a.csv",
                           "a.xyz", "a.txt", "a.raw", "a.f32"}) {
    SCOPED_TRACE(name);
    const bool is_swift = std::string_view(name) == "a.h5";
    write_snapshot(folder / name, particles.content(),
                   {.compression = is_swift ? 1 : 0, .is_swift = is_swift});
    const Snapshot snapshot(folder / name);
    expect_parts<float>(snapshot, Field::position);
    expect_parts<double>(snapshot, Field::position);
    if (snapshot.has(Field::velocity)) expect_parts<double>(snapshot, Field::velocity);
    if (snapshot.has(Field::mass)) expect_parts<float>(snapshot, Field::mass);
    if (!snapshot.has(Field::id)) continue;
    std::vector<std::uint64_t> id(1000);
    snapshot.read_id(131000, id);  // across the place that text remembers
    EXPECT_TRUE(std::equal(id.begin(), id.end(), particles.id.begin() + 131000));
  }
}

TEST(SnapshotParts, BeyondTheLastRowAreRefused) {
  const Folder folder;
  write_snapshot(folder / "a.npy", Particles<float>(10).content());
  const Snapshot snapshot(folder / "a.npy");
  std::vector<float> out(6);
  snapshot.read(Field::position, 8, out);
  for (const std::uint64_t begin : {std::uint64_t{9}, std::uint64_t{11}, ~std::uint64_t{0}})
    expect_error(ErrorCode::invalid_argument, "of 10 particles are 3 each",
                 [&] { snapshot.read(Field::position, begin, out); });
  std::vector<float> odd(5);
  expect_error(ErrorCode::invalid_argument, "memory for 5 numbers",
               [&] { snapshot.read(Field::position, 0, odd); });
}

}  // namespace
}  // namespace kith
