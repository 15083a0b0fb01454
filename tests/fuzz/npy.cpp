// Fuzzer of NumPy arrays.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_npy(path))
