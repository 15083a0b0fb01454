// The join of trees of double points.
#define KITH_SCALAR double
#include "groups/join_targets-inl.h"
