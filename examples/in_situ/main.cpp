// A simulation that looks for its halos while it runs.
//
//   a = 0.05  . . . . . .        a = 0.5   . .:. .  .        a = 1    . :*: .  .
//             . . . . . .   -->            . ::. .  .  -->              .*#*.   .
//             . . . . . .                  .  .. .:..                   . :*.. .
//
// A particle-mesh code on slabs: each rank has the particles of some planes of a mesh and moves
// those that leave to its neighbors. Every few steps it hands its own array to kith, which labels
// the particles where they are (Domains::keep): no copy of the universe, no file between.
//
// Usage: mpirun -n 3 in_situ [particles along an axis, 32] [picture.png]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <kith/cosmology.hpp>
#include <kith/io/figure.hpp>
#include <kith/mpi.hpp>

#include "mesh.hpp"

namespace {

constexpr double kStart = 0.05, kEnd = 1;
constexpr int kSteps = 40, kBetweenLooks = 8;
constexpr std::size_t kSmallest = 20;  // particles of a halo

struct Particle {
  float position[3];
  float momentum[3];  ///< a^2 dx/dt, in units of the Hubble constant today
  std::int64_t id;
};
constexpr std::size_t kStride = sizeof(Particle) / sizeof(float);

/// The mass function at one moment: halos of at least this many particles.
struct Look {
  double a;
  std::vector<double> size, halos;
};

class Simulation {
 public:
  Simulation(int n, MPI_Comm comm)
      : comm_(comm),
        cosmology_{.n = n, .side = 1.0 * n, .a_start = kStart, .a_end = kStart},
        mesh_(2 * n, n, comm) {
    // Small enough to be made on every rank; each keeps its own particles.
    const kith::sample::Universe universe = kith::sample::cosmology(cosmology_);
    cosmology_ = universe.options;
    for (std::size_t i = 0; i < universe.size(); ++i) {
      Particle particle{{}, {}, static_cast<std::int64_t>(i)};
      std::copy_n(&universe.position[3 * i], 3, particle.position);
      for (int axis = 0; axis < 3; ++axis)
        particle.momentum[axis] = universe.velocity[3 * i + static_cast<std::size_t>(axis)] *
                                  static_cast<float>(kStart / 100);
      if (mesh_.owner(particle.position[0]) == mesh_.slabs().rank) particles_.push_back(particle);
    }
  }

  double total() const { return std::pow(cosmology_.n, 3); }
  std::size_t count() const { return particles_.size(); }

  /// From scale factor a to b: half a kick, a drift, half a kick.
  void step(double a, double b) {
    const double middle = 0.5 * (a + b);
    if (a == kStart) pull();
    kick(a, middle);
    drift(a, b);
    pull();
    kick(middle, b);
  }

  /// Halos by size, where the particles are.
  Look look(double a) {
    std::vector<std::int64_t> ids;
    for (const Particle& particle : particles_) ids.push_back(particle.id);
    const auto* first = particles_.empty() ? nullptr : particles_.front().position;
    const auto domains = kith::mpi::Domains::keep(
        comm_, kith::view(first, particles_.size(), 3, kStride),
        {.tree = {.box = kith::Box::periodic(cosmology_.side)}, .ids = ids});
    const auto groups = kith::mpi::fof(domains, {.b = 0.2, .min_size = kSmallest});
    Look look{a, {}, {}};
    for (double size = kSmallest; size < total(); size *= 1.5) {
      double halos = 0;
      for (const std::int64_t members : groups.sizes())
        halos += static_cast<double>(members) >= size;
      look.size.push_back(size);
      look.halos.push_back(halos);
    }
    MPI_Allreduce(MPI_IN_PLACE, look.halos.data(), static_cast<int>(look.halos.size()), MPI_DOUBLE,
                  MPI_SUM, comm_);
    return look;
  }

 private:
  double hubble(double a) const {
    return std::sqrt(cosmology_.omega_m / (a * a * a) + 1 - cosmology_.omega_m);
  }
  /// The integral of da / (a^power H(a)), by Simpson's rule.
  double integral(int power, double a, double b) const {
    const auto f = [&](double x) { return 1 / (std::pow(x, power) * hubble(x)); };
    return (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b));
  }

  void pull() {
    mesh_.make_potential(particles_.empty() ? nullptr : particles_.front().position,
                         particles_.size(), kStride, 1.5 * cosmology_.omega_m, total());
    force_.resize(3 * particles_.size());
    for (std::size_t i = 0; i < particles_.size(); ++i)
      mesh_.force(particles_[i].position, &force_[3 * i]);
  }

  void kick(double a, double b) {
    const double factor = integral(2, a, b);
    for (std::size_t i = 0; i < force_.size(); ++i)
      particles_[i / 3].momentum[i % 3] += static_cast<float>(factor * force_[i]);
  }

  void drift(double a, double b) {
    const auto factor = static_cast<float>(integral(3, a, b)),
               side = static_cast<float>(cosmology_.side);
    for (Particle& particle : particles_)
      for (int axis = 0; axis < 3; ++axis) {
        float x = particle.position[axis] + factor * particle.momentum[axis];
        x -= side * std::floor(x / side);
        particle.position[axis] = x < side ? x : 0;
      }
    move();
  }

  /// Particles go to the ranks of their slabs.
  void move() {
    const int ranks = mesh_.slabs().ranks;
    std::stable_sort(particles_.begin(), particles_.end(),
                     [&](const Particle& a, const Particle& b) {
                       return mesh_.owner(a.position[0]) < mesh_.owner(b.position[0]);
                     });
    std::vector<int> out(static_cast<std::size_t>(ranks)), in(out.size()), from(out.size()),
        to(out.size());
    for (const Particle& particle : particles_)
      out[static_cast<std::size_t>(mesh_.owner(particle.position[0]))] +=
          static_cast<int>(sizeof(Particle));
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm_);
    int total = 0;
    for (std::size_t r = 0, sent = 0; r < out.size(); ++r) {
      from[r] = static_cast<int>(sent);
      to[r] = total;
      sent += static_cast<std::size_t>(out[r]);
      total += in[r];
    }
    std::vector<Particle> arrived(static_cast<std::size_t>(total) / sizeof(Particle));
    MPI_Alltoallv(particles_.data(), out.data(), from.data(), MPI_BYTE, arrived.data(), in.data(),
                  to.data(), MPI_BYTE, comm_);
    particles_.swap(arrived);
  }

  MPI_Comm comm_;
  kith::sample::Cosmology cosmology_;
  SlabMesh mesh_;
  std::vector<Particle> particles_;
  std::vector<double> force_;
};

void draw(const std::string& path, const std::vector<Look>& looks) {
  kith::Plot plot{.title = "Halos while the simulation runs",
                  .x = {.label = "particles", .is_log = true},
                  .y = {.label = "halos of at least this size", .is_log = true}};
  for (const Look& look : looks) {
    char name[32];
    std::snprintf(name, sizeof name, "a = %.2f", look.a);
    kith::Series series{.name = name};
    for (std::size_t i = 0; i < look.size.size() && look.halos[i] > 0; ++i) {
      series.x.push_back(look.size[i]);
      series.y.push_back(look.halos[i]);
    }
    plot.series.push_back(series);
  }
  kith::write_drawing(path, kith::plot(plot));
}

void run(int n, const std::string& picture) {
  Simulation simulation(n, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<Look> looks;
  for (int s = 0; s < kSteps; ++s) {
    const double length = (kEnd - kStart) / kSteps, a = kStart + s * length;
    simulation.step(a, a + length);
    if ((s + 1) % kBetweenLooks != 0) continue;
    looks.push_back(simulation.look(a + length));
    const Look& look = looks.back();
    if (rank == 0) std::printf("a = %.2f: %.0f halos\n", look.a, look.halos.front());
  }
  if (rank == 0 && !picture.empty()) draw(picture, looks);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int code = 0;
  try {
    run(argc > 1 ? std::atoi(argv[1]) : 32, argc > 2 ? argv[2] : "");
  } catch (const kith::Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
    code = 1;
  }
  MPI_Finalize();
  return code;
}
