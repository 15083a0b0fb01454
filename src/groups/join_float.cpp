// The join of trees of float points.
#define KITH_SCALAR float
#include "groups/join_targets-inl.h"
