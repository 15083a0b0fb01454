// All calls that have code for devices, against the CPU.
#pragma once

#include <string>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "neighbors/knn_cases.hpp"
#include "support/catalogues.hpp"
#include "support/point_sets.hpp"

namespace kith::test {

template <class T>
void check_calls(const test::PointSet<T>& set, const Box& box, double length,
                 const std::string& device = "gpu") {
  const Execution cpu{.threads = 1}, gpu{.threads = 1, .device = device};
  const TreeOptions options{.box = box};
  const Tree there(set.view(), options, gpu), here(set.view(), options, cpu);
  EXPECT_EQ(there.order(), here.order()) << set.name;
  for (const std::size_t k : {1, 11, 40})
    EXPECT_TRUE(
        are_equal(rows_of(knn<T>(there, {.k = k}, gpu)), rows_of(knn<T>(here, {.k = k}, cpu))))
        << set.name << ", k = " << k;
  const RadiusOptions within{.radius = length};
  EXPECT_TRUE(
      are_equal(rows_of(radius<T>(there, within, gpu)), rows_of(radius<T>(here, within, cpu))))
      << set.name;
  const FofOptions linking{.linking_length = length, .min_size = 2};
  const Groups groups = fof(there, linking, gpu), expected = fof(here, linking, cpu);
  EXPECT_EQ(groups.sizes(), expected.sizes()) << set.name;
  EXPECT_EQ(groups.lowest_members(), expected.lowest_members()) << set.name;
  EXPECT_TRUE(std::equal(groups.label().begin(), groups.label().end(), expected.label().begin()))
      << set.name;
  const CatalogueOptions wanted{.box = box, .velocity = set.view()};
  expect_rows(catalogue(set.view(), groups, wanted, gpu),
              catalogue(set.view(), expected, wanted, cpu), 0);
}

template <class T>
void check_sets(int dimension, std::size_t n, const std::string& device = "gpu") {
  for (const auto& set : random_sets<T>(dimension, n, 5)) {
    check_calls<T>(set, {}, 0.05, device);
    check_calls<T>(set, Box::periodic(2.0), 0.02, device);
  }
}

}  // namespace kith::test
