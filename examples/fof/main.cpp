// Connected points: groups, groups across the edge of a periodic box, and points that
// only follow.
//
//      +--------------------+   a box of 10 x 10
//      | .            . . . |   a chain of 4 that leaves the box on the right and
//      |                    |   comes back on the left
//      |     ..             |
//      |     .:     x       |   a clump of 5; a star (x) near nothing
//      |            *.      |   a pair with a star (*)
//      +--------------------+
#include <array>
#include <cstdio>
#include <vector>

#include <kith/kith.hpp>

namespace {

using Points = std::vector<std::array<float, 2>>;

void print(const char* title, const kith::Groups& groups) {
  std::printf("%s: %zu groups\n  labels", title, groups.count());
  for (const auto label : groups.label()) std::printf(" %d", label);
  std::printf("\n");
  for (std::size_t group = 0; group < groups.count(); ++group)
    std::printf("  group %zu: %zu points, the lowest is %zu\n", group, groups.size(group),
                groups.lowest(group));
}

}  // namespace

int main() {
  try {
    const Points matter = {{0.5f, 9}, {7.5f, 9}, {8.5f, 9}, {9.5f, 9},                // the chain
                           {3, 4},    {3.5f, 4}, {3, 3},    {3.5f, 3}, {3.5f, 3.4f},  // the clump
                           {6.5f, 1}, {7, 1}};                                        // the pair
    const Points stars = {{6.4f, 1.2f}, {6.5f, 3}};
    const kith::Box box = kith::Box::periodic(10);

    print("open box", kith::fof(matter, {.linking_length = 1}));
    print("periodic box", kith::fof(matter, {.box = box, .linking_length = 1, .min_size = 3}));

    // One tree, several linking lengths.
    const kith::Tree tree(matter, {.box = box});
    for (const double length : {0.45, 0.6, 1.0, 5.0})
      std::printf("linking length %g: %zu groups\n", length,
                  kith::fof(tree, {.linking_length = length}).count());

    // Stars join the group of the nearest point of matter, but link nothing.
    const std::vector<kith::TypedPoints> types = {{kith::view(matter)},
                                                  {kith::view(stars), kith::Role::attached}};
    print("with stars", kith::fof(types, {.box = box, .b = 0.35}));
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
