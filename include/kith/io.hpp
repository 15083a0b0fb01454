// kith_io: snapshots, results, saved trees and pictures. Link kith::io.
#pragma once

#include <kith/detail/catalogue_columns.hpp>
#include <kith/detail/sorted_snapshot.hpp>
#include <kith/detail/temporary_files.hpp>
#include <kith/io/figure.hpp>
#include <kith/io/forest_file.hpp>
#include <kith/io/halo_catalogue.hpp>
#include <kith/io/halo_histories.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/io/particle_roles.hpp>
#include <kith/io/picture.hpp>
#include <kith/io/result_facts.hpp>
#include <kith/io/results.hpp>
#include <kith/io/snapshot.hpp>
#include <kith/io/stored_match.hpp>
#include <kith/io/stored_neighbors.hpp>
#include <kith/io/stored_points.hpp>
#include <kith/io/stored_subhalos.hpp>
#include <kith/io/tree_file.hpp>
