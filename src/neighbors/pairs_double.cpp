// Pair counts of double points.
#define KITH_PAIRS_SCALAR double
#include "neighbors/pairs-inl.h"
