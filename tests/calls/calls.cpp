#include "calls/calls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace kith::test {
namespace {

std::vector<double> in_double(const sample::Points& points) {
  return {points.coordinates.begin(), points.coordinates.end()};
}

PointsView view64(const Scene& scene) {
  return view(scene.points64.data(), scene.points.size(), scene.points.dimension);
}

double spacing(const Scene& scene) {
  return std::pow(1.0 / static_cast<double>(scene.points.size() + 1), 1.0 / 3);
}

/// 1 to n. Calls must not make it themselves: memory that they ask for fails on purpose.
std::vector<std::uint64_t> ids_of(std::size_t n) {
  std::vector<std::uint64_t> id(n);
  std::iota(id.begin(), id.end(), 1);
  return id;
}

/// Of the same halos at three times.
HaloLinks links_of(const Scene& scene) {
  const std::vector<std::uint64_t> id = ids_of(scene.points.size());
  HaloLinker linker;
  for (int snapshot = 0; snapshot < 3; ++snapshot)
    linker.add({id, scene.groups.label(), scene.groups.count()});
  return linker.links();
}

}  // namespace

Scene::Scene(sample::Points sample, Box space, std::string place)
    : points(std::move(sample)),
      points64(in_double(points)),
      box(space),
      folder(std::move(place)),
      tree(points.view(), {.box = box}),
      cells(points.view(), {.box = box, .builder = Builder::cells, .max_leaf_size = 8}),
      tree64(view64(*this), {.box = box}),
      mass(points.size(), 1.5),
      fof_options{.box = box, .linking_length = 0.4 * spacing(*this), .min_size = 2},
      groups(fof(points.view(), fof_options)),
      halos(members(groups)),
      table(catalogue(points.view(), halos, {.box = box, .velocity = points.view()})),
      centers(table.center),
      radius(1.5 * spacing(*this)) {
  const auto d = static_cast<std::size_t>(points.dimension);
  if (centers.size() > 30 * d) centers.resize(30 * d);
}

std::vector<Call> core_calls(const Scene& s) {
  const View<float> points = s.points.view();
  const RadiusOptions ball{.radius = s.radius};
  const auto radii =
      std::make_shared<std::vector<double>>(std::vector<double>{s.radius / 2, s.radius});
  const auto pairs = std::make_shared<PairHistogramOptions>(
      PairHistogramOptions{.bins = {.separation = Separation::rp_pi,
                                    .edges = {0, s.radius},
                                    .pi_max = s.radius,
                                    .pi_bins = 3},
                           .box = s.box});
  const auto regions = std::make_shared<CorrelationOptions>(
      CorrelationOptions{.bins = {.edges = {0, s.radius}}, .box = s.box, .regions = 3});
  const OverdensityOptions edges{.density = {20.0 * static_cast<double>(s.points.size())}};
  const auto typed = std::make_shared<std::vector<TypedPoints>>(
      std::vector<TypedPoints>{{points, Role::linked}, {points, Role::attached}});
  const auto lengths =
      std::make_shared<std::vector<double>>(s.points.size(), s.fof_options.linking_length);
  for (std::size_t i = 0; i < lengths->size(); i += 2) (*lengths)[i] *= 1.2;
  const auto labels = std::make_shared<std::vector<std::int32_t>>(s.points.size(), -1);
  for (std::size_t i = 0; i < std::min<std::size_t>(4000, labels->size()); ++i)
    (*labels)[i] = static_cast<std::int32_t>(i % 4);
  const auto atoms = std::make_shared<AtomSystem>(AtomSystem{points, {}});
  for (std::size_t k = 0; k < static_cast<std::size_t>(std::min(s.points.dimension, 3)); ++k)
    atoms->lattice.vectors[k][k] = 1, atoms->lattice.periodic[k] = true;
  std::vector<Call> calls = {
      {"neighbor_list",
       [=, &s](const Execution& e) { neighbor_list(*atoms, {.cutoff = s.radius}, e); }},
      {"cells::fof",
       [=, &s](const Execution& e) {
         cells::fof(*atoms, {.linking_length = s.radius, .min_size = 2, .keep_roots = true}, e);
       }},
      {"cells::knn", [=](const Execution& e) { cells::knn(*atoms, {.k = 5}, e); }},
      {"cells::radius_count",
       [=, &s](const Execution& e) { cells::radius_count(*atoms, {.radius = s.radius}, e); }},
      {"fof, a length for each point",
       [=, &s](const Execution& e) {
         fof(points, {*lengths}, {.box = s.box, .min_size = 2}, e);
       }},
      {"Tree", [=, &s](const Execution& e) { Tree(points, {.box = s.box}, e); }},
      {"Tree, cells",
       [=, &s](const Execution& e) {
         Tree(points, {.box = s.box, .builder = Builder::cells, .max_leaf_size = 8}, e);
       }},
      {"Tree, z, double",
       [=, &s](const Execution& e) {
         AnyTree(view64(s), {.box = s.box, .curve = Curve::z, .non_finite = NonFinite::drop}, e);
       }},
      {"Tree, kd",
       [=, &s](const Execution& e) { Tree(points, {.box = s.box, .curve = Curve::kd}, e); }},
      {"Tree::order", [&s](const Execution&) { s.tree.order(); }},
      {"Tree::coordinates", [&s](const Execution&) { s.tree.coordinates(); }},
      {"Tree::node", [&s](const Execution&) { s.tree.node(0, 0); }},
      {"Tree::cell", [&s](const Execution&) { s.cells.cell(0, 0); }},
      {"Tree::nodes, wrong",
       [&s](const Execution&) {
         try {
           s.tree.nodes(99);
         } catch (const Error& error) {
           if (error.code() != ErrorCode::invalid_argument) throw;
         }
       }},
      {"Tree::check", [&s](const Execution&) { s.tree.check(); }},
      {"knn", [&s](const Execution& e) { knn(s.tree, {.k = 8}, e); }},
      {"knn, walk",
       [&s](const Execution& e) { knn(s.tree, {.k = 8, .method = KnnMethod::walk}, e); }},
      {"knn, queries", [=, &s](const Execution& e) { knn(s.tree, points, {.k = 8}, e); }},
      {"knn, cells, 64 bits",
       [=, &s](const Execution& e) { knn<float, std::int64_t>(s.cells, points, {.k = 70}, e); }},
      {"knn, p = 1", [&s](const Execution& e) { knn<double>(s.tree64, {.k = 8, .p = 1}, e); }},
      {"KnnSearcher",
       [&s](const Execution&) {
         KnnSearcher<float> searcher(s.tree, {.k = 5});
         std::int32_t index[5];
         float distance[5];
         searcher(s.points.coordinates.data(), index, distance);
       }},
      {"KnnSearcher, kept",
       [kept = std::make_shared<KnnSearcher<float>>(s.tree, KnnOptions{.k = 70}), &s,
        rows = std::make_shared<std::pair<std::vector<std::int32_t>, std::vector<float>>>(
            std::vector<std::int32_t>(70), std::vector<float>(70))](const Execution&) {
         (*kept)(s.points.coordinates.data() + 3, rows->first.data(), rows->second.data());
       }},
      {"radius_count", [=, &s](const Execution& e) { radius_count(s.tree, ball, e); }},
      {"radius_count, queries",
       [=, &s](const Execution& e) { radius_count(s.tree, points, ball, e); }},
      {"radius", [=, &s](const Execution& e) { kith::radius(s.tree, ball, e); }},
      {"radius, queries, p = 1",
       [=, &s](const Execution& e) {
         kith::radius(s.tree, points, {.radius = s.radius, .max_neighbors = 3, .p = 1}, e);
       }},
      {"radius_pairs", [=, &s](const Execution& e) { radius_pairs(s.tree, ball, e); }},
      {"for_each_pair",
       [=, &s](const Execution& e) {
         for_each_pair<float>(
             s.tree, ball, [](const Neighborhood<float>&) {}, e);
       }},
      {"for_each_neighborhood",
       [&s](const Execution& e) {
         for_each_neighborhood<float>(
             s.tree, {.k = 4}, [](const Neighborhood<float>&) {}, e);
       }},
      {"pair_counts",
       [=, &s](const Execution& e) { pair_counts(s.tree, s.tree, {.radii = *radii}, e); }},
      {"weighted_pair_counts",
       [=, &s](const Execution& e) {
         weighted_pair_counts(s.tree, s.tree, {s.mass, s.mass}, {.radii = *radii}, e);
       }},
      {"pair_histogram, (rp, pi), weights",
       [=, &s](const Execution& e) { pair_histogram({points, s.mass}, *pairs, e); }},
      {"correlation, regions",
       [=](const Execution& e) { correlation({points}, {points}, *regions, e); }},
      {"kth_distance", [&s](const Execution& e) { kth_distance(s.tree, {.k = 4}, e); }},
      {"mean_distance", [&s](const Execution& e) { mean_distance(s.cells, {.k = 4}, e); }},
      {"sph_density",
       [&s](const Execution& e) { sph_density(s.tree, {.k = 12, .mass = s.mass}, e); }},
      {"fof", [=, &s](const Execution& e) { fof(points, s.fof_options, e); }},
      {"fof, cells",
       [&s](const Execution& e) {
         FofOptions options = s.fof_options;
         options.keep_roots = true;
         fof(s.cells, options, e);
       }},
      {"fof, types", [=, &s](const Execution& e) { fof(*typed, s.fof_options, e); }},
      {"Groups::sizes", [&s](const Execution&) { s.groups.sizes(); }},
      {"Groups::lowest_members", [&s](const Execution&) { s.groups.lowest_members(); }},
      {"members", [&s](const Execution& e) { members(s.groups, e); }},
      {"catalogue",
       [=, &s](const Execution& e) {
         catalogue(points, s.groups, {.box = s.box, .velocity = points}, e);
       }},
      {"centers",
       [=, &s](const Execution& e) { centers(points, s.halos, {.box = s.box, .softening = 0.01}, e); }},
      {"centers, shrinking",
       [=, &s](const Execution& e) {
         centers(points, s.halos, {.box = s.box, .kind = CenterKind::shrinking}, e);
       }},
      {"match",
       [&s, id = ids_of(s.points.size())](const Execution& e) {
         match({id, s.groups.label()}, {id, s.groups.label()}, {}, e);
       }},
      {"HaloLinker",
       [&s, id = ids_of(s.points.size())](const Execution& e) {
         HaloLinker linker;
         for (int snapshot = 0; snapshot < 3; ++snapshot) linker.add({id, s.groups.label()}, e);
       }},
      {"merger_trees",
       [links = links_of(s), members = std::vector<std::int64_t>(3 * s.groups.count(), 1)](
           const Execution& e) { merger_trees(links, members, MainBranch::history, e); }},
      {"OrphanFollower",
       [&s, id = ids_of(s.points.size()), links = links_of(s),
        members = std::vector<std::int64_t>(3 * s.groups.count(), 1)](const Execution& e) {
         OrphanFollower follower(links, members, MainBranch::history, e);
         for (int snapshot = 0; snapshot < 3; ++snapshot)
           follower.add({id, s.groups.label(), s.groups.count()}, e);
         merger_trees(follower.links(), follower.members(), MainBranch::history, e);
       }},
      {"redshift_fof",
       [=, &s](const Execution& e) { redshift_fof(points, s.fof_options, {.stretch = 2}, e); }},
      {"redshift_fof, midpoint",
       [=, &s](const Execution& e) {
         FofOptions open = s.fof_options;
         open.box = {};
         redshift_fof(points, open, {.line_of_sight = LineOfSight::midpoint, .stretch = 2}, e);
       }},
      {"rows", [&s](const Execution&) { rows(s.table, {.order = RowOptions::Order::position}); }},
      {"peak_members",
       [&s](const Execution& e) { peak_members(s.halos, values(s.mass), Peak::largest, e); }},
      {"overdensities",
       [=, &s](const Execution& e) { overdensities(s.tree, s.centers, edges, e); }},
      {"subhalos",
       [=, &s](const Execution& e) {
         subhalos(points, s.halos,
                  {.box = s.box, .velocity = points, .linking_length = 0.5, .min_size = 2}, e);
       }},
      {"subhalos, subfind",
       [=, &s](const Execution& e) {
         subhalos(points, s.halos,
                  {.box = s.box, .velocity = points, .min_size = 2, .gravity = 1, .softening = 0.01}, e);
       }},
      {"subhalos, phase",
       [=, &s](const Execution& e) {
         subhalos(points, s.halos,
                  {.method = SubhaloMethod::phase,
                   .box = s.box,
                   .velocity = points,
                   .min_size = 2,
                   .gravity = 1,
                   .softening = 0.01},
                  e);
       }},
      {"dbscan",
       [=, &s](const Execution& e) {
         dbscan(points, {.box = s.box, .eps = s.fof_options.linking_length, .min_samples = 3}, e);
       }},
      {"dbscan, cells, sklearn",
       [&s](const Execution& e) {
         dbscan(s.cells,
                {.eps = s.fof_options.linking_length,
                 .min_samples = 3,
                 .border = Border::sklearn,
                 .border_links = 2},
                e);
       }},
      {"spanning_tree",
       [=, &s](const Execution& e) { spanning_tree(points, {.box = s.box}, e).length(); }},
      {"spanning_tree, core_k",
       [&s](const Execution& e) { spanning_tree(s.cells, {.core_k = 3}, e); }},
      {"hierarchy",
       [&s](const Execution& e) {
         const Hierarchy all = hierarchy(s.tree, {}, e);
         all.linkage();
         all.groups({.linking_length = s.fof_options.linking_length, .keep_roots = true}, e);
         all.count(std::array{0.1, 0.2}, 2);  // a vector would allocate in the test itself
         all.branches(2);
       }},
      {"hdbscan",
       [=, &s](const Execution& e) {
         hdbscan(points, {.box = s.box, .condense = {.min_cluster_size = 3}}, e);
       }},
      {"dbscan, weights",
       [=, &s](const Execution& e) {
         dbscan(points,
                {.box = s.box,
                 .eps = s.fof_options.linking_length,
                 .min_samples = 3,
                 .sample_weight = s.mass},
                e);
       }},
      {"hdbscan, weights",
       [=, &s](const Execution& e) {
         hdbscan(points,
                 {.box = s.box, .condense = {.min_cluster_size = 3}, .sample_weight = s.mass}, e);
       }},
      {"memberships",
       [=, &s](const Execution& e) {
         const Hierarchy all = hierarchy(s.tree, {.core_k = 3}, e);
         const HdbscanClusters few =
             condense(all, {.min_cluster_size = std::max<std::size_t>(2, points.size / 40)}, e);
         memberships(s.tree, all, few, e);
         memberships(s.tree, all, few, points, e);
       }},
      {"dbcv", [=](const Execution& e) { dbcv(points, *labels, e); }},
      {"predict",
       [=, &s](const Execution& e) {
         const Hierarchy all = hierarchy(s.tree, {.core_k = 3}, e);
         predict(s.tree, all, condense(all, {}, e), points, e);
       }},
      {"edge_density", [](const Execution&) { edge_density(Edge::virial, {}); }},
      {"Box, wrong",
       [](const Execution&) {
         try {
           Box::periodic({1, -1, 1});
         } catch (const Error& error) {
           if (error.code() != ErrorCode::invalid_argument) throw;
         }
       }},
      {"Workspace", [](const Execution&) { Workspace(); }},
      {"CancelToken", [](const Execution&) { CancelToken(); }},
  };
  for (Call& call : gradient_calls(s)) calls.push_back(std::move(call));
  for (Call& call : forest_calls(s)) calls.push_back(std::move(call));
  for (Call& call : sky_calls(s)) calls.push_back(std::move(call));
  return calls;
}

std::vector<Call> sample_calls(std::size_t n) {
  using namespace sample;
  const std::vector<double> waves{0.1, 1};
  const auto side = static_cast<std::size_t>(std::cbrt(static_cast<double>(n)));
  return {
      {"uniform", [=](const Execution& e) { uniform({.n = n}, e); }},
      {"normal", [=](const Execution& e) { normal({.n = n}, e); }},
      {"grid", [=](const Execution& e) { grid({.n = side}, e); }},
      {"plummer", [=](const Execution& e) { plummer({.n = n}, e); }},
      {"nfw", [=](const Execution& e) { nfw({.n = n}, e); }},
      {"shells", [=](const Execution& e) { shells({.n = n}, e); }},
      {"lines", [=](const Execution& e) { lines({.n = n}, e); }},
      {"all_equal", [=](const Execution& e) { all_equal({.n = n}, e); }},
      {"half_identical", [=](const Execution& e) { half_identical({.n = n}, e); }},
      {"cosmology", [](const Execution& e) { cosmology({.n = 8, .a_end = 0.1, .steps = 1}, e); }},
      {"linear_power", [=](const Execution&) { linear_power({}, waves); }},
      {"linear_growth", [](const Execution&) { linear_growth({}, 0.5); }},
      {"mass_function, counted",
       [](const Execution&) {
         const double mass[] = {1, 10, 20, 1000};
         mass_function(mass, {.volume = 10});
       }},
      {"mass_function, theory",
       [](const Execution&) {
         const double mass[] = {1e12, 1e13};
         mass_function(Multiplicity::sheth_tormen, {}, mass);
       }},
      {"sigma_of_mass",
       [](const Execution&) {
         const double mass[] = {1e12, 1e13};
         sigma_of_mass({}, mass);
       }},
  };
}

namespace {

ResultAbout about(const Scene& s) {
  ResultAbout about;
  about.points = s.points.size();
  about.dimension = s.points.dimension;
  about.box = s.box;
  about.linking_length = s.fof_options.linking_length;
  return about;
}

void read_result_file(const std::string& path) {
  const ResultFile file(path);
  file.names();
  file.catalogue();
  file.label();
  file.numbers("mass");
}

void add_snapshots(std::vector<Call>& calls, const Scene& s) {
  for (const char* name : {"a.hdf5", "a.npy", "a.npz", "a.ply", "a.csv", "a.raw", "a.gadget2"}) {
    const std::string path = s.file(name);
    SnapshotContent content{.position = s.points.view(), .velocity = s.points.view(), .box = s.box};
    calls.push_back({"write_snapshot " + std::string(name),
                     [=](const Execution& e) { write_snapshot(path, content, {}, e); }});
    write_snapshot(path, content);
    const auto room = std::make_shared<std::vector<float>>(s.points.coordinates.size());
    calls.push_back({"Snapshot " + std::string(name), [=](const Execution& e) {
                       const Snapshot snapshot(path);
                       snapshot.size();
                       snapshot.has(Field::velocity);
                       snapshot.read(Field::position, std::span<float>(*room), {}, e);
                     }});
  }
}

void add_other_files(std::vector<Call>& calls, const Scene& s) {
  const std::string from = s.file("a.hdf5"), to = s.file("sorted.hdf5");
  const auto rows = std::make_shared<std::vector<std::uint32_t>>(s.points.size());
  std::iota(rows->rbegin(), rows->rend(), 0U);
  calls.push_back({"write_sorted_snapshot", [=](const Execution& e) {
                     const TypeOrder order{.type = 1, .row = *rows};
                     write_sorted_snapshot(to, Snapshot(from), {&order, 1}, e);
                   }});
  const std::string place = from + ":/PartType1";
  calls.push_back({"Snapshot of datasets", [=](const Execution&) { Snapshot{place}; }});
  const std::string units = "kpc/h,1e10 Msun/h,km/s", cosmology = "omega_m=0.3,h=0.7";
  calls.push_back({"parse_units", [=](const Execution&) {
                     parse_units(units);
                     parse_cosmology(cosmology);
                   }});
}

void add_results(std::vector<Call>& calls, const Scene& s) {
  for (const char* name : {"r.hdf5", "swift.hdf5", "r.npz", "r.csv"}) {
    const std::string path = s.file(name);
    const ResultWriteOptions options{.style = name[0] == 's' ? ResultStyle::swift
                                                             : ResultStyle::automatic};
    const CatalogueContent content{
        .about = about(s), .catalogue = &s.table, .members = &s.halos, .label = s.groups.label()};
    calls.push_back({"write_catalogue " + std::string(name),
                     [=](const Execution& e) { write_catalogue(path, content, options, e); }});
    write_catalogue(path, content, options);
    if (path.ends_with(".csv")) continue;
    calls.push_back(
        {"ResultFile " + std::string(name), [=](const Execution&) { read_result_file(path); }});
  }
  const auto found = std::make_shared<Neighbors<>>(knn(s.tree, {.k = 3}));
  const auto lists = std::make_shared<NeighborLists<>>(kith::radius(s.tree, {.radius = s.radius}));
  ResultAbout of_rows = about(s), of_lists = about(s);
  of_rows.kind = ResultKind::knn;
  of_lists.kind = ResultKind::radius;
  const std::string row_file = s.file("k.hdf5"), list_file = s.file("l.npz");
  calls.push_back({"write_neighbors",
                   [=](const Execution& e) { write_neighbors(row_file, of_rows, *found, {}, e); }});
  calls.push_back({"write_neighbors, lists", [=](const Execution& e) {
                     write_neighbors(list_file, of_lists, *lists, {}, e);
                   }});
  calls.push_back({"unit_name", [](const Execution&) {
                     unit_name({.length = 3.085678e24, .is_per_h = true}, {.length = 2});
                   }});
}

void add_drawings(std::vector<Call>& calls, const Scene& s) {
  const View<float> points = s.points.view();
  const PictureOptions small{.box = s.box, .size = 48};
  const auto options =
      std::make_shared<FigureOptions>(FigureOptions{.view = small, .title = "points^{2}"});
  const auto curves = std::make_shared<Plot>(
      Plot{.title = "curve", .series = {{.name = "a", .x = {1, 2, 3}, .y = {3, 1, 2}}}});
  const auto drawing = std::make_shared<Drawing>(plot(*curves));
  const auto image = std::make_shared<Picture>(picture(points, small));
  calls.push_back({"picture", [=](const Execution& e) { picture(points, small, e); }});
  calls.push_back({"figure", [=](const Execution& e) { figure(points, *options, e); }});
  calls.push_back({"plot", [=](const Execution&) { plot(*curves); }});
  calls.push_back({"Drawing::svg", [=](const Execution&) { drawing->svg(); }});
  calls.push_back({"Drawing::picture", [=](const Execution&) { drawing->picture(0.3); }});
  const std::string svg = s.file("d.svg"), png = s.file("d.png");
  calls.push_back(
      {"write_drawing svg", [=](const Execution& e) { write_drawing(svg, *drawing, 1, e); }});
  calls.push_back(
      {"write_drawing png", [=](const Execution& e) { write_drawing(png, *drawing, 0.3, e); }});
  calls.push_back({"write_png", [=](const Execution& e) { write_png(png, *image, e); }});
}

void add_trees(std::vector<Call>& calls, const Scene& s) {
  const std::string first = s.file("t.kith"), second = s.file("t2.kith");
  save(s.tree, first);
  calls.push_back({"save", [=, &s](const Execution& e) { save(s.tree, second, e); }});
  calls.push_back({"load", [=](const Execution& e) { load(first, {}, e); }});
  const auto bytes = std::make_shared<std::vector<std::byte>>(saved_size(s.tree));
  save(s.tree, std::span<std::byte>(*bytes));
  calls.push_back({"save, bytes",
                   [=, &s](const Execution& e) { save(s.tree, std::span<std::byte>(*bytes), e); }});
  calls.push_back({"load, bytes",
                   [=](const Execution& e) { load(std::span<const std::byte>(*bytes), {}, e); }});
}

}  // namespace

std::vector<Call> file_calls(const Scene& scene) {
  std::vector<Call> calls;
  add_trees(calls, scene);
  for (Call& call : forest_file_calls(scene)) calls.push_back(std::move(call));
  for (Call& call : stored_calls(scene)) calls.push_back(std::move(call));
  add_snapshots(calls, scene);
  add_other_files(calls, scene);
  add_results(calls, scene);
  add_drawings(calls, scene);
  return calls;
}

}  // namespace kith::test
