// Walks of near points for trees of double points.
#define KITH_SCALAR double
#include "clusters/near_walk_targets-inl.h"
