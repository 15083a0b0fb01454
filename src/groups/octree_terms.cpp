// The innermost loop of the tree code.
#include "groups/octree_terms-inl.h"
