// Edges of spanning trees of float points.
#define KITH_SCALAR float
#include "clusters/span_targets-inl.h"
