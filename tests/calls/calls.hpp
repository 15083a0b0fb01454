// Every public call of the library, on one set of points: for tests of what all calls promise.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace kith::test {

struct Call {
  std::string name;
  std::function<void(const Execution&)> run;
};

/// The arguments of the calls: made once, so that a call does nothing but its own work.
struct Scene {
  /// `folder` for files.
  Scene(sample::Points sample, Box space, std::string place);

  sample::Points points;
  std::vector<double> points64;
  Box box;
  std::string folder;
  Tree<float> tree, cells;
  Tree<double> tree64;
  std::vector<double> mass;
  FofOptions fof_options;
  Groups groups;
  Members halos;
  Catalogue table;
  std::vector<double> centers;
  double radius;  ///< of balls that hold some tens of points

  std::string file(const char* name) const { return folder + "/" + name; }
};

/// Calls of the core, then those of samples, files and drawings. They keep a reference to the
/// scene.
std::vector<Call> core_calls(const Scene& scene);
std::vector<Call> gradient_calls(const Scene& scene);  ///< part of those of the core
std::vector<Call> forest_calls(const Scene& scene);    ///< part of those of the core
std::vector<Call> sky_calls(const Scene& scene);       ///< part of those of the core
std::vector<Call> sample_calls(std::size_t n);
std::vector<Call> file_calls(const Scene& scene);
std::vector<Call> forest_file_calls(const Scene& scene);  ///< part of those of files
std::vector<Call> stored_calls(const Scene& scene);       ///< part of those of files

inline std::vector<Call> all_calls(const Scene& scene) {
  std::vector<Call> calls = core_calls(scene);
  for (Call& call : sample_calls(scene.points.size())) calls.push_back(std::move(call));
  for (Call& call : file_calls(scene)) calls.push_back(std::move(call));
  return calls;
}

}  // namespace kith::test
