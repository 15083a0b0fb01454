// Facts of a card from its driver.
#pragma once

#include "gpu/cuda/api.hpp"

namespace kith::gpu::cuda {

enum class Attribute { multiprocessors, major, minor };

/// The driver's number for the card that is `number` in its list.
int card_number(const Api& api, int number);

int attribute_of(const Api& api, Attribute what, int device);

/// 80 for 8.0.
int capability_of(const Api& api, int device);

}  // namespace kith::gpu::cuda
