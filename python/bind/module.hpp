// The subjects of the extension module, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace kith::python {

void bind_call(nanobind::module_& module);
void bind_tree(nanobind::module_& module);
void bind_knn(nanobind::module_& module);
void bind_radius(nanobind::module_& module);
void bind_atoms(nanobind::module_& module);
void bind_pair_counts(nanobind::module_& module);
void bind_correlation(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_tree_file(nanobind::module_& module);
void bind_snapshot(nanobind::module_& module);
void bind_stored(nanobind::module_& module);
void bind_results(nanobind::module_& module);
void bind_density(nanobind::module_& module);
void bind_gradients(nanobind::module_& module);
void bind_topology(nanobind::module_& module);
void bind_groups(nanobind::module_& module);
void bind_clusters(nanobind::module_& module);
void bind_sky(nanobind::module_& module);
void bind_histories(nanobind::module_& module);
void bind_merger_trees(nanobind::module_& module);
void bind_catalogue(nanobind::module_& module);
void bind_halos(nanobind::module_& module);
void bind_sample(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_xla(nanobind::module_& module);

}  // namespace kith::python
