// The kernels that were compiled, and the options of compilers that choose among them.
#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

namespace kith::host {
namespace {

std::map<Variant, std::map<std::string, Kernel>>& known() {
  static auto& made = *new std::map<Variant, std::map<std::string, Kernel>>;
  return made;
}

int number_after(const std::string& text, const char* what) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + std::strlen(what));
}

}  // namespace

const Kernel* find(const Variant& variant, const std::string& name) {
  for (const int k : {variant.k, 0}) {
    const auto kernels = known().find({variant.is_double, variant.dimension, k});
    if (kernels == known().end()) continue;
    const auto found = kernels->second.find(name);
    if (found != kernels->second.end()) return &found->second;
  }
  return nullptr;
}

void add(const Variant& variant, std::vector<Kernel> kernels) {
  for (Kernel& kernel : kernels) {
    const std::string name = kernel.name;
    known()[variant].emplace(name, std::move(kernel));
  }
}

bool has(const Variant& wanted) {
  for (const auto& [variant, kernels] : known())
    if (variant.is_double == wanted.is_double && variant.dimension == wanted.dimension) return true;
  return false;
}

Variant variant_of(const std::string& options) {
  return {options.find("-DUSE_DOUBLE") != std::string::npos, number_after(options, "-DDIM="),
          number_after(options, "-DK=")};
}

}  // namespace kith::host
