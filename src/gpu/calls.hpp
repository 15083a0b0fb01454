// The calls of one device, see tree/device.hpp.
#pragma once

#include "gpu/device.hpp"
#include "tree/device.hpp"

namespace kith::gpu {

template <class T>
class Calls : public DeviceCalls<T> {
 public:
  explicit Calls(OpenDevice& device) : device_(device) {}

  std::shared_ptr<const DeviceTree> build(const DeviceInput<T>& input, TreeData<T>& facts,
                                          Workers& workers) override;
  void knn(const DeviceSearch<T>& search, std::size_t k,
           FunctionRef<void(const DeviceRows<T>&)> deliver, Workers& workers) override;
  bool has(const void* array) const override { return device_.has(array); }
  void knn_into(const DeviceSearch<T>& search, std::size_t k, const RowsOnDevice<T>& rows,
                Workers& workers) override;
  void radius(const DeviceSearch<T>& search, bool only_count,
              FunctionRef<void(const DeviceRows<T>&)> deliver, Workers& workers) override;
  void fof(const AnyTree::Impl& tree, T reach2, DeviceGroups& groups, Workers& workers) override;
  void join(const AnyTree::Impl& tree, T reach2, std::uint32_t* parent, Workers& workers) override;

 private:
  OpenDevice& device_;
};

}  // namespace kith::gpu
