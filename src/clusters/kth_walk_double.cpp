// Distances to k-th neighbors of double points.
#define KITH_SCALAR double
#include "clusters/kth_walk_targets-inl.h"
