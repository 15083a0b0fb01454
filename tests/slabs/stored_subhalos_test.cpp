// Subhalos of stored points are those of the same points in memory, for batches of any size.
#include <kith/detail/result_rows.hpp>
#include <kith/io/stored_subhalos.hpp>

#include "cloud.hpp"
#include "small_slabs.hpp"
#include "support/catalogues.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Cloud;
using test::Draw;
using test::kDisk;
using test::SmallSlabs;

const std::vector<int> kTypes{1, 2};

/// Rows of each type and ids, in the order of (halo, subhalo).
void expect_same_subhalo_order(const StoredSubhalos& stored, const Members& halos,
                               const Subhalos& expected, const Cloud& cloud) {
  std::vector<std::vector<std::uint64_t>> order(2), found(2);
  std::vector<std::uint64_t> id, ids(halos.offset.back());
  for (const std::uint32_t i : members_in_order(halos, &expected)) {
    const std::size_t part = i < cloud.counts()[0] ? 0 : 1;
    order[part].push_back(part == 0 ? i : i - cloud.counts()[0]);
    if (id.size() < ids.size()) id.push_back(cloud.id(i));
  }
  for (std::size_t part = 0; part < 2; ++part) {
    found[part].resize(cloud.counts()[part]);
    stored.read_order(part, 0, found[part]);
  }
  EXPECT_EQ(found, order);
  stored.read_member_ids(0, ids);
  EXPECT_EQ(ids, id);
}

void expect_same_subhalos(const StoredSubhalos& stored, const Subhalos& expected,
                          const Cloud& cloud) {
  const Subhalos& rows = stored.rows();
  EXPECT_EQ(rows.parent, expected.parent);
  EXPECT_EQ(rows.host, expected.host);
  EXPECT_EQ(rows.most_bound, expected.most_bound);
  EXPECT_EQ(rows.peak, expected.peak);
  ASSERT_EQ(rows.catalogue.count(), expected.catalogue.count());
  test::expect_rows(rows.catalogue, expected.catalogue, 0);
  EXPECT_EQ(rows.catalogue.types, expected.catalogue.types);
  std::vector<std::int32_t> label(cloud.size());
  stored.read_labels(0, label);
  EXPECT_EQ(label, subhalo_labels(expected, cloud.size()));
  std::vector<std::uint64_t> most_bound;
  for (const std::int64_t i : expected.most_bound)
    most_bound.push_back(cloud.id(static_cast<std::size_t>(i)));
  EXPECT_EQ(std::vector(stored.most_bound_ids().begin(), stored.most_bound_ids().end()),
            most_bound);
  std::vector<std::int64_t> sizes(2 * expected.parent.size());
  for (std::size_t s = 0; s < expected.parent.size(); ++s)
    for (const std::uint32_t i : expected.members.of(s))
      ++sizes[2 * s + (i < cloud.counts()[0] ? 0 : 1)];
  EXPECT_EQ(std::vector(stored.type_sizes().begin(), stored.type_sizes().end()), sizes);
}

SubhaloOptions drawn_options(Draw& draw) {
  SubhaloOptions options{
      .method =
          draw.one_of({SubhaloMethod::subfind, SubhaloMethod::phase, SubhaloMethod::phase_fof}),
      .types = 3,
      .min_size = 2 + draw.below(6),
  };
  if (!are_bound(options)) {
    options.linking_length = 0.2 + draw.uniform();
    return options;
  }
  options.gravity = 1;
  options.softening = 0.01 * draw.uniform();
  options.density_neighbors = 2 + draw.below(8);
  options.link_neighbors = 1 + draw.below(8);
  return options;
}

void check_subhalos_from_disk(Draw& draw) {
  Cloud cloud(draw, 1 + draw.size(500));
  const Box box = draw.below(2) ? Box::open() : Box::periodic({1, 1, 1});
  const FofOptions linking{.box = box, .linking_length = 0.02, .min_size = 1 + draw.below(3)};
  SubhaloOptions options = drawn_options(draw);
  options.box = box;
  const Execution execution{.threads = draw.one_of({1, 2})};
  const Members halos = members(fof(cloud.positions(), linking, execution));
  const CatalogueOptions columns = cloud.in_memory({.types = 3});
  SubhaloOptions in_memory = options;
  in_memory.velocity = columns.velocity;
  in_memory.mass = columns.mass;
  in_memory.type = columns.type;
  const Subhalos expected = subhalos(cloud.positions(), halos, in_memory, execution);

  const SmallSlabs small(1 + draw.size(200), 1 + draw.size(300));
  const StoredGroups groups = fof(cloud, linking, kDisk, execution);
  const StoredSubhalos stored = subhalos(cloud, groups, options, kTypes, kDisk, execution);
  expect_same_subhalos(stored, expected, cloud);
  expect_same_subhalo_order(stored, halos, expected, cloud);
}
TEST(StoredSubhalos, AreThoseInMemory) { test::for_cases(150, check_subhalos_from_disk); }

/// Points behind 2^32 + 7 others, as calls see them.
class FarPoints {
 public:
  FarPoints() { slabs::first_index = kFirst; }
  ~FarPoints() { slabs::first_index = 0; }
  FarPoints(const FarPoints&) = delete;
  FarPoints& operator=(const FarPoints&) = delete;
  static constexpr std::uint64_t kFirst = (std::uint64_t{1} << 32) + 7;
};

/// Indices are those of the same points without the others, plus their number; all else is the
/// same.
void check_beyond_32_bits(Draw& draw) {
  Cloud cloud(draw, 1 + draw.size(500));
  const FofOptions linking{.linking_length = 0.02, .min_size = 1 + draw.below(3)};
  const SubhaloOptions options = drawn_options(draw);
  const SmallSlabs small(1 + draw.size(200), 1 + draw.size(300));
  const StoredGroups near = fof(cloud, linking, kDisk);
  const StoredCatalogue near_rows = catalogue(cloud, near, {.types = 3}, kTypes, kDisk);
  const Subhalos near_parts = subhalos(cloud, near, options, kTypes, kDisk).rows();

  const FarPoints far;
  const auto expect_far = [](std::span<const std::int64_t> found,
                             std::span<const std::int64_t> expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i], expected[i] + static_cast<std::int64_t>(FarPoints::kFirst));
  };
  const StoredGroups groups = fof(cloud, linking, kDisk);
  expect_far(groups.lowest_members(), near.lowest_members());
  std::vector<std::int32_t> label(cloud.size()), expected(cloud.size());
  groups.read_labels(0, label);
  near.read_labels(0, expected);
  EXPECT_EQ(label, expected);
  const StoredCatalogue rows = catalogue(cloud, groups, {.types = 3}, kTypes, kDisk);
  expect_far(rows.rows().lowest, near_rows.rows().lowest);
  EXPECT_EQ(rows.rows().type_size, near_rows.rows().type_size);
  const auto order_of = [&](const auto& from) {
    std::vector<std::uint64_t> order(cloud.counts()[1]);
    from.read_order(1, 0, order);
    return order;
  };
  EXPECT_EQ(order_of(rows), order_of(near_rows));  // rows within a type
  const StoredSubhalos parts = subhalos(cloud, groups, options, kTypes, kDisk);
  EXPECT_EQ(parts.rows().parent, near_parts.parent);
  expect_far(parts.rows().most_bound, near_parts.most_bound);
  expect_far(parts.rows().catalogue.lowest, near_parts.catalogue.lowest);
}
TEST(StoredSubhalos, IndicesMayExceed32Bits) { test::for_cases(30, check_beyond_32_bits); }

TEST(StoredSubhalos, NoPointsHaveNoSubhalos) {
  Draw draw(1);
  const Cloud none(draw, 0);
  const StoredGroups groups = fof(none, {.linking_length = 1}, kDisk);
  const StoredSubhalos found = subhalos(none, groups, {.linking_length = 1}, kTypes, kDisk);
  EXPECT_TRUE(found.rows().parent.empty());
  EXPECT_TRUE(found.type_sizes().empty());
}

/// Without velocities.
class Still : public Cloud {
 public:
  using Cloud::Cloud;
  bool has(Field field) const override { return field != Field::velocity; }
};

TEST(StoredSubhalos, RefuseWhatCannotWork) {
  Draw draw(2);
  const Cloud cloud(draw, 100);
  const Still still(draw, 100);
  const StoredGroups groups = fof(cloud, {.linking_length = 10}, kDisk);
  const SubhaloOptions options{.linking_length = 1};
  const auto find = [&](const StoredPoints& points, const SubhaloOptions& asked,
                        const DiskOptions& disk = kDisk) {
    subhalos(points, groups, asked, {}, disk);
  };
  using test::expect_error;
  const ErrorCode wrong = ErrorCode::invalid_argument;
  expect_error(wrong, "no velocities", [&] { find(still, options); });
  const std::vector<double> each(cloud.size(), 1);
  expect_error(wrong, "of stored points are theirs", [&] {
    SubhaloOptions given = options;
    given.mass = values(each);
    find(cloud, given);
  });
  expect_error(wrong, "thermal energies of stored points are not read", [&] {
    SubhaloOptions given = options;
    given.thermal_energy = values(each);
    find(cloud, given);
  });
  expect_error(wrong, "linking_length = -1", [&] {
    SubhaloOptions given = options;
    given.linking_length = -1;
    given.method = SubhaloMethod::phase_fof;
    find(cloud, given);
  });
  const std::vector<int> types{1};
  expect_error(wrong, "1 types for points of 2",
               [&] { subhalos(cloud, groups, options, types, kDisk); });
  const Cloud more(draw, 2000);
  expect_error(wrong, "points for", [&] { find(more, options); });
}

/// One group that is too large for a limit of 55 MB.
TEST(StoredSubhalos, RefuseAGroupThatDoesNotFit) {
  Draw draw(3);
  const Cloud cloud(draw, 60000);
  const StoredGroups groups = fof(cloud, {.linking_length = 10}, kDisk);
  ASSERT_EQ(groups.count(), 1U);
  const DiskOptions disk{.max_memory = 55'000'000};
  test::expect_error(ErrorCode::out_of_memory, "subhalos: a group has",
                     [&] { subhalos(cloud, groups, {.gravity = 1}, kTypes, disk); });
}

}  // namespace
}  // namespace kith
