// Pair counts of float points.
#define KITH_PAIRS_SCALAR float
#include "neighbors/pairs-inl.h"
