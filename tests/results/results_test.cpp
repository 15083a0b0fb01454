// Results written in every style and read again.
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <set>

#include <kith/catalogue.hpp>
#include <kith/detail/catalogue_columns.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/io/result_facts.hpp>
#include <kith/io/results.hpp>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;

/// Clumps of two types in a periodic box, their groups and all that is made of them.
struct Fixture {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<float, 3>> velocity;
  std::vector<double> mass;
  std::vector<std::uint8_t> type;
  std::vector<std::uint64_t> id;
  Box box = Box::periodic(1.0);
  std::optional<Groups> groups;
  Members members;
  Catalogue catalogue;
  std::vector<Edge> edges{Edge::critical200, Edge::virial};
  Overdensities spheres;
  Subhalos subhalos;
  ResultAbout about;

  Fixture() {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> place(0, 1);
    std::normal_distribution<float> near(0, 0.01f);
    for (int clump = 0; clump < 12; ++clump) {
      const std::array<float, 3> center{place(random), place(random), place(random)};
      for (int i = 0; i < 30 + clump; ++i) {
        points.push_back(
            {center[0] + near(random), center[1] + near(random), center[2] + near(random)});
        velocity.push_back({near(random), near(random), near(random)});
        mass.push_back(1.0 + place(random));
        id.push_back(1000 + 7 * id.size());
      }
    }
    groups = fof(view(points), {.box = box, .linking_length = 0.02, .min_size = 8});
    type.assign(points.size(), 4);
    std::fill_n(type.begin(), 100, std::uint8_t{1});
    members = kith::members(*groups);
    catalogue = kith::catalogue(view(points), members,
                                {.box = box,
                                 .mass = values(mass),
                                 .velocity = view(velocity),
                                 .type = type,
                                 .types = 6,
                                 .contaminating_types = {4},
                                 .gravity = 2});
    for (std::size_t i = 0; i < 2 * catalogue.count(); ++i) {
      spheres.mass.push_back(static_cast<double>(i));
      spheres.radius.push_back(static_cast<double>(i) / 2);
    }
    subhalos = kith::subhalos(view(points), members,
                              {.box = box,
                               .velocity = view(velocity),
                               .mass = values(mass),
                               .linking_length = 0.8,
                               .min_size = 4});
    about = {.snapshot = "some where.hdf5",
             .points = points.size(),
             .box = box,
             .type_numbers = 6,
             .types = {1, 4},
             .counts = {100, points.size() - 100},
             .time = 0.5,
             .units = {3.0856776e24, 1.989e43, 1e5, true, true},
             .background = {true, 0.3, 0.7, 0.05, 0.7, 0.5, 1.0},
             .link_types = {1, 4},
             .linking_length = groups->linking_length(),
             .min_size = 8};
  }

  CatalogueContent content() const {
    return {.about = about,
            .catalogue = &catalogue,
            .members = &members,
            .label = groups->label(),
            .id = id.data(),
            .edges = edges,
            .overdensities = &spheres};
  }
  std::vector<std::int32_t> label() const {
    return {groups->label().begin(), groups->label().end()};
  }
};

/// Every column that was written, bit for bit but for those that a convention scales.
void expect_same(const Catalogue& read, const Catalogue& written, bool is_subhalo = false) {
  for (const CatalogueColumn& column : catalogue_columns())
    std::visit(
        [&]<class Values>(Values values) {
          if constexpr (!std::is_same_v<Values, std::monostate>) {
            SCOPED_TRACE(column.name);
            const GadgetName& gadget = is_subhalo ? column.subhalo : column.group;
            if (!gadget.name || (is_subhalo && column.shape == ColumnShape::per_type)) return;
            ASSERT_EQ((read.*values).size(), (written.*values).size());
            for (std::size_t i = 0; i < (read.*values).size(); ++i)
              if (gadget.convention == Convention::same)
                EXPECT_EQ((read.*values)[i], (written.*values)[i]);
              else
                EXPECT_NEAR(double((read.*values)[i]), double((written.*values)[i]),
                            4e-16 * std::abs(double((written.*values)[i])));
          }
        },
        column.values);
}

TEST(CatalogueColumns, NamesAreUniqueAndEveryOneIsDescribed) {
  std::set<std::string> names;
  const auto take = [&](const std::string& name) {
    EXPECT_TRUE(names.insert(name).second) << name;
  };
  for (const CatalogueColumn& column : catalogue_columns()) {
    take(column.name);
    if (column.group.name) take(std::string("Group/") + column.group.name);
    if (column.subhalo.name) take(std::string("Subhalo/") + column.subhalo.name);
    if (column.swift) take(std::string("Groups/") + column.swift);
    EXPECT_TRUE(std::string(column.description).ends_with(".")) << column.name;
    EXPECT_EQ(column.values.index() == 0, column.definition == nullptr) << column.name;
  }
}

TEST(CatalogueColumns, AreAllFieldsOfACatalogue) {
  std::size_t vectors = 0;
  Catalogue catalogue;
  for_each_column(catalogue, [&](const CatalogueColumn&, const auto&) { ++vectors; });
  // Two whole numbers, and vectors, all of one size: a field that is missing in the table shows.
  EXPECT_EQ(sizeof(Catalogue), 8 + vectors * sizeof(std::vector<double>));
}

/// Gives every fact a different value.
struct FactFiller {
  int& next;
  void operator()(const ResultFact&, ResultKind&) const {}
  void operator()(const ResultFact&, Scalar& scalar) const { scalar = Scalar::float64; }
  void operator()(const ResultFact&, Box& box) const {
    box = Box::periodic({1, 2, 0}).with_origin({-1.0, 0, 5});
  }
  void operator()(const ResultFact& fact, std::string& text) const {
    text = std::string("some ") + fact.name;
  }
  void operator()(const ResultFact&, std::vector<int>& list) const { list = {1, 4}; }
  void operator()(const ResultFact&, std::vector<std::uint64_t>& list) const { list = {3, 4}; }
  void operator()(const ResultFact&, bool& flag) const { flag = true; }
  template <class T>
  void operator()(const ResultFact&, T& number) const {
    number = static_cast<T>(++next);
  }
};

template <class... T>
constexpr bool have_their_sizes() {
  return (... && (bytes_of(number_type<T>()) == sizeof(T)));
}

TEST(Results, NumbersHaveTheSizeOfTheirType) {
  EXPECT_TRUE((have_their_sizes<std::uint8_t, std::int32_t, std::int64_t, std::uint32_t,
                                std::uint64_t, float, double>()));
}

TEST(Results, SayAllThatWasAsked) {
  const Folder folder;
  for (const ResultKind kind :
       {ResultKind::fof, ResultKind::subhalos, ResultKind::knn, ResultKind::radius,
        ResultKind::density, ResultKind::clusters, ResultKind::match})
    for (const char* ending : {".hdf5", ".npz"}) {
      SCOPED_TRACE(std::string(name(kind)) + ending);
      ResultAbout about;
      int next = 10;
      for_each_fact(about, FactFiller{next});
      about.kind = kind;
      about.dimension = 3;
      about.points = 7;
      const std::vector<double> values(7, 0.5);
      const ResultArray arrays[] = {result_array("density", values.data(), values.size())};
      write_result(folder / (std::string("a") + ending), about, arrays);
      const ResultAbout read = ResultFile(folder / (std::string("a") + ending)).about();
      std::vector<std::string> lost, found;
      const auto note = [&](const ResultAbout& from, std::vector<std::string>& to) {
        for_each_fact(from, [&]<class T>(const ResultFact& fact, const T& field) {
          if (!has_fact(about, fact) || fact.name == std::string("version")) return;
          if constexpr (std::is_same_v<T, std::string>) to.push_back(fact.name + field);
          if constexpr (std::is_arithmetic_v<T>)
            to.push_back(fact.name + std::to_string(static_cast<double>(field)));
          if constexpr (std::is_enum_v<T>)
            to.push_back(fact.name + std::to_string(static_cast<int>(field)));
          if constexpr (requires { field.front(); } && !std::is_same_v<T, std::string>)
            to.push_back(fact.name + std::to_string(field.back()));
        });
      };
      note(about, lost);
      note(read, found);
      EXPECT_EQ(lost, found);
      EXPECT_EQ(read.box, about.box);
    }
}

TEST(Results, WordsThatNobodyKnowsAreRefused) {
  const Folder folder;
  ResultAbout about{.kind = ResultKind::density, .points = 1, .kernel = "wendland_c2"};
  const double density = 1;
  const ResultArray arrays[] = {result_array("density", &density, 1)};
  write_result(folder / "a.npz", about, arrays);
  for (const auto& [word, wrong] : {std::pair("scalar = float32", "scalar = float16"),
                                    std::pair("kind = density", "kind = pensity")}) {
    std::string bytes = folder.read("a.npz");
    const std::size_t at = bytes.find(word);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, std::string(word).size(), wrong);
    std::ofstream(folder / "b.npz", std::ios::binary) << bytes;
    expect_error(ErrorCode::io, "which this version of kith does not know",
                 [&] { ResultFile(folder / "b.npz"); });
  }
}

TEST(Results, CataloguesSurviveEveryStyle) {
  const Fixture f;
  const Folder folder;
  for (const auto& [name, style] :
       {std::pair("a.hdf5", ResultStyle::gadget), std::pair("b.hdf5", ResultStyle::swift),
        std::pair("c.npz", ResultStyle::npz)}) {
    SCOPED_TRACE(name);
    const std::string path = folder / name;
    write_catalogue(path, f.content(), {.style = style, .compression = 1});
    const ResultFile file(path);
    EXPECT_EQ(file.style(), style);
    EXPECT_EQ(file.about().kind, ResultKind::fof);
    EXPECT_EQ(file.about().snapshot, "some where.hdf5");
    EXPECT_EQ(file.about().points, f.points.size());
    EXPECT_EQ(file.about().types, f.about.types);
    EXPECT_EQ(file.about().counts, f.about.counts);
    EXPECT_EQ(file.about().link_types, f.about.link_types);
    EXPECT_EQ(file.about().linking_length, f.about.linking_length);
    EXPECT_EQ(file.about().background.h, 0.7);
    EXPECT_EQ(file.about().units.mass, 1.989e43);
    EXPECT_TRUE(file.about().units.is_per_h);
    EXPECT_EQ(file.about().box.side(2), 1.0);
    expect_same(file.catalogue(), f.catalogue);
    EXPECT_EQ(file.catalogue().type_size, f.catalogue.type_size);
    EXPECT_EQ(file.label(), f.label());
    const std::vector<double> masses = file.numbers("virial_mass");
    ASSERT_EQ(masses.size(), f.catalogue.count());
    EXPECT_EQ(masses[3], 7.0);
  }
}

TEST(Results, LabelsFollowFromTheOrder) {
  const Fixture f;
  const Folder folder;
  CatalogueContent content = f.content();
  content.label = {};
  for (const char* name : {"a.hdf5", "c.npz"}) {
    write_catalogue(folder / name, content);
    EXPECT_EQ(ResultFile(folder / name).label(), f.label()) << name;
  }
  content.members = nullptr;
  write_catalogue(folder / "a.hdf5", content);
  EXPECT_TRUE(ResultFile(folder / "a.hdf5").label().empty());
}

TEST(Results, SubhalosComeFirstInTheirGroup) {
  const Fixture f;
  ASSERT_GT(f.subhalos.parent.size(), 3u);
  const Folder folder;
  CatalogueContent content = f.content();
  content.about.kind = ResultKind::subhalos;
  content.subhalos = &f.subhalos;
  content.label = {};
  for (const char* name : {"a.hdf5", "c.npz"}) {
    write_catalogue(folder / name, content);
    const ResultFile file(folder / name);
    EXPECT_EQ(file.integers("subhalo_parent"), f.subhalos.parent);
    expect_same(file.subhalo_catalogue(), f.subhalos.catalogue, true);
    EXPECT_EQ(file.label(), f.label());
  }
  const ResultFile file(folder / "a.hdf5");
  const auto offset = file.integers("subhalo_type_offset"),
             size = file.integers("subhalo_type_size");
  for (std::size_t s = 0; s < f.subhalos.parent.size(); ++s) {
    std::vector<std::uint32_t> found;
    for (const std::size_t t : {1u, 4u}) {
      const std::string name = "order_" + std::to_string(t);
      for (const std::int64_t i : file.integers(name, static_cast<std::size_t>(offset[s * 6 + t]),
                                                static_cast<std::size_t>(size[s * 6 + t])))
        found.push_back(static_cast<std::uint32_t>(i + (t == 4 ? 100 : 0)));
    }
    const auto expected = f.subhalos.members.of(s);
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

TEST(Results, TheSameResultIsTheSameFile) {
  const Fixture f;
  const Folder folder;
  auto bytes = [&](const char* name, int threads) {
    write_catalogue(folder / name, f.content(), {}, {.threads = threads});
    return folder.read(name);
  };
  for (const char* name : {"a.hdf5", "c.npz", "d.csv"}) {
    const std::string first = bytes(name, 1);
    EXPECT_GT(first.size(), 1000u);
    EXPECT_EQ(first, bytes(name, 2));
  }
}

TEST(Results, NeighborsSurvive) {
  const Fixture f;
  const Folder folder;
  const Tree tree(view(f.points), {.box = f.box});
  const auto near = knn(tree, {.k = 5, .max_radius = 0.01});
  const auto lists = radius(tree, {.radius = 0.01});
  ResultAbout about = f.about;
  about.k = 5;
  about.max_radius = 0.01;
  for (const char* name : {"n.hdf5", "n.npz"}) {
    about.kind = ResultKind::knn;
    write_neighbors(folder / name, about, near);
    const ResultFile rows(folder / name);
    EXPECT_EQ(rows.about().max_radius, 0.01);
    EXPECT_EQ(rows.width("index"), 5u);
    const auto index = rows.integers("index", 17, 1);
    EXPECT_TRUE(std::equal(index.begin(), index.end(), near.index(17).begin()));
    about.kind = ResultKind::radius;
    write_neighbors(folder / name, about, lists);
    const ResultFile file(folder / name);
    EXPECT_EQ(file.integers("offset").back(), static_cast<std::int64_t>(lists.total()));
    EXPECT_EQ(file.rows("distance"), lists.total());
  }
}

TEST(Results, EmptyCataloguesAreFiles) {
  const Folder folder;
  const std::vector<std::array<float, 3>> points{{0, 0, 0}, {1, 1, 1}};
  const Groups groups = fof(view(points), {.linking_length = 0.1, .min_size = 2});
  const Members members = kith::members(groups);
  const Catalogue catalogue = kith::catalogue(view(points), members);
  const ResultAbout about{.points = 2, .linking_length = 0.1, .min_size = 2};
  for (const char* name : {"a.hdf5", "c.npz", "d.csv"}) {
    write_catalogue(folder / name, {.about = about, .catalogue = &catalogue, .members = &members});
    if (std::string(name) == "d.csv") continue;
    const ResultFile file(folder / name);
    EXPECT_EQ(file.catalogue().count(), 0u);
    EXPECT_EQ(file.label(), (std::vector<std::int32_t>{-1, -1}));
  }
}

TEST(Results, ErrorsNameTheFact) {
  const Fixture f;
  const Folder folder;
  const auto write = [&](const char* name, ResultStyle style = ResultStyle::automatic) {
    write_catalogue(folder / name, f.content(), {.style = style});
  };
  expect_error(ErrorCode::invalid_argument, "unknown file format", [&] { write("a.fits"); });
  expect_error(ErrorCode::invalid_argument, "style swift makes files that end in .hdf5",
               [&] { write("a.npz", ResultStyle::swift); });
  expect_error(ErrorCode::invalid_argument, "compression = 11",
               [&] { write_catalogue(folder / "a.hdf5", f.content(), {.compression = 11}); });
  CatalogueContent content = f.content();
  content.label = content.label.subspan(1);
  expect_error(ErrorCode::invalid_argument, "labels for",
               [&] { write_catalogue(folder / "a.hdf5", content); });
  CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "",
               [&] { write_catalogue(folder / "a.hdf5", f.content(), {}, {.cancel = &token}); });
  EXPECT_TRUE(folder.names().empty());
  expect_error(ErrorCode::io, "missing.hdf5", [&] { ResultFile(folder / "missing.hdf5"); });
  std::ofstream(folder / "text.npz") << "no archive";
  expect_error(ErrorCode::io, "neither HDF5 nor .npz", [&] { ResultFile(folder / "text.npz"); });
}

TEST(Results, UnitsHaveNames) {
  const Units units{.length = 3.085678e24, .mass = 1.989e43, .velocity = 1e5, .is_per_h = true};
  EXPECT_EQ(unit_name(units, {.length = 1}), "Mpc/h");
  EXPECT_EQ(unit_name(units, {.mass = 1}), "1e10 Msun/h");
  EXPECT_EQ(unit_name(units, {.velocity = 1}), "km/s");
  EXPECT_EQ(unit_name(units, {.length = -3, .mass = 1}), "1e10 Msun/h (Mpc/h)^-3");
  EXPECT_EQ(unit_name({.length = 3.0857e21}, {.length = 2}), "kpc^2");
  EXPECT_EQ(unit_name({.length = 3.0857e21}, {.mass = 1}), "");
  EXPECT_EQ(unit_name({.length = 300 * 3.0856775814913673e24}, {.length = 1}), "(300 Mpc)");
}

}  // namespace
}  // namespace kith
