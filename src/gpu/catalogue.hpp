// The sums of catalogues on one device, see tree/device.hpp.
#pragma once

#include "gpu/device.hpp"
#include "tree/device.hpp"

namespace kith::gpu {

class MemberSums : public DeviceSums {
 public:
  explicit MemberSums(OpenDevice& device) : device_(device) {}

  void run(const DeviceMembers& members, const SumColumns& columns,
           FunctionRef<void(const DeviceSumRows&)> deliver, Workers& workers) override;

 private:
  OpenDevice& device_;
};

}  // namespace kith::gpu
