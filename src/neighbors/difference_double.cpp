// The searches of double points by p = 1 and infinity.
#define KITH_SCALAR double
#include "neighbors/difference_targets-inl.h"
