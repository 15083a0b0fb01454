// kith: trees, neighbors, groups and their gradients. Link kith::kith. Files and pictures are in
// <kith/io.hpp>, sample points in <kith/sample.hpp>.
#pragma once

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/cells.hpp>
#include <kith/centers.hpp>
#include <kith/clusters.hpp>
#include <kith/correlation.hpp>
#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/forest.hpp>
#include <kith/gradients.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/hdbscan.hpp>
#include <kith/hierarchy.hpp>
#include <kith/left_balanced.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/match.hpp>
#include <kith/membership.hpp>
#include <kith/merger_trees.hpp>
#include <kith/neighbor_list.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>
#include <kith/redshift_space.hpp>
#include <kith/sky.hpp>
#include <kith/spanning_tree.hpp>
#include <kith/subhalos.hpp>
#include <kith/topology.hpp>
#include <kith/tree.hpp>
#include <kith/validity.hpp>
#include <kith/version.hpp>
