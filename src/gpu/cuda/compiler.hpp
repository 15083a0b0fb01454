// Compiles the text of a program for a card with NVRTC or hipRTC.
#pragma once

#include <string>

#include "gpu/cuda/api.hpp"
#include "gpu/programs.hpp"

namespace kith::gpu::cuda {

/// The card that code is made for.
struct Target {
  const Device& facts;
  int capability = 0;  ///< of NVIDIA's cards: 80 for 8.0; 0 for AMD's, where hipRTC asks the driver
};

/// Code that the driver can load: for the card itself or, where the compiler does not know it, in
/// the intermediate language of the newest card that it knows. From the cache on disk, if an
/// earlier process has compiled it. Errors: unavailable, with the words of the compiler.
std::string compiled(const CompilerApi& compiler, const ProgramKey& key, const Target& target);

}  // namespace kith::gpu::cuda
