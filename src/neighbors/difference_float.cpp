// The searches of float points by p = 1 and infinity.
#define KITH_SCALAR float
#include "neighbors/difference_targets-inl.h"
