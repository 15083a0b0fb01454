// Distances to k-th neighbors of float points.
#define KITH_SCALAR float
#include "clusters/kth_walk_targets-inl.h"
