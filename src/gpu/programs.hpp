// The texts of kernels, embedded at build, and the programs that are made of them.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace kith::gpu {

/// The parameters that a program is compiled for; 0 and false where it does not depend on them.
struct ProgramKey {
  std::string_view
      file;  ///< knn: the text of knn.cl after portable.h and the files that it includes
  bool is_double = false;
  int dimension = 1;
  int k = 0;
  bool operator<(const ProgramKey& other) const {
    return std::tie(file, is_double, dimension, k) <
           std::tie(other.file, other.is_double, other.dimension, other.k);
  }
};

/// All of its text.
std::string program_text(const ProgramKey& key);

/// The definitions that the text needs: "-DREAL=float -DDIM=3 -DK=16".
std::string program_options(const ProgramKey& key);

/// The text of a kernel file; empty if there is none.
std::string_view kernel_text(std::string_view file);

}  // namespace kith::gpu
