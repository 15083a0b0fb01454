// Edges of spanning trees of double points.
#define KITH_CLUSTERS_SCALAR double
#include "clusters/span_targets-inl.h"
