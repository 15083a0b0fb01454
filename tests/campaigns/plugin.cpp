// A plugin that uses kith, for reload.cpp.
#include <kith/kith.hpp>
#include <kith/sample.hpp>

extern "C" std::size_t work(int threads) {
  const auto points = kith::sample::uniform({.n = 20000, .seed = 3});
  const kith::Execution execution{.threads = threads};
  const kith::Tree tree(points.view(), {.box = kith::Box::periodic(1.0)}, execution);
  const auto near = kith::knn(tree, {.k = 4}, execution);
  return static_cast<std::size_t>(near.index(7)[3]) +
         kith::fof(tree, {.b = 0.2}, execution).count();
}
