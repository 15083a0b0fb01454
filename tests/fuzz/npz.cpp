// Fuzzer of archives of NumPy arrays.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_npz(path, {}))
