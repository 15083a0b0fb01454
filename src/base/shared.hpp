// Marks symbols that libkith exports for kith's other libraries alone. Headers with such symbols
// are not installed and may change with every version: the libraries of one version belong
// together.
#pragma once

#include <kith/export.hpp>

#define KITH_SHARED KITH_API
