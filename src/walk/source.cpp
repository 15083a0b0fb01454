#include "walk/source.hpp"

#include <type_traits>

#include "parallel/workers.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

/// On one thread: another thread of the same pool may wait for these planes.
template <class T>
const std::vector<Plane<T>>& packed_planes_of(const AnyTree::Impl& tree) {
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
PlanesView<T> implicit_view(const AnyTree::Impl& tree) {
  const Planes<T>& planes = tree.as<T>().planes;
  const PlanesView<T> view = planes.view();
  return view.is_implicit() ? view : planes.view(packed_planes_of<T>(tree));
}

template PlanesView<float> implicit_view(const AnyTree::Impl&);
template PlanesView<double> implicit_view(const AnyTree::Impl&);

}  // namespace kith
