// Two trees whose points are compared with each other: in one frame and one scale.
#pragma once

#include <algorithm>
#include <array>

#include "pairs/run.hpp"
#include "tree/builders.hpp"
#include "walk/source.hpp"

namespace kith {

inline constexpr auto kAxesInOrder = [] {
  std::array<int, kMaxDimension> axes{};
  for (int axis = 0; axis < kMaxDimension; ++axis) axes[static_cast<std::size_t>(axis)] = axis;
  return axes;
}();

/// A tree in the scale of another: its own, unless their data differ so much in size that one of
/// them was scaled.
template <class T>
class InScaleOf {
 public:
  InScaleOf(const AnyTree& tree, const Frame<T>& frame, const Workers& workers) {
    const TreeData<T>& data = impl_of(tree).as<T>();
    const int exponent = frame.exponent - data.frame.exponent;
    if (exponent == 0 || data.planes.points == 0) {
      view_ = implicit_view<T>(impl_of(tree));
      return;
    }
    planes_.dimension = data.planes.dimension;
    planes_.points = data.planes.points;
    planes_.blocks = Array<T>(data.planes.blocks.size(), workers.pool());
    std::copy(data.planes.blocks.begin(), data.planes.blocks.end(), planes_.blocks.begin());
    Frame<T> change;
    change.exponent = exponent;
    for (std::size_t i = 0; i < planes_.points; ++i)
      for (int axis = 0; axis < planes_.dimension; ++axis)
        planes_.coordinate(i, axis) = change.scaled(planes_.coordinate(i, axis));
    planes_.planes = packed_planes(workers, planes_);
    view_ = planes_.view();
  }
  const PlanesView<T>& view() const { return view_; }

 private:
  Planes<T> planes_;
  PlanesView<T> view_;
};

/// Two trees in one frame.
template <class T>
struct PairScene {
  Frame<T> frame;
  InScaleOf<T> receivers, sources;

  PairScene(const AnyTree& receiving, const AnyTree& giving, const Workers& workers)
      : frame(impl_of(giving).as<T>().frame),
        receivers(receiving, frame, workers),
        sources(giving, frame, workers) {}
};

}  // namespace kith
