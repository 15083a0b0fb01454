// kith_sample: sample points, a universe, and the theory of its halos. Link kith::sample.
#pragma once

#include <kith/cosmology.hpp>
#include <kith/mass_function.hpp>
#include <kith/shapes.hpp>
