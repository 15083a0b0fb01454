// Pair counts of float points.
#define KITH_SCALAR float
#include "pairs/walk_targets-inl.h"
