// Fuzzer of columns of numbers in text.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_text(path, {}))
