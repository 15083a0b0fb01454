// Walks of near points for trees of float points.
#define KITH_SCALAR float
#include "clusters/near_walk_targets-inl.h"
