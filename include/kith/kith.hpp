// Everything that kith offers.
#pragma once

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/cosmology.hpp>
#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/figure.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/mass_function.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/picture.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>
#include <kith/results.hpp>
#include <kith/sample.hpp>
#include <kith/snapshot.hpp>
#include <kith/tree.hpp>
#include <kith/tree_file.hpp>
#include <kith/version.hpp>
