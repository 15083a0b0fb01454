#include "walk/source.hpp"

#include <type_traits>

#include "parallel/workers.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

/// On one thread: another thread of the same pool may wait for these planes.
template <class T>
const std::vector<Plane<T>>& packed_planes_of(const Tree::Impl& tree) {
  auto& packed = [&]() -> auto& {
    if constexpr (std::is_same_v<T, float>)
      return tree.packed_float;
    else
      return tree.packed_double;
  }
  ();
  std::call_once(packed.once, [&] {
    const Execution execution{.threads = 1};
    packed.planes = packed_planes(Workers(execution), tree.as<T>().planes);
  });
  return packed.planes;
}

}  // namespace

template <class T>
BlockView<T> block_view(const Planes<T>& blocks, const std::vector<Plane<T>>& planes, Curve curve) {
  BlockView<T> view;
  view.dimension = blocks.dimension;
  view.points = blocks.points;
  view.blocks = blocks.blocks.data();
  view.is_hilbert = curve == Curve::hilbert || blocks.dimension == 1;
  for (const Plane<T>& plane : planes) {
    // Above a level of 8 nodes there is nothing but the root.
    if (view.levels > 0 && view.level[static_cast<std::size_t>(view.levels) - 1].nodes <= kLanes)
      break;
    view.level[static_cast<std::size_t>(view.levels++)] = {plane.nodes, plane.boxes.data(),
                                                           plane.smallest.data()};
  }
  return view;
}

template <class T>
BlockView<T> block_view(const Tree::Impl& tree) {
  const Planes<T>& planes = tree.as<T>().planes;
  const bool is_packed = planes.is_implicit || planes.points == 0;
  return block_view(planes, is_packed ? planes.planes : packed_planes_of<T>(tree),
                    tree.options.curve);
}

template BlockView<float> block_view(const Planes<float>&, const std::vector<Plane<float>>&, Curve);
template BlockView<double> block_view(const Planes<double>&, const std::vector<Plane<double>>&,
                                      Curve);
template BlockView<float> block_view(const Tree::Impl&);
template BlockView<double> block_view(const Tree::Impl&);

}  // namespace kith
