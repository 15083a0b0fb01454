// A kNN search in all its variants, compared with the definition of the answer.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "neighbors/brute.hpp"
#include "support/exact_cases.hpp"

namespace kith::test {

/// The rows of a result, as the definition gives them.
template <class T, class Index>
std::vector<BruteRow<T>> rows_of(const Neighbors<T, Index>& result) {
  std::vector<BruteRow<T>> rows(result.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].index.assign(result.index(i).begin(), result.index(i).end());
    rows[i].distance.assign(result.distance(i).begin(), result.distance(i).end());
  }
  return rows;
}

template <class T, class Index>
std::vector<BruteRow<T>> rows_of(const NeighborLists<T, Index>& lists) {
  std::vector<BruteRow<T>> rows(lists.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].index.assign(lists.index(i).begin(), lists.index(i).end());
    rows[i].distance.assign(lists.distance(i).begin(), lists.distance(i).end());
  }
  return rows;
}

template <class T>
::testing::AssertionResult are_equal(const std::vector<BruteRow<T>>& rows,
                                     const std::vector<BruteRow<T>>& expected) {
  ExactCases::count();
  if (rows.size() != expected.size())
    return ::testing::AssertionFailure() << rows.size() << " rows instead of " << expected.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == expected[i]) continue;
    auto message = ::testing::AssertionFailure() << "row " << i << ":";
    for (std::size_t j = 0; j < rows[i].index.size() && j < 40; ++j)
      message << " (" << rows[i].index[j] << " " << rows[i].distance[j] << " | "
              << expected[i].index[j] << " " << expected[i].distance[j] << ")";
    return message;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace kith::test
