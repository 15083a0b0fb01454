// Fuzzer of FITS tables.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_fits(path, {}))
