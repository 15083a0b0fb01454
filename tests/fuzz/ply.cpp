// Fuzzer of PLY files.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_ply(path, {}))
