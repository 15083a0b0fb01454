// Stored points with all fields.
#pragma once

#include <algorithm>
#include <vector>

#include <kith/io/stored_points.hpp>

#include "support/property.hpp"

namespace kith::test {

/// Points with all fields, in two types.
class Cloud : public StoredPoints {
 public:
  Cloud(Draw& draw, std::size_t n)
      : position_(draw.thinned(make_set<float>("cloud", 3, n, [&](std::size_t i, int) {
          return static_cast<double>(i % 5) / 5 + 0.02 * draw.normal();
        }))) {
    for (std::size_t i = 0; i < 3 * position_.size(); ++i)
      velocity_.push_back(static_cast<float>(draw.normal()));
    for (std::size_t i = 0; i < position_.size(); ++i) {
      mass_.push_back(draw.uniform());
      id_.push_back(1000 + draw.below(100000));
    }
  }
  std::uint64_t size() const override { return position_.size(); }
  int dimension() const override { return 3; }
  Scalar scalar() const override { return Scalar::float32; }
  std::vector<std::uint64_t> counts() const override { return {size() / 3, size() - size() / 3}; }
  bool has(Field) const override { return true; }
  void read(Field field, std::uint64_t begin, std::span<float> out) const override {
    const float* from = field == Field::position ? position_.x.data() : velocity_.data();
    std::copy_n(from + 3 * begin, out.size(), out.data());
  }
  void read(Field, std::uint64_t, std::span<double>) const override {}
  void read_mass(std::uint64_t begin, std::span<double> out) const override {
    std::copy_n(mass_.data() + begin, out.size(), out.data());
  }
  void read_id(std::uint64_t begin, std::span<std::uint64_t> out) const override {
    std::copy_n(id_.data() + begin, out.size(), out.data());
  }

  View<float> positions() const { return position_.view(); }
  CatalogueOptions in_memory(CatalogueOptions options) {
    type_.clear();
    for (std::size_t i = 0; i < size(); ++i) type_.push_back(i < counts()[0] ? 1 : 2);
    options.mass = values(mass_);
    options.velocity = view(velocity_.data(), size(), 3);
    options.type = type_;
    if (size() == 0) options.contaminating_types.clear();
    return options;
  }
  std::uint64_t id(std::size_t i) const { return id_[i]; }

 private:
  PointSet<float> position_;
  std::vector<float> velocity_;
  std::vector<double> mass_;
  std::vector<std::uint64_t> id_;
  std::vector<std::uint8_t> type_;
};

}  // namespace kith::test
