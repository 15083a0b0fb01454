// Fuzzer of Corrfunc's catalogues.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_fast_food(path))
