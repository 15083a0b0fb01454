// Marks what libkith exports for kith_io and kith_sample alone. Its headers are not installed, and
// it may change with every version: the libraries of one version belong together.
#pragma once

#include <kith/export.hpp>

#define KITH_SHARED KITH_API
