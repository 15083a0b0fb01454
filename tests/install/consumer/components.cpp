// A program outside the project that uses all components. Usage: components FOLDER
#include <cstdio>
#include <string>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>
#include <kith/sample.hpp>

int main(int, char** argv) {
  const std::string path = std::string(argv[1]) + "/points.hdf5";
  const kith::sample::Points points = kith::sample::uniform({.n = 100});
  kith::write_snapshot(path, {.position = points.view(), .box = kith::Box::periodic(1.0)});
  const kith::Snapshot snapshot(path);
  try {
    const kith::Snapshot missing(path + ".not");
    return 1;
  } catch (const kith::Error& error) {  // across the borders of two shared libraries
    if (error.code() != kith::ErrorCode::io) return 1;
  }
  const kith::Tree tree(points.view(), {.box = kith::Box::periodic(1.0)});
  kith::save(tree, path + ".tree");
  const auto nearest = kith::knn<float>(kith::load(path + ".tree"), {.k = 1});
  std::printf("kith %s: %llu points read, %zu neighbors\n", KITH_VERSION,
              static_cast<unsigned long long>(snapshot.info().type.at(0).count), nearest.size());
}
