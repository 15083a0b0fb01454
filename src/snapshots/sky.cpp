// Catalogues of galaxies as points: right ascension, declination and redshift become positions.
#include <cmath>

#include <kith/correlation.hpp>

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

}  // namespace

ReaderPointer comoving_positions(ReaderPointer sky, const Background& universe) {
  constexpr double kFlat = 1e-6;
  if (std::abs(universe.omega_m + universe.omega_lambda - 1) > kFlat)
    refuse("{}: omega_m = {} and omega_lambda = {}; distances of galaxies need a flat universe",
           sky->info.files.front(), universe.omega_m, universe.omega_lambda);
  return std::make_unique<SkyReader>(std::move(sky), universe.omega_m);
}

}  // namespace kith::io
