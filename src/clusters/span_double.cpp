// Edges of spanning trees of double points.
#define KITH_SCALAR double
#include "clusters/span_targets-inl.h"
