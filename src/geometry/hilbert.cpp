#include "geometry/hilbert.hpp"

#include <bit>

namespace kith {
namespace curves {
using uint = std::uint32_t;
using ulong = std::uint64_t;
inline int trailing_ones(uint w) { return std::countr_one(w); }
#define KITH_CURVE inline
#define KITH_AS_UINT static_cast<uint>
#include "geometry/hilbert-inl.h"
#undef KITH_CURVE
#undef KITH_AS_UINT
}  // namespace curves

std::uint32_t hilbert_step(std::uint32_t digit, int dimension, HilbertState& state) {
  return curves::curve_step(digit, dimension, &state.entry, &state.direction);
}

/// States are numbered entry * dimension + direction.
HilbertSteps::HilbertSteps(int dimension) : dimension_(dimension) {
  const std::uint32_t cells = 1u << dimension, d = static_cast<std::uint32_t>(dimension);
  step_.resize(std::size_t{cells} * d * cells);
  for (std::uint32_t from = 0; from < cells * d; ++from)
    for (std::uint32_t digit = 0; digit < cells; ++digit) {
      HilbertState state{from / d, static_cast<int>(from % d)};
      const std::uint32_t place = hilbert_step(digit, dimension, state);
      const std::uint32_t to = state.entry * d + static_cast<std::uint32_t>(state.direction);
      step_[std::size_t{from} << dimension | digit] = static_cast<std::uint16_t>(place | to << 6);
    }
  for (std::size_t digits = 0; digits < spread_.size(); ++digits)
    for (int bit = 0; bit < 8; ++bit)
      spread_[digits] |= std::uint64_t{digits >> bit & 1} << (dimension * bit);
}

const HilbertSteps* HilbertSteps::of(int dimension) {
  static const HilbertSteps tables[] = {HilbertSteps(4), HilbertSteps(5), HilbertSteps(6)};
  return dimension >= 4 && dimension <= 6 ? &tables[dimension - 4] : nullptr;
}

namespace {

/// One digit on the curve; states are numbered entry * D + direction. z-order has one state.
template <int D>
struct Step {
  std::uint32_t place;
  unsigned state;

  Step(bool is_hilbert, std::uint32_t digit, unsigned from) : place(digit), state(from) {
    if (!is_hilbert) return;
    HilbertState s{from / D, static_cast<int>(from % D)};
    place = hilbert_step(digit, D, s);
    state = s.entry * D + static_cast<unsigned>(s.direction);
  }
};

}  // namespace

template <int D>
CurveTables<D>::CurveTables(bool is_hilbert) {
  for (unsigned from = 0; from < kStates; ++from)
    for (std::uint32_t position = 0; position < 64; ++position) {
      unsigned state = from, place = 0;
      for (int shift = 6 - D; shift >= 0; shift -= D) {
        const Step<D> next(is_hilbert, position >> shift & ((1u << D) - 1), state);
        place = place << D | next.place;
        state = next.state;
      }
      step[from][position] = static_cast<std::uint16_t>(place | state << 6);
    }
  for (std::uint32_t position = 0; position < top.size(); ++position) {
    const unsigned a = step[0][position >> 6], b = step[a >> 6][position & 63];
    const unsigned place = (a & 63) << 6 | (b & 63);
    top[position] = static_cast<std::uint16_t>(place);
    top_state[place] = static_cast<std::uint8_t>(b >> 6);
  }
  for (std::uint32_t digits = 0; digits < spread.size(); ++digits) {
    spread[digits] = 0;
    for (int bit = 0; bit < kLowDigits; ++bit) spread[digits] |= (digits >> bit & 1) << (D * bit);
  }
}

template <int D>
const CurveTables<D>& CurveTables<D>::hilbert() {
  static const CurveTables tables(true);
  return tables;
}

template <int D>
const CurveTables<D>& CurveTables<D>::z() {
  static const CurveTables tables(false);
  return tables;
}

template struct CurveTables<2>;
template struct CurveTables<3>;

}  // namespace kith
