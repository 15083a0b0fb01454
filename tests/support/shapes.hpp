// Point sets that are difficult for trees: distances over many orders of magnitude, fractals,
// curves and surfaces. All in three dimensions; the tests and bench/peers/shapes.cpp share them.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kith::test {

class Shapes {
 public:
  static std::vector<std::string> names() {
    return {"uniform", "scales-6", "scales-15",   "scales-30", "scales-60", "tiny-cube", "axes",
            "cantor",  "fractal",  "exponential", "cluster",   "sheets",    "shells"};
  }

  explicit Shapes(std::size_t n) : n_(n), random_(1) {}

  /// n rows, or none if there is no set of that name.
  std::vector<double> make(const std::string& name) {
    x_.clear();
    if (name == "uniform") fill([&] { add(uniform(), uniform(), uniform()); });
    if (name.rfind("scales-", 0) == 0) scales(std::stod(name.substr(7)));
    if (name == "tiny-cube") tiny_cube();
    if (name == "axes") fill([&] { add(signed_power(), signed_power(), signed_power()); });
    if (name == "cantor") fill([&] { add(cantor(), cantor(), cantor()); });
    if (name == "fractal") fractal();
    if (name == "exponential") exponential();
    if (name == "cluster") cluster();
    if (name == "sheets") sheets();
    if (name == "shells") shells();
    return x_;
  }

 private:
  double uniform() { return uniform_(random_); }
  double between(double low, double high) { return low + (high - low) * uniform(); }

  template <class Add>
  void fill(Add one_more) {
    while (x_.size() < 3 * n_) one_more();
  }
  void add(double x, double y, double z) { x_.insert(x_.end(), {x, y, z}); }
  /// A point at distance r of the origin, in a random direction.
  void add_direction(double r) {
    const double z = between(-1, 1), angle = between(0, 6.283185307179586);
    const double flat = r * std::sqrt(1 - z * z);
    add(flat * std::cos(angle), flat * std::sin(angle), r * z);
  }

  /// As many points between 10^-15 and 10^-14 as between 0.1 and 1.
  void scales(double decades) {
    fill([&] { add_direction(std::pow(10, between(-decades, 0))); });
  }
  void tiny_cube() {
    for (const double far : {1.0, -2.0, 3.0, -4.0}) add(far, far, -far);
    fill([&] { add(1e-21 * uniform(), 1e-21 * uniform(), 1e-21 * uniform()); });
  }
  double signed_power() { return (uniform() < 0.5 ? -1 : 1) * std::exp2(between(-100, 20)); }
  double cantor() {
    double x = 0;
    for (int digit = 1; digit <= 20; ++digit)
      if (uniform() < 0.5) x += 2 * std::pow(3, -digit);
    return x;
  }
  /// Soneira and Peebles: three spheres in each sphere, 1.8 times smaller.
  void fractal() {
    fill([&] {
      double center[3] = {0, 0, 0}, radius = 1;
      // The path of a point is its number in base 3; each sphere has its own children.
      std::uint64_t path = random_(), node = 0;
      for (int level = 0; level < 16; ++level, radius /= 1.8, path /= 3) {
        node = 3 * node + path % 3 + 1;
        std::mt19937_64 of_node(node);
        for (double& axis : center) axis += radius * (2 * uniform_(of_node) - 1);
      }
      add(center[0] + 1e-5 * uniform(), center[1] + 1e-5 * uniform(), center[2]);
    });
  }
  void exponential() {
    for (std::size_t i = 0; i < n_; ++i) {
      const double x = std::exp(-60 * static_cast<double>(i) / static_cast<double>(n_));
      add(x, 0.5 * x, 0.25 * x);
    }
  }
  void cluster() {
    fill([&] {
      if (uniform() < 0.01)
        add(between(-1, 1), between(-1, 1), between(-1, 1));
      else
        add(1e-6 * uniform(), 1e-6 * uniform(), 1e-6 * uniform());
    });
  }
  /// Two tilted planes so close that a linking length between them decides.
  void sheets() {
    fill([&] {
      const double x = uniform(), y = uniform();
      add(x, y, 0.3 * x + 0.2 * y + (x_.size() / 3 % 2 ? 0.02 : 0));
    });
  }
  void shells() {
    fill([&] { add_direction(x_.size() / 3 % 2 ? 0.3 : 0.4); });
  }

  std::size_t n_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::vector<double> x_;
};

}  // namespace kith::test
