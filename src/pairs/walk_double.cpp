// Pair counts of double points.
#define KITH_SCALAR double
#include "pairs/walk_targets-inl.h"
