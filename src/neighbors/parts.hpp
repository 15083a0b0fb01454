// The interface for libraries above to search in parts of a point set: trees in a frame that
// several ranks agree on, keys along the curve, and searches of one part for the queries of
// another. Each function is the core's own, exported to the other libraries of kith.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/tree.hpp>

#include "base/shared.hpp"
#include "neighbors/search_job.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/workers.hpp"
#include "tree/input.hpp"
#include "tree/planes.hpp"
#include "tree/subset.hpp"

namespace kith {

/// Bits of the keys that Parts::keys gives, per dimension and curve.
struct KeyBits {
  int count = 0;  ///< 0: the bounds cannot be split, see geometry/grid.hpp
};

template <class T>
struct KITH_SHARED Parts {
  static void check(const char* call, const PointsView& points, const TreeOptions& options);
  /// The curve along which points are distributed to ranks: that of the options, or one with keys.
  static Curve curve(const TreeOptions& options, int dimension);

  static MeasuredRows<T> measure(const PointsView& points, NonFinite non_finite,
                                 const Workers& workers);
  static Frame<T> frame(const Box& box, int dimension, const Extent<T>& extent);
  static Input<T> input(const Frame<T>& frame, MeasuredRows<T> measured);

  /// Places of `n` packed rows on the curve over the bounds, z or hilbert; keys of z are true
  /// prefixes of the order, so that each key is a Morton cell.
  static KeyBits keys(const Bounds<kAnyDimension, T>& bounds, int dimension, Curve curve,
                      const T* rows, std::size_t n, std::uint64_t* keys);

  /// The first bits of these keys, at most 16, at a fraction of the cost.
  static KeyBits top_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, Curve curve,
                          const T* rows, std::size_t n, std::uint16_t* keys);

  /// Points in the order of the curve, without planes.
  static Planes<T> ordered(const Input<T>& input, const TreeOptions& options, Workers& workers);
  /// The same under planes of the builder.
  static Planes<T> planes(const Input<T>& input, const TreeOptions& options, Workers& workers);
  /// Rows that are in a frame already, row i with index i.
  static Input<T> input_of_rows(const T* rows, std::size_t n, int dimension,
                                const Workers& workers);
  /// A tree of such rows.
  static Planes<T> planes_of_rows(const T* rows, std::size_t n, int dimension,
                                  const TreeOptions& options, Workers& workers);
  /// Packed planes over the blocks of any tree.
  static std::vector<Plane<T>> packed(const Planes<T>& planes, const Workers& workers);
  /// Sorts by key; equal keys keep the order of their indices, which must ascend.
  static void sort(KeyIndex* keys, std::size_t n, const Workers& workers);
  static Subset<T> subset(const Planes<T>& planes, const Array<std::uint8_t>& mask,
                          const Workers& workers);

  /// Runs a job over all its queries; without points to find or queries it does nothing.
  /// `finished` is called with the positions of queries that are done, some at a time, by the
  /// thread that has just delivered their rows.
  static void search(const KnnJob<T>& job, const char* stage, Workers& workers,
                     const FunctionRef<void(std::size_t, std::size_t)>* finished = nullptr);
  static void search(const RadiusJob<T>& job, const char* stage, Workers& workers);
};

}  // namespace kith
