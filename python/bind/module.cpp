// The extension module kith._kith: the library's calls, ready for the Python code in ../kith, which
// prepares arrays and explains.
#include "module.hpp"

#include <kith/version.hpp>

NB_MODULE(_kith, module) {
  using namespace kith::python;
  // Trees that live until the interpreter ends are not a leak.
  nanobind::set_leak_warnings(false);
  module.attr("version") = KITH_VERSION;
  bind_call(module);
  bind_tree(module);
  bind_tree_file(module);
  bind_knn(module);
  bind_radius(module);
  bind_atoms(module);
  bind_forest(module);
  bind_pair_counts(module);
  bind_correlation(module);
  bind_density(module);
  bind_groups(module);
  bind_clusters(module);
  bind_sky(module);
  bind_histories(module);
  bind_merger_trees(module);
  bind_catalogue(module);
  bind_halos(module);
  bind_gradients(module);
  bind_topology(module);
  bind_sample(module);
  bind_results(module);
  bind_snapshot(module);
  bind_stored(module);
  bind_devices(module);
  bind_xla(module);
}
