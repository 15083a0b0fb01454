// Groups and catalogues of stored points are those of the same points in memory, for slabs of any
// size.
#include <cstring>
#include <limits>
#include <utility>

#include <kith/io/stored_points.hpp>

#include "cloud.hpp"
#include "small_slabs.hpp"
#include "support/catalogues.hpp"
#include "support/expect_error.hpp"
#include "support/folder.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Cloud;
using test::Draw;
using test::kDisk;
using test::SmallSlabs;

std::vector<std::int32_t> labels_of(const StoredGroups& groups) {
  std::vector<std::int32_t> label(groups.size());
  groups.read_labels(0, label);
  return label;
}

void expect_same(const StoredGroups& stored, const Groups& groups, Draw& draw) {
  const std::vector<std::int32_t> expected(groups.label().begin(), groups.label().end());
  EXPECT_EQ(labels_of(stored), expected) << draw.points;
  EXPECT_EQ(std::vector(stored.sizes().begin(), stored.sizes().end()), groups.sizes());
  EXPECT_EQ(std::vector(stored.lowest_members().begin(), stored.lowest_members().end()),
            groups.lowest_members());
  EXPECT_EQ(stored.linking_length(), groups.linking_length());
}

template <class T>
void check_groups(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(4));
  const auto set = draw.point_set<T>(dimension, 1 + draw.size(600));
  FofOptions options{.box = draw.box(dimension),
                     .linking_length = std::pow(10, -3 + 3 * draw.uniform()),
                     .min_size = 1 + draw.below(4),
                     .strict = draw.below(2) == 0};
  if (draw.below(8) == 0) options.linking_length = draw.one_of({1e-44, 1e-6, 0.25, 1.0, 1e31});
  const Execution execution{.threads = draw.one_of({1, 2, 4})};
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300));
  const StoredGroups stored = fof(*stored_points(set.view()), options, kDisk, execution);
  expect_same(stored, fof(set.view(), options, execution), draw);
}
TEST(Slabs, GroupsOfFloatsAreThoseInMemory) { test::for_cases(400, check_groups<float>); }
TEST(Slabs, GroupsOfDoublesAreThoseInMemory) { test::for_cases(200, check_groups<double>); }

/// Rows of each type and ids, in the order of (label, index).
void expect_same_order(const StoredCatalogue& stored, const Members& members, const Cloud& cloud) {
  std::vector<std::vector<std::uint64_t>> order(2), found(2);
  std::vector<std::uint64_t> id;
  for (const std::uint32_t i : members.order) {
    const std::size_t part = i < cloud.counts()[0] ? 0 : 1;
    order[part].push_back(part == 0 ? i : i - cloud.counts()[0]);
    if (id.size() < members.offset.back()) id.push_back(cloud.id(i));
  }
  for (std::size_t part = 0; part < 2; ++part) {
    found[part].resize(cloud.counts()[part]);
    stored.read_order(part, 0, found[part]);
  }
  EXPECT_EQ(found, order);
  std::vector<std::uint64_t> ids(id.size());
  stored.read_member_ids(0, ids);
  EXPECT_EQ(ids, id);
}

void check_catalogue(Draw& draw) {
  Cloud cloud(draw, 1 + draw.size(500));
  const Box box = draw.below(2) ? Box::open() : Box::periodic({1, 1, 1});
  const FofOptions linking{.box = box, .linking_length = 0.02, .min_size = 1 + draw.below(3)};
  const CatalogueOptions options{
      .box = box, .types = 3, .contaminating_types = {2}, .gravity = 2.0};
  const Execution execution{.threads = draw.one_of({1, 2})};
  const Groups groups = fof(cloud.positions(), linking, execution);
  const Members order = members(groups);
  const Catalogue expected =
      catalogue(cloud.positions(), order, cloud.in_memory(options), execution);
  const SmallSlabs small(1 + draw.size(200), 1 + draw.size(300));
  const StoredGroups stored = fof(cloud, linking, kDisk, execution);
  const std::vector<int> types{1, 2};
  const StoredCatalogue found = catalogue(cloud, stored, options, types, kDisk, execution);
  ASSERT_EQ(found.rows().count(), expected.count());
  test::expect_rows(found.rows(), expected, 0);
  expect_same_order(found, order, cloud);
}
TEST(Slabs, CataloguesAreThoseInMemory) { test::for_cases(150, check_catalogue); }

/// Room for the points about centers until the end of the scope.
class SmallRoom {
 public:
  explicit SmallRoom(std::size_t points)
      : before_(std::exchange(slabs::most_about_centers, points)) {}
  ~SmallRoom() { slabs::most_about_centers = before_; }
  SmallRoom(const SmallRoom&) = delete;
  SmallRoom& operator=(const SmallRoom&) = delete;

 private:
  std::size_t before_;
};

void check_centers(Draw& draw) {
  Cloud cloud(draw, 1 + draw.size(500));
  const Box box = draw.below(2) ? Box::open() : Box::periodic({1, 1, 1});
  const FofOptions linking{.box = box, .linking_length = 0.02, .min_size = 1 + draw.below(3)};
  const Execution execution{.threads = draw.one_of({1, 2})};
  const Members order = members(fof(cloud.positions(), linking, execution));
  CatalogueOptions options{.box = box, .types = 3};
  CatalogueOptions given = cloud.in_memory(options);
  CenterOptions kind{.types = {2},
                     .kind = draw.one_of({CenterKind::potential, CenterKind::shrinking}),
                     .softening = 0.01 * draw.uniform()};
  CenterOptions asked = kind;
  asked.box = box;
  asked.mass = given.mass;
  asked.type = given.type;
  const std::vector<double> peak = centers(cloud.positions(), order, asked, execution);
  given.peak = peak;
  const Catalogue expected = catalogue(cloud.positions(), order, given, execution);

  const SmallSlabs small(1 + draw.size(200), 1 + draw.size(300), 1 + draw.size(300));
  const SmallRoom room(cloud.size() + draw.size(500));
  const StoredGroups stored = fof(cloud, linking, kDisk, execution);
  const std::vector<int> types{1, 2};
  const StoredCatalogue found = catalogue(cloud, stored, options, kind, types, kDisk, execution);
  EXPECT_EQ(std::vector(found.peak().begin(), found.peak().end()), peak);
  test::expect_rows(found.rows(), expected, 0);

  OverdensityOptions spheres{.density = {200, 1000}, .within = values(expected.radius)};
  if (draw.below(2) == 0) spheres.mass_guess = values(expected.mass);
  if (draw.below(4) == 0) spheres.within = {.same = std::numeric_limits<double>::infinity()};
  const Overdensities stored_spheres =
      overdensities(cloud, peak, spheres, {.box = box}, kDisk, execution);
  spheres.mass = given.mass;
  const Overdensities in_memory =
      overdensities(Tree<float>(cloud.positions(), {.box = box}), peak, spheres, execution);
  EXPECT_EQ(stored_spheres.size, in_memory.size);
  const auto expect_bits = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  };
  expect_bits(stored_spheres.mass, in_memory.mass);
  expect_bits(stored_spheres.radius, in_memory.radius);
}
TEST(Slabs, CentersAndSpheresAreThoseInMemory) { test::for_cases(120, check_centers); }

TEST(Slabs, DropsOrNamesPointsThatAreNotFinite) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{0, 0.1f, kNone, 0.2f, 5, kNone, 5.1f, 9};
  const View<float> points = view(x.data(), x.size(), 1);
  FofOptions options{.linking_length = 0.15};
  const SmallSlabs small(2, 3);
  const Execution execution;
  test::expect_error(ErrorCode::non_finite,
                     "coordinate 0 of point 2 is nan (2 of 8 points are not finite)",
                     [&] { fof(*stored_points(points), options, kDisk, execution); });
  options.non_finite = NonFinite::drop;
  EXPECT_EQ(labels_of(fof(*stored_points(points), options, kDisk, execution)),
            (std::vector<std::int32_t>{0, 0, -1, 0, 1, -1, 1, 2}));
}

TEST(Slabs, NoPointsAreNoGroups) {
  const std::vector<float> none;
  const StoredGroups groups =
      fof(*stored_points(view(none.data(), 0, 3)), {.linking_length = 1}, kDisk);
  EXPECT_EQ(groups.count(), 0U);
  EXPECT_EQ(groups.slabs(), 0U);
}

TEST(Slabs, SpheresRefuseWhatCannotWork) {
  const std::vector<float> x(300, 1);
  const auto points = stored_points(view(x.data(), 100, 3));
  const std::vector<double> center{1, 1, 1}, mass(100, 1);
  const auto find = [&](const OverdensityOptions& options) {
    return overdensities(*points, center, options, {}, kDisk);
  };
  EXPECT_EQ(find({.density = {1}}).size, (std::vector<std::int64_t>{100}));
  test::expect_error(ErrorCode::invalid_argument, "density -1", [&] { find({.density = {-1}}); });
  test::expect_error(ErrorCode::invalid_argument, "masses of stored points are theirs",
                     [&] { find({.density = {1}, .mass = values(mass)}); });
  const SmallRoom room(99);
  test::expect_error(ErrorCode::out_of_memory, "the points about one center need",
                     [&] { find({.density = {1}}); });
}

TEST(Slabs, RefusesWhatCannotWork) {
  const std::vector<float> x(300, 1);
  const auto points = stored_points(view(x.data(), 100, 3));
  const FofOptions options{.linking_length = 1};
  test::expect_error(ErrorCode::out_of_memory, "at least",
                     [&] { fof(*points, options, {.max_memory = 1000000}); });
  test::expect_error(ErrorCode::io, "/no/such/folder: cannot be used for scratch files", [&] {
    fof(*points, options, {.max_memory = std::uint64_t{1} << 30, .scratch = "/no/such/folder"});
  });
  test::expect_error(ErrorCode::invalid_argument, "keep_roots",
                     [&] { fof(*points, {.linking_length = 1, .keep_roots = true}, kDisk); });
  const CancelToken token;
  token.cancel();
  test::expect_error(ErrorCode::cancelled, "",
                     [&] { fof(*points, options, kDisk, {.cancel = &token}); });
}

TEST(Slabs, LeaveNothingInTheFolder) {
  const test::Folder folder;
  const std::vector<float> x(300, 1);
  const StoredGroups groups = fof(*stored_points(view(x.data(), 100, 3)), {.linking_length = 1},
                                  {.max_memory = std::uint64_t{1} << 30, .scratch = folder / ""});
  EXPECT_EQ(groups.count(), 1U);
  EXPECT_TRUE(folder.names().empty());
}

TEST(StoredPoints, AmountsOfMemoryAreText) {
  for (const auto& [text, bytes] :
       std::vector<std::pair<const char*, std::uint64_t>>{{"1", 1},
                                                          {"500", 500},
                                                          {"500B", 500},
                                                          {"2k", 2000},
                                                          {"1.5 MB", 1'500'000},
                                                          {"8G", 8'000'000'000},
                                                          {" 4gb ", 4'000'000'000},
                                                          {"1e9", 1'000'000'000},
                                                          {"2T", 2'000'000'000'000}})
    EXPECT_EQ(parse_memory(text), bytes) << text;
  for (const char* text :
       {"", "much", "GB", "0", "-1", "nan", "inf", "1e30", "4X", "4KM", "4BB", "4 G 4", "0x10"})
    test::expect_error(ErrorCode::invalid_argument, "limit: '" + std::string(text) + "' is not an",
                       [&] { parse_memory(text, "limit"); });
}

TEST(StoredPoints, LimitMayComeFromTheEnvironment) {
  struct Variable {
    explicit Variable(const char* value) { setenv("KITH_MAX_MEMORY", value, 1); }
    ~Variable() { unsetenv("KITH_MAX_MEMORY"); }
  };
  const std::vector<float> x{1, 2, 3};
  const auto points = stored_points(view(x.data(), 3, 1));
  const auto groups = [&] { return fof(*points, {.linking_length = 1}, {}).count(); };
  unsetenv("KITH_MAX_MEMORY");
  test::expect_error(ErrorCode::invalid_argument, "or set KITH_MAX_MEMORY", groups);
  {
    const Variable is_set("1GB");
    EXPECT_EQ(groups(), 1U);
  }
  {
    const Variable is_set("1MB");
    test::expect_error(ErrorCode::out_of_memory, "1 MB are allowed", groups);
  }
  const Variable is_set("much");
  test::expect_error(ErrorCode::invalid_argument, "KITH_MAX_MEMORY: 'much' is not", groups);
}

}  // namespace
}  // namespace kith
