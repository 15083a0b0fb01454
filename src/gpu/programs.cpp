#include "gpu/programs.hpp"

#include <vector>

#include "base/fail.hpp"

namespace kith::gpu {
namespace {

/// The files of a program, in order.
std::vector<std::string_view> files_of(std::string_view program) {
  if (program == "scan" || program == "sort")
    return {"portable.h", program == "scan" ? "scan.cl" : "sort.cl"};
  if (program == "input") return {"portable.h", "input.cl"};
  if (program == "order") return {"portable.h", "input.cl", "order.cl"};
  if (program == "planes") return {"portable.h", "planes.cl"};
  if (program == "walk") return {"portable.h", "geometry.cl", "walk.cl"};
  if (program == "knn") return {"portable.h", "geometry.cl", "knn.cl"};
  if (program == "radius") return {"portable.h", "geometry.cl", "radius.cl"};
  if (program == "fof") return {"portable.h", "geometry.cl", "fof.cl"};
  if (program == "rows") return {"portable.h", "geometry.cl", "rows.cl"};
  if (program == "catalogue") return {"portable.h", "catalogue.cl"};
  if (program == "check") return {"portable.h", "check.cl"};
  fail(ErrorCode::internal, "gpu: no program {}", program);
}

}  // namespace

std::string program_text(const ProgramKey& key) {
  std::string text;
  for (const std::string_view file : files_of(key.file)) text += kernel_text(file);
  return text;
}

std::string program_options(const ProgramKey& key) {
  std::string text = key.is_double ? "-DREAL=double -DUSE_DOUBLE" : "-DREAL=float";
  text += " -DDIM=" + std::to_string(key.dimension);
  if (key.k > 0) text += " -DK=" + std::to_string(key.k);
  return text;
}

}  // namespace kith::gpu
