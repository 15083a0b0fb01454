// The searches of float points.
#define KITH_SCALAR float
#include "neighbors/search_targets-inl.h"
