// One digit along the Hilbert curve, on the CPU and on devices: included by geometry/hilbert.cpp
// and by gpu/order.cl, in the common subset of C++ and OpenCL C. Both have uint (32 bits), ulong
// (64 bits) and trailing_ones.

KITH_CURVE uint gray_code(uint i) { return i ^ i >> 1; }

KITH_CURVE uint gray_inverse(uint code, int bits) {
  for (int shift = 1; shift < bits; shift *= 2) code ^= code >> shift;
  return code;
}

/// Rotation of the low `bits` bits to the left by 0 to `bits`.
KITH_CURVE uint rotated(ulong value, int by, int bits) {
  const ulong one = 1, mask = (one << bits) - 1;
  const ulong turned = (value << by | value >> (bits - by)) & mask;
  return KITH_AS_UINT(turned);
}

/// value modulo bits, for values below twice that: divisions would be most of the work.
KITH_CURVE int reduced(int value, int bits) { return value < bits ? value : value - bits; }

/// Where the curve enters the w-th sub-cell, and the axis along which it leaves it, both for a cell
/// in the standard state.
KITH_CURVE uint entry_of(uint w) { return w == 0 ? 0 : gray_code(2 * ((w - 1) / 2)); }
KITH_CURVE int direction_of(uint w, int dimension) {
  return w == 0 ? 0 : reduced(trailing_ones(w & 1 ? w : w - 1), dimension);
}

/// The place on the curve of the sub-cell `digit` of a cell; moves its state on to that sub-cell.
KITH_CURVE uint curve_step(uint digit, int dimension, uint* entry, int* direction) {
  const int turn = *direction + 1;
  const uint place = gray_inverse(rotated(digit ^ *entry, dimension - turn, dimension), dimension);
  *entry ^= rotated(entry_of(place), turn, dimension);
  *direction = reduced(*direction + direction_of(place, dimension) + 1, dimension);
  return place;
}
