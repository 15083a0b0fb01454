// Fuzzer of bare numbers.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_raw(path, {}))
