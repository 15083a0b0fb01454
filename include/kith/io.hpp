// kith_io: snapshots, results, saved trees and pictures. Link kith::io.
#pragma once

#include <kith/catalogue_columns.hpp>
#include <kith/figure.hpp>
#include <kith/forest_file.hpp>
#include <kith/particle_roles.hpp>
#include <kith/picture.hpp>
#include <kith/result_facts.hpp>
#include <kith/results.hpp>
#include <kith/snapshot.hpp>
#include <kith/sorted_snapshot.hpp>
#include <kith/temporary_files.hpp>
#include <kith/tree_file.hpp>
