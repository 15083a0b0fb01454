#include "groups/parts.hpp"

#include "groups/join.hpp"
#include "neighbors/parts.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

/// Of each row under a tree, one row of its set.
template <class T>
Array<std::uint32_t> sets_by_row(const Planes<T>& planes, const Array<std::uint32_t>& parent,
                                 const Workers& workers) {
  const UnionFind<std::uint32_t> sets(parent.data());
  Array<std::uint32_t> set(planes.points, workers.pool());
  for (std::size_t i = 0; i < planes.points; ++i)
    set[planes.index(i)] = planes.index(sets.find(static_cast<std::uint32_t>(i)));
  return set;
}

}  // namespace

template <class T>
LinkingReach<T> GroupParts<T>::reach(const FofOptions& options, const Box& box, std::size_t points,
                                     int dimension, const Frame<T>& frame) {
  check_fof_options(options);
  return reach_of<T>(linking_length_of(options, box, points, dimension), options.strict, frame);
}

template <class T>
Array<std::uint32_t> GroupParts<T>::join(const Planes<T>& planes, const Frame<T>& frame, T reach2,
                                         Workers& workers) {
  if (planes.points == 0) return {};
  return kith::join(planes, frame.side, reach2, workers);
}

template <class T>
Array<std::uint32_t> GroupParts<T>::sets_of_rows(const Array<T>& rows, std::size_t n, int dimension,
                                                 const Frame<T>& frame, T reach2,
                                                 Workers& workers) {
  const Planes<T> planes =
      Parts<T>::planes_of_rows(rows.data(), n, dimension, TreeOptions{}, workers);
  return sets_by_row(planes, join(planes, frame, reach2, workers), workers);
}

template <class T>
CountedSets GroupParts<T>::count(const Planes<T>& planes, std::uint32_t* parent,
                                 const Workers& workers) {
  return count_sets(planes, parent, 1, workers);
}

template <class T>
PointLengths<T> LengthParts<T>::lengths(const Planes<T>& planes, const Frame<T>& frame,
                                        std::span<const double> given, const Workers& workers) {
  return point_lengths(planes, frame, given, workers);
}

template <class T>
Array<std::uint32_t> LengthParts<T>::join(const Planes<T>& planes, const Frame<T>& frame,
                                          const PointLengths<T>& lengths, const LengthLinks& links,
                                          Workers& workers) {
  if (planes.points == 0) return {};
  return join_by_lengths(planes, frame, lengths, links, workers);
}

template <class T>
Array<std::uint32_t> LengthParts<T>::sets_of_rows(const Array<T>& rows,
                                                  std::span<const double> given, int dimension,
                                                  const Frame<T>& frame, const LengthLinks& links,
                                                  Workers& workers) {
  const Planes<T> planes =
      Parts<T>::planes_of_rows(rows.data(), given.size(), dimension, TreeOptions{}, workers);
  const PointLengths<T> lengths = point_lengths(planes, frame, given, workers);
  return sets_by_row(planes, join(planes, frame, lengths, links, workers), workers);
}

template struct GroupParts<float>;
template struct GroupParts<double>;
template struct LengthParts<float>;
template struct LengthParts<double>;

}  // namespace kith
