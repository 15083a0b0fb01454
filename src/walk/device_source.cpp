#include "walk/device_source.hpp"

#include "walk/source.hpp"

namespace kith {

template <class T>
PlanesView<T> DeviceSource<T>::view(const AnyTree::Impl& tree) {
  return implicit_view<T>(tree);
}

template struct DeviceSource<float>;
template struct DeviceSource<double>;

}  // namespace kith
