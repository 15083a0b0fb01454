// Catalogues of galaxies as points: right ascension, declination and redshift become positions,
// right ascension and declination alone become unit vectors.
#include <cmath>

#include <kith/correlation.hpp>
#include <kith/sky.hpp>

#include "base/fail.hpp"
#include "files/known_units.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kGalaxiesAtOnce = 1 << 16;

class SkyReader : public SnapshotReader {
 public:
  SkyReader(ReaderPointer sky, double omega_m) : sky_(std::move(sky)), omega_m_(omega_m) {
    info = sky_->info;
    info.position_scalar = Scalar::float64;
    info.units = {.length = kMegaparsec, .is_per_h = true, .is_comoving = true};
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    if (field != Field::position) return sky_->read(field, type, rows, to, workers);
    std::vector<double> columns, ra, dec, redshift;
    for (std::uint64_t done = 0; done < rows.count; done += kGalaxiesAtOnce) {
      const std::uint64_t count = std::min(kGalaxiesAtOnce, rows.count - done);
      columns.resize(3 * count);
      ra.resize(count), dec.resize(count), redshift.resize(count);
      sky_->read(field, type, {rows.begin + done, count}, columns.data(), workers);
      for (std::size_t i = 0; i < count; ++i) {
        ra[i] = columns[3 * i];
        dec[i] = columns[3 * i + 1];
        redshift[i] = columns[3 * i + 2];
      }
      const std::vector<double> position =
          sky_positions(ra, dec, comoving_distance(redshift, omega_m_));
      std::visit(
          [&](auto* memory) {
            using T = std::remove_pointer_t<decltype(memory)>;
            for (std::size_t i = 0; i < position.size(); ++i)
              memory[3 * done + i] = static_cast<T>(position[i]);
          },
          to);
    }
  }

 private:
  ReaderPointer sky_;
  double omega_m_;
};

class UnitSphereReader : public SnapshotReader {
 public:
  explicit UnitSphereReader(ReaderPointer sky) : sky_(std::move(sky)) {
    info = sky_->info;
    info.dimension = 3;
    info.position_scalar = Scalar::float64;
    info.units.length = 0;
    info.box = {};
    for (SnapshotType& type : info.type) type.has_velocity = false;
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    if (field != Field::position) return sky_->read(field, type, rows, to, workers);
    std::vector<double> columns, ra, dec;
    for (std::uint64_t done = 0; done < rows.count; done += kGalaxiesAtOnce) {
      const std::uint64_t count = std::min(kGalaxiesAtOnce, rows.count - done);
      columns.resize(2 * count);
      ra.resize(count), dec.resize(count);
      sky_->read(field, type, {rows.begin + done, count}, columns.data(), workers);
      for (std::size_t i = 0; i < count; ++i) {
        ra[i] = columns[2 * i];
        dec[i] = columns[2 * i + 1];
        if (std::abs(dec[i]) > 90)
          fail(ErrorCode::io, "{}: row {} has declination {}; give degrees from -90 to 90",
               info.files.front(), rows.begin + done + i, dec[i]);
      }
      const auto vectors = sky::unit_vectors({.ra = ra, .dec = dec, .non_finite = NonFinite::drop});
      std::visit(
          [&](auto* memory) {
            using T = std::remove_pointer_t<decltype(memory)>;
            for (std::size_t i = 0; i < count; ++i)
              for (std::size_t axis = 0; axis < 3; ++axis)
                memory[3 * (done + i) + axis] = static_cast<T>(vectors[i][axis]);
          },
          to);
    }
  }

 private:
  ReaderPointer sky_;
};

}  // namespace

ReaderPointer sky_unit_vectors(ReaderPointer sky) {
  if (sky->info.dimension != 2)
    refuse("{}: {} columns of positions; the sky needs right ascension and declination",
           sky->info.files.front(), sky->info.dimension);
  return std::make_unique<UnitSphereReader>(std::move(sky));
}

ReaderPointer comoving_positions(ReaderPointer sky, const Background& universe) {
  constexpr double kFlat = 1e-6;
  if (std::abs(universe.omega_m + universe.omega_lambda - 1) > kFlat)
    refuse("{}: omega_m = {} and omega_lambda = {}; distances of galaxies need a flat universe",
           sky->info.files.front(), universe.omega_m, universe.omega_lambda);
  return std::make_unique<SkyReader>(std::move(sky), universe.omega_m);
}

}  // namespace kith::io
