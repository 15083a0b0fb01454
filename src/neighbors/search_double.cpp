// The searches of double points.
#define KITH_SCALAR double
#include "neighbors/search_targets-inl.h"
