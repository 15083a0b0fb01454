// Fuzzer of tipsy files.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_tipsy(path))
