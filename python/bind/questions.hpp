// What a search is asked, read from a dictionary.
#pragma once

#include <nanobind/nanobind.h>

#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "arrays.hpp"

namespace kith::python {

KnnOptions knn_options(const nb::dict& given);

/// The options of a radius search, and the array that one of them views.
struct RadiusQuestion {
  explicit RadiusQuestion(const nb::dict& given);
  Numbers radii;
  RadiusOptions options;
};

}  // namespace kith::python
