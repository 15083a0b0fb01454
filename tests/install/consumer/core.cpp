// A program outside the project: it knows the installed headers and the library, nothing of the
// build.
#include <array>
#include <cstdio>
#include <vector>

#include <kith/kith.hpp>

int main() {
  const std::vector<std::array<float, 3>> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const kith::Tree tree(kith::view(points), {.box = kith::Box::periodic(2.0)});
  try {
    kith::Box::periodic(-1.0);
    return 1;
  } catch (const kith::Error& error) {  // across the border of the shared library
    if (error.code() != kith::ErrorCode::invalid_argument) return 1;
  }
  std::printf("kith %s: %zu points, %zu root\n", KITH_VERSION, tree.size(),
              tree.nodes(tree.planes() - 1));
}
