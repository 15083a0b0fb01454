// One call on fixed points, for counting its instructions: scripts/instructions.sh runs this under
// valgrind, which counts only instructions inside `measured`.
//
//   bench_instructions sample FILE                    writes the positions of a universe of 48^3
//   bench_instructions knn|fof FILE|uniform open|periodic
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <kith/cosmology.hpp>
#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace {

constexpr int kAlong = 48;
const kith::Execution kOneThread{.threads = 1};

struct Case {
  bool is_knn = false;
  std::vector<float> x;
  kith::Box box;
  double linking_length = 0;
  std::size_t checksum = 0;
};

void sample(const char* path) {
  const auto universe = kith::sample::cosmology({.n = kAlong});
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(universe.position.data()),
             static_cast<std::streamsize>(universe.position.size() * sizeof(float)));
}

std::vector<float> read(const char* path) {
  std::vector<float> x(std::size_t{3} * kAlong * kAlong * kAlong);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(x.data()),
                 static_cast<std::streamsize>(x.size() * sizeof(float))))
    throw std::runtime_error(std::string("no universe in ") + path);
  return x;
}

Case make_case(const char* call, const char* set, const char* box) {
  Case made{.is_knn = std::strcmp(call, "knn") == 0};
  const bool is_uniform = std::strcmp(set, "uniform") == 0;
  made.x = is_uniform ? kith::sample::uniform({.n = 100000}).coordinates : read(set);
  const double side = is_uniform ? 1 : kAlong;
  made.box = std::strcmp(box, "periodic") == 0 ? kith::Box::periodic(side) : kith::Box::open();
  made.linking_length = is_uniform ? 0.2 / 46.4 : 0.2;
  return made;
}

}  // namespace

/// The name that valgrind looks for.
extern "C" [[gnu::noinline]] void measured(Case& at);
extern "C" void measured(Case& at) {
  const auto points = kith::view(at.x.data(), at.x.size() / 3, 3);
  if (at.is_knn) {
    const auto near =
        kith::knn<float>(kith::AnyTree(points, {.box = at.box}, kOneThread), {.k = 16}, kOneThread);
    at.checksum = static_cast<std::size_t>(near.index(7)[1]);
  } else {
    at.checksum =
        kith::fof(points, {.box = at.box, .linking_length = at.linking_length}, kOneThread).count();
  }
}

int main(int arguments, char** argument) {
  if (arguments == 3) return sample(argument[2]), 0;
  if (arguments != 4) return 2;
  Case at = make_case(argument[1], argument[2], argument[3]);
  measured(at);
  std::printf("%zu\n", at.checksum);
}
