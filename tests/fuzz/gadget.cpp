// Fuzzer of Gadget's binary files.
#include "fuzz/fuzz.hpp"

KITH_FUZZ(kith::io::open_gadget_binary(path))
