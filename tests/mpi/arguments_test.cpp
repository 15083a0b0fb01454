// Wrong arguments of one rank, or of all: the error of one process on every rank.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/refusals.hpp"
#include "mpi/scenes.hpp"

namespace kith::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Everything that the calls need, in one process and over ranks; on each rank the same points.
struct ArgumentScene {
  static constexpr std::size_t kPoints = 60;

  explicit ArgumentScene(MPI_Comm on)
      : comm(on),
        set(scene_points<float>(Shape::uniform, 3, kPoints, 5)),
        wide(scene_points<double>(Shape::uniform, 3, kPoints, 5)),
        flat(scene_points<float>(Shape::uniform, 2, kPoints, 5)),
        many(scene_points<float>(Shape::uniform, 4, kPoints, 5)),
        tree(set.view()),
        tree_of_many(many.view()),
        tree_of_flat(flat.view()),
        boxed(set.view(), {.box = Box::periodic(2)}),
        domains(mpi::Domains::curve(comm, set.view())),
        domains_of_many(mpi::Domains::curve(comm, many.view())),
        domains_of_flat(mpi::Domains::curve(comm, flat.view())),
        domains_in_box(mpi::Domains::curve(comm, set.view(), {.tree = {.box = Box::periodic(2)}})),
        groups(fof(tree, {.linking_length = 0.3})),
        mpi_groups(mpi::fof(domains, {.linking_length = 0.3})) {}

  MPI_Comm comm;
  PointSet<float> set;
  PointSet<double> wide;
  PointSet<float> flat, many;
  AnyTree tree, tree_of_many, tree_of_flat, boxed;
  mpi::Domains domains, domains_of_many, domains_of_flat, domains_in_box;
  Groups groups;
  mpi::Groups mpi_groups;
  std::vector<double> ones = std::vector<double>(kPoints, 1.0), short_ones{1, 1, 1};
  std::vector<double> centers{0.5, 0.5, 0.5, 0.2, 0.2, 0.2};
};

/// One wrong argument: the call of one process, and that of ranks, which is right elsewhere.
struct WrongArgument {
  std::string name;
  std::function<void(const ArgumentScene&)> alone;
  std::function<void(const ArgumentScene&, bool is_wrong)> over_ranks;
  bool has_same_text = true;  ///< else only the fact that both refuse
  bool is_shared = false;     ///< wrong on one rank alone, it differs from those of the others
};

std::vector<double> spoiled(const std::vector<double>& values, double by) {
  std::vector<double> result = values;
  result[1] = by;
  return result;
}

using Wrongs = std::vector<WrongArgument>;

void add_nearest(Wrongs& wrongs) {
  const auto add = [&](const char* name, KnnOptions wrong) {
    const KnnOptions right{.k = 3};
    wrongs.push_back({std::string("knn: ") + name,
                      [=](const ArgumentScene& s) { knn<float>(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::knn(s.domains, is_wrong ? wrong : right);
                      }});
    wrongs.push_back({std::string("kth_distance: ") + name,
                      [=](const ArgumentScene& s) { kth_distance(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::kth_distance(s.domains, is_wrong ? wrong : right);
                      }});
    wrongs.push_back({std::string("mean_distance: ") + name,
                      [=](const ArgumentScene& s) { mean_distance(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::mean_distance(s.domains, is_wrong ? wrong : right);
                      }});
    wrongs.push_back({std::string("for_each_neighborhood: ") + name,
                      [=](const ArgumentScene& s) {
                        for_each_neighborhood<float>(s.tree, wrong, [](const auto&) {});
                      },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::for_each_neighborhood<float>(s.domains, is_wrong ? wrong : right,
                                                          [](const auto&) {});
                      }});
  };
  add("k", {.k = 0});
  add("negative radius", {.k = 3, .max_radius = -1});
  add("NaN radius", {.k = 3, .max_radius = kNaN});
  add("norm", {.k = 3, .p = 0.5});
  add("NaN norm", {.k = 3, .p = kNaN});
  wrongs.push_back({"knn: scalar", [](const ArgumentScene& s) { knn<double>(s.tree, {.k = 3}); },
                    [](const ArgumentScene& s, bool is_wrong) {
                      if (is_wrong)
                        mpi::knn<double>(s.domains, {.k = 3});
                      else
                        mpi::knn<float>(s.domains, {.k = 3});
                    },
                    false});
}

using ViewOfScene = std::function<PointsView(const ArgumentScene&)>;

void add_queries(Wrongs& wrongs) {
  const auto add = [&](const char* name, const ViewOfScene& view_of) {
    wrongs.push_back({std::string("knn of queries: ") + name,
                      [=](const ArgumentScene& s) { knn<float>(s.tree, view_of(s), {.k = 3}); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::knn(s.domains, is_wrong ? view_of(s) : s.set.view(), {.k = 3});
                      },
                      std::string_view(name) != "scalar"});
    wrongs.push_back(
        {std::string("radius of queries: ") + name,
         [=](const ArgumentScene& s) { radius_count(s.tree, view_of(s), {.radius = 0.1}); },
         [=](const ArgumentScene& s, bool is_wrong) {
           mpi::radius_count(s.domains, is_wrong ? view_of(s) : s.set.view(), {.radius = 0.1});
         }});
  };
  add("dimension", [](const ArgumentScene& s) { return s.flat.view(); });
  add("scalar", [](const ArgumentScene& s) { return s.wide.view(); });
  add("null", [](const ArgumentScene&) { return PointsView{nullptr, 5, 3, 3, Scalar::float32}; });
  add("stride", [](const ArgumentScene& s) {
    PointsView view = s.set.view();
    view.stride = 2;
    return view;
  });
  wrongs.push_back({"knn of queries: exclude_self",
                    [](const ArgumentScene& s) {
                      knn<float>(s.tree, s.set.view(), {.k = 3, .exclude_self = true});
                    },
                    [](const ArgumentScene& s, bool is_wrong) {
                      mpi::knn(s.domains, s.set.view(), {.k = 3, .exclude_self = is_wrong});
                    }});
}

void add_balls(Wrongs& wrongs) {
  const auto add = [&](const char* name, auto wrong) {
    wrongs.push_back({std::string("radius: ") + name,
                      [=](const ArgumentScene& s) { radius_count(s.tree, wrong(s)); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::radius_count(s.domains,
                                          is_wrong ? wrong(s) : RadiusOptions{.radius = 0.1});
                      }});
    wrongs.push_back({std::string("radius lists: ") + name,
                      [=](const ArgumentScene& s) { radius<float>(s.tree, wrong(s)); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::radius<float>(s.domains,
                                           is_wrong ? wrong(s) : RadiusOptions{.radius = 0.1});
                      }});
  };
  add("negative", [](const ArgumentScene&) { return RadiusOptions{.radius = -1}; });
  add("NaN", [](const ArgumentScene&) { return RadiusOptions{.radius = kNaN}; });
  add("norm", [](const ArgumentScene&) { return RadiusOptions{.radius = 1, .p = 0.1}; });
  add("radii", [](const ArgumentScene& s) { return RadiusOptions{.radii = s.short_ones}; });
  add("both", [](const ArgumentScene& s) { return RadiusOptions{.radius = 1, .radii = s.ones}; });
  static const std::vector<double> negative = spoiled(std::vector<double>(60, 1.0), -1);
  add("negative radii", [](const ArgumentScene&) { return RadiusOptions{.radii = negative}; });
}

void add_densities(Wrongs& wrongs) {
  wrongs.push_back({"sph_density: k", [](const ArgumentScene& s) { sph_density(s.tree, {.k = 0}); },
                    [](const ArgumentScene& s, bool is_wrong) {
                      mpi::sph_density(s.domains, {.k = is_wrong ? 0u : 3u});
                    }});
  wrongs.push_back(
      {"sph_density: masses",
       [](const ArgumentScene& s) { sph_density(s.tree, {.k = 3, .mass = s.short_ones}); },
       [](const ArgumentScene& s, bool is_wrong) {
         mpi::sph_density(s.domains, {.k = 3, .mass = is_wrong ? s.short_ones : s.ones});
       }});
  wrongs.push_back(
      {"sph_density: dimension",
       [](const ArgumentScene& s) { sph_density(s.tree_of_many, {.k = 3}); },
       [](const ArgumentScene& s, bool) { mpi::sph_density(s.domains_of_many, {.k = 3}); }});
}

void add_pairs(Wrongs& wrongs) {
  static const std::vector<double> right{0.1, 0.2}, negative{-1, 0.2}, falling{0.2, 0.1};
  const auto add = [&](const char* name, PairCountOptions wrong) {
    wrongs.push_back({std::string("pair_counts: ") + name,
                      [=](const ArgumentScene& s) { pair_counts(s.tree, s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::pair_counts(s.domains, s.domains,
                                         is_wrong ? wrong : PairCountOptions{.radii = right});
                      }});
  };
  add("negative", {.radii = negative});
  add("falling", {.radii = falling, .cumulative = false});
  add("norm", {.radii = right, .p = 0});
  wrongs.push_back(
      {"pair_counts: dimension",
       [](const ArgumentScene& s) { pair_counts(s.tree, s.tree_of_flat, {.radii = right}); },
       [](const ArgumentScene& s, bool) {
         mpi::pair_counts(s.domains, s.domains_of_flat, {.radii = right});
       }});
  wrongs.push_back({"pair_counts: box",
                    [](const ArgumentScene& s) { pair_counts(s.tree, s.boxed, {.radii = right}); },
                    [](const ArgumentScene& s, bool) {
                      mpi::pair_counts(s.domains, s.domains_in_box, {.radii = right});
                    }});
}

void add_histograms(Wrongs& wrongs) {
  static const std::vector<double> nan = spoiled(std::vector<double>(60, 1.0), kNaN);
  const auto add = [&](const char* name, auto wrong) {
    const auto with = [=](const ArgumentScene& s, bool is_wrong, PairSet& set) {
      PairHistogramOptions options{.bins = {.edges = {0, 0.1}}};
      set.points = s.set.view();
      if (is_wrong) wrong(s, set, options);
      if (!is_wrong && !set.weight.empty()) set.weight = s.ones;
      return options;
    };
    wrongs.push_back({std::string("pair_histogram: ") + name,
                      [=](const ArgumentScene& s) {
                        PairSet set;
                        const PairHistogramOptions options = with(s, true, set);
                        pair_histogram(set, options);
                      },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        PairSet set;
                        const PairHistogramOptions options = with(s, is_wrong, set);
                        mpi::pair_histogram(s.comm, set, options);
                      }});
    wrongs.push_back({std::string("correlation: ") + name,
                      [=](const ArgumentScene& s) {
                        PairSet set;
                        const PairHistogramOptions options = with(s, true, set);
                        correlation(set, set, {.bins = options.bins, .box = options.box});
                      },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        PairSet set;
                        const PairHistogramOptions options = with(s, is_wrong, set);
                        mpi::correlation(s.comm, set, set,
                                         {.bins = options.bins, .box = options.box});
                      }});
  };
  add("edges", [](const ArgumentScene&, PairSet&, PairHistogramOptions& options) {
    options.bins.edges = {0.2, 0.1};
  });
  add("one edge", [](const ArgumentScene&, PairSet&, PairHistogramOptions& options) {
    options.bins.edges = {0.2};
  });
  add("weights", [](const ArgumentScene& s, PairSet& set, PairHistogramOptions&) {
    set.weight = s.short_ones;
  });
  add("NaN weights",
      [](const ArgumentScene&, PairSet& set, PairHistogramOptions&) { set.weight = nan; });
  add("scalar and angles", [](const ArgumentScene& s, PairSet& set, PairHistogramOptions& options) {
    set.points = s.flat.view();
    options.bins.separation = Separation::theta;
  });
  add("midpoints in a box", [](const ArgumentScene&, PairSet&, PairHistogramOptions& options) {
    options.bins.separation = Separation::s_mu;
    options.bins.line_of_sight = LineOfSight::midpoint;
    options.box = Box::periodic(1);
  });
  wrongs.push_back(
      {"correlation: one region",
       [](const ArgumentScene& s) {
         correlation({s.set.view()}, {s.set.view()}, {.bins = {.edges = {0, 0.1}}, .regions = 1});
       },
       [](const ArgumentScene& s, bool is_wrong) {
         mpi::correlation(s.comm, {s.set.view()}, {s.set.view()},
                          {.bins = {.edges = {0, 0.1}}, .regions = is_wrong ? 1u : 0});
       }});
}

void add_linking(Wrongs& wrongs) {
  const auto add = [&](const char* name, FofOptions wrong) {
    wrongs.push_back({std::string("fof: ") + name,
                      [=](const ArgumentScene& s) { fof(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::fof(s.domains, is_wrong ? wrong : FofOptions{.linking_length = 0.1});
                      }});
    wrongs.push_back({std::string("fof of types: ") + name,
                      [=](const ArgumentScene& s) {
                        const TypedPoints types[] = {{s.set.view(), Role::linked}};
                        fof(types, wrong);
                      },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        const TypedPoints types[] = {{s.set.view(), Role::linked}};
                        mpi::fof(s.comm, types,
                                 is_wrong ? wrong : FofOptions{.linking_length = 0.1});
                      }});
  };
  add("none", {});
  add("negative", {.linking_length = -1});
  add("NaN", {.linking_length = kNaN});
  add("both", {.linking_length = 1, .b = 0.2});
  add("open box", {.b = 0.2});
  wrongs[wrongs.size() - 2].is_shared = wrongs.back().is_shared = true;
  add("volume", {.linking_length = 1, .volume = 2});
  add("min_size", {.linking_length = 1, .min_size = 0});
  const auto add_types = [&](const char* name, const ViewOfScene& second) {
    wrongs.push_back(
        {std::string("fof of types: ") + name,
         [=](const ArgumentScene& s) {
           const TypedPoints types[] = {{s.set.view(), Role::linked}, {second(s), Role::attached}};
           fof(types, {.linking_length = 0.1});
         },
         [=](const ArgumentScene& s, bool is_wrong) {
           const TypedPoints types[] = {{s.set.view(), Role::linked},
                                        {is_wrong ? second(s) : s.set.view(), Role::attached}};
           mpi::fof(s.comm, types, {.linking_length = 0.1});
         }});
  };
  add_types("dimension", [](const ArgumentScene& s) { return s.flat.view(); });
  add_types("scalar", [](const ArgumentScene& s) { return s.wide.view(); });
  add_types("null", [](const ArgumentScene&) {
    return PointsView{nullptr, 5, 3, 3, Scalar::float32};
  });
  wrongs.push_back(
      {"fof of types: none is linked",
       [](const ArgumentScene& s) {
         const TypedPoints types[] = {{s.set.view(), Role::attached}};
         fof(types, {.linking_length = 0.1});
       },
       [](const ArgumentScene& s, bool is_wrong) {
         const TypedPoints types[] = {{s.set.view(), is_wrong ? Role::attached : Role::linked}};
         mpi::fof(s.comm, types, {.linking_length = 0.1});
       }});
}

void add_clusters(Wrongs& wrongs) {
  static const std::vector<double> nan = spoiled(std::vector<double>(60, 1.0), kNaN), ones(60, 1.0),
                                   huge(60, 1e308);
  const auto add = [&](const char* name, DbscanOptions wrong) {
    wrongs.push_back({std::string("dbscan: ") + name,
                      [=](const ArgumentScene& s) { dbscan(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        DbscanOptions right{.eps = 0.1};
                        if (!wrong.sample_weight.empty()) right.sample_weight = ones;
                        mpi::dbscan(s.domains, is_wrong ? wrong : right);
                      }});
  };
  add("eps", {.eps = -1});
  add("NaN eps", {.eps = kNaN});
  add("min_samples", {.eps = 1, .min_samples = 0});
  add("border_links", {.eps = 1, .border_links = 0});
  add("box", {.box = Box::periodic(7), .eps = 1});
  wrongs.back().has_same_text = false;  // of the tree, and of the domains
  static const std::vector<double> few(3, 1.0);
  add("weights", {.eps = 0.1, .sample_weight = few});
  add("NaN weights", {.eps = 0.1, .sample_weight = nan});
  add("huge weights", {.eps = 0.1, .sample_weight = huge});
}

void add_spanning(Wrongs& wrongs) {
  static const std::vector<double> negative = spoiled(std::vector<double>(60, 1.0), -1),
                                   ones(60, 1.0), few(3, 1.0);
  const auto add = [&](const char* name, SpanningTreeOptions wrong) {
    const auto right = [=](bool is_wrong) {
      SpanningTreeOptions options;
      if (!wrong.sample_weight.empty()) options.sample_weight = ones;
      return is_wrong ? wrong : options;
    };
    wrongs.push_back({std::string("spanning_tree: ") + name,
                      [=](const ArgumentScene& s) { spanning_tree(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::spanning_tree(s.domains, right(is_wrong));
                      }});
    wrongs.push_back({std::string("hierarchy: ") + name,
                      [=](const ArgumentScene& s) { hierarchy(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::hierarchy(s.domains, right(is_wrong));
                      }});
  };
  add("core_k", {.core_k = 0});
  add("box", {.box = Box::periodic(7)});
  for (std::size_t i = 1; i < 3; ++i)
    (wrongs.end() - static_cast<std::ptrdiff_t>(i))->has_same_text = false;
  add("weights", {.sample_weight = few});
  add("negative weights", {.sample_weight = negative});
}

void add_hdbscan(Wrongs& wrongs) {
  static const std::vector<double> nan = spoiled(std::vector<double>(60, 1.0), kNaN), ones(60, 1.0);
  const auto add = [&](const char* name, HdbscanOptions wrong) {
    wrongs.push_back({std::string("hdbscan: ") + name,
                      [=](const ArgumentScene& s) { hdbscan(s.tree, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        HdbscanOptions right;
                        if (!wrong.sample_weight.empty()) right.sample_weight = ones;
                        mpi::hdbscan(s.domains, is_wrong ? wrong : right);
                      }});
  };
  add("min_cluster_size", {.condense = {.min_cluster_size = 1}});
  add("selection_epsilon", {.condense = {.selection_epsilon = -1}});
  add("min_cluster_weight", {.condense = {.min_cluster_weight = kInfinite}});
  add("NaN weights", {.sample_weight = nan});
}

/// A ValuesView over numbers that live as long as the program.
ValuesView kept(std::vector<double> values) {
  static std::vector<std::vector<double>>& all = *new std::vector<std::vector<double>>;
  all.push_back(std::move(values));
  return {all.back().data(), all.back().size(), Scalar::float64};
}

void add_catalogues(Wrongs& wrongs) {
  const std::vector<double> ones(ArgumentScene::kPoints, 1.0);
  static const std::vector<std::uint8_t> types(ArgumentScene::kPoints, 1), few(3, 1);
  const auto add = [&](const char* name, auto wrong) {
    wrongs.push_back({std::string("catalogue: ") + name,
                      [=](const ArgumentScene& s) { catalogue(s.set.view(), s.groups, wrong(s)); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        CatalogueOptions right = wrong(s);
                        // Right elsewhere, and given on all ranks.
                        if (!is_wrong) right = {.type = types};
                        if (!is_wrong && wrong(s).mass.data)
                          right.mass = {s.ones.data(), s.ones.size(), Scalar::float64};
                        if (!is_wrong && wrong(s).velocity.data) right.velocity = s.set.view();
                        mpi::catalogue(s.domains, s.set.view(), s.mpi_groups, right);
                      }});
  };
  const ValuesView short_mass = kept({1, 1}), negative = kept(spoiled(ones, -1)),
                   nan = kept(spoiled(ones, kNaN)), infinite = kept(spoiled(ones, kInfinite));
  add("masses", [=](const ArgumentScene&) { return CatalogueOptions{.mass = short_mass}; });
  add("negative mass", [=](const ArgumentScene&) { return CatalogueOptions{.mass = negative}; });
  add("NaN mass", [=](const ArgumentScene&) { return CatalogueOptions{.mass = nan}; });
  add("infinite mass", [=](const ArgumentScene&) { return CatalogueOptions{.mass = infinite}; });
  add("same mass", [](const ArgumentScene&) { return CatalogueOptions{.mass = same_value(-2)}; });
  add("velocity", [](const ArgumentScene& s) {
    return CatalogueOptions{.velocity = view(s.set.x.data(), 5, 3)};
  });
  add("velocity of 2",
      [](const ArgumentScene& s) { return CatalogueOptions{.velocity = s.flat.view()}; });
  add("types", [](const ArgumentScene&) { return CatalogueOptions{.type = few}; });
  add("gravity", [](const ArgumentScene&) { return CatalogueOptions{.gravity = -1}; });
  add("NaN gravity", [](const ArgumentScene&) { return CatalogueOptions{.gravity = kNaN}; });
  add("contaminating type", [](const ArgumentScene&) {
    return CatalogueOptions{.type = types, .contaminating_types = {7}};
  });
  wrongs.back().is_shared = true;
  add("a type beyond",
      [](const ArgumentScene&) { return CatalogueOptions{.type = types, .types = 1}; });
  wrongs.back().is_shared = true;
  add("peak", [](const ArgumentScene& s) {
    CatalogueOptions options;
    options.peak.assign(s.mpi_groups.sizes().size() * 3, kNaN);
    if (options.peak.empty()) options.peak = {kNaN};
    return options;
  });
  wrongs.back().has_same_text = false;  // ranks have fewer rows
}

void add_centers(Wrongs& wrongs) {
  const std::vector<double> ones(ArgumentScene::kPoints, 1.0);
  static const std::vector<std::uint8_t> few(3, 1);
  const auto add = [&](const char* name, CenterOptions wrong) {
    wrongs.push_back(
        {std::string("centers: ") + name,
         [=](const ArgumentScene& s) { centers(s.set.view(), members(s.groups), wrong); },
         [=](const ArgumentScene& s, bool is_wrong) {
           CenterOptions right;
           if (wrong.mass.data) right.mass = {s.ones.data(), s.ones.size(), Scalar::float64};
           mpi::centers(s.domains, s.set.view(), s.mpi_groups, is_wrong ? wrong : right);
         }});
  };
  add("masses", {.mass = kept({1, 1})});
  add("negative mass", {.mass = kept(spoiled(ones, -1))});
  add("NaN mass", {.mass = kept(spoiled(ones, kNaN))});
  add("softening", {.softening = -1});
  add("NaN softening", {.softening = kNaN});
  add("types", {.type = few, .types = {1}});
  add("no types", {.types = {1}});
}

void add_subhalos(Wrongs& wrongs) {
  const std::vector<double> ones(ArgumentScene::kPoints, 1.0);
  const auto add = [&](const char* name, auto wrong) {
    wrongs.push_back(
        {std::string("subhalos: ") + name,
         [=](const ArgumentScene& s) { subhalos(s.set.view(), members(s.groups), wrong(s)); },
         [=](const ArgumentScene& s, bool is_wrong) {
           SubhaloOptions right{.velocity = s.set.view(), .linking_length = 1};
           if (wrong(s).mass.data) right.mass = {s.ones.data(), s.ones.size(), Scalar::float64};
           mpi::subhalos(s.domains, s.set.view(), s.mpi_groups, is_wrong ? wrong(s) : right);
         }});
  };
  const auto with = [](const ArgumentScene& s) {
    return SubhaloOptions{.velocity = s.set.view(), .linking_length = 1};
  };
  const ValuesView negative = kept(spoiled(ones, -1)), few = kept({1});
  add("linking_length", [=](const ArgumentScene& s) {
    SubhaloOptions options = with(s);
    options.linking_length = kNaN;
    return options;
  });
  add("scale", [=](const ArgumentScene& s) {
    SubhaloOptions options = with(s);
    options.velocity_scale = -1;
    return options;
  });
  add("velocity", [=](const ArgumentScene& s) {
    SubhaloOptions options = with(s);
    options.velocity = s.flat.view();
    return options;
  });
  add("no velocity", [](const ArgumentScene&) { return SubhaloOptions{.linking_length = 1}; });
  add("negative mass", [=](const ArgumentScene& s) {
    SubhaloOptions options = with(s);
    options.mass = negative;
    return options;
  });
  add("masses", [=](const ArgumentScene& s) {
    SubhaloOptions options = with(s);
    options.mass = few;
    return options;
  });
}

void add_spheres(Wrongs& wrongs) {
  const std::vector<double> ones(ArgumentScene::kPoints, 1.0);
  const auto add = [&](const char* name, OverdensityOptions wrong) {
    wrongs.push_back({std::string("overdensities: ") + name,
                      [=](const ArgumentScene& s) { overdensities(s.tree, s.centers, wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        mpi::overdensities(s.domains, s.centers,
                                           is_wrong ? wrong : OverdensityOptions{.density = {100}});
                      }});
  };
  add("density", {.density = {-1}});
  add("no density", {});
  add("masses", {.density = {100}, .mass = kept({1, 1})});
  add("negative mass", {.density = {100}, .mass = kept(spoiled(ones, -1))});
  add("NaN mass", {.density = {100}, .mass = kept(spoiled(ones, kNaN))});
  add("negative mass of all", {.density = {100}, .mass = same_value(-1)});
  add("negative guess", {.density = {100}, .mass_guess = kept({1, -1})});
  add("NaN guess", {.density = {100}, .mass_guess = kept({1, kNaN})});
  add("guesses", {.density = {100}, .mass_guess = kept({1})});
  add("negative within", {.density = {100}, .within = kept({1, -1})});
  add("NaN within", {.density = {100}, .within = kept({kNaN, 1})});
  add("NaN within of all", {.density = {100}, .within = same_value(kNaN)});
  wrongs.push_back(
      {"overdensities: centers",
       [](const ArgumentScene& s) { overdensities(s.tree, s.short_ones, {.density = {kNaN}}); },
       [](const ArgumentScene& s, bool is_wrong) {
         mpi::overdensities(s.domains, s.centers, {.density = {is_wrong ? kNaN : 100}});
       }});
  static const std::vector<double> infinite{0.5, kInfinite, 0.5}, odd{0.5, 0.5};
  for (const auto* wrong : {&infinite, &odd})
    wrongs.push_back(
        {"overdensities: centers",
         [=](const ArgumentScene& s) { overdensities(s.tree, *wrong, {.density = {100}}); },
         [=](const ArgumentScene& s, bool is_wrong) {
           mpi::overdensities(s.domains, is_wrong ? *wrong : s.centers, {.density = {100}});
         }});
}

void add_trees(Wrongs& wrongs) {
  const auto add = [&](const char* name, TreeOptions wrong, auto points) {
    wrongs.push_back({std::string("domains: ") + name,
                      [=](const ArgumentScene& s) { const AnyTree tree(points(s), wrong); },
                      [=](const ArgumentScene& s, bool is_wrong) {
                        if (is_wrong)
                          mpi::Domains::curve(s.comm, points(s), {.tree = wrong});
                        else
                          mpi::Domains::curve(s.comm, s.set.view(), {});
                      }});
  };
  const auto right = [](const ArgumentScene& s) { return s.set.view(); };
  add("coarsening", {.builder = Builder::cells, .coarsening = 1}, right);
  add("max_leaf_size", {.builder = Builder::cells, .max_leaf_size = 0}, right);
  add("max_volume_ratio", {.builder = Builder::cells, .max_volume_ratio = 0.5}, right);
  add("curve of cells", {.builder = Builder::cells, .curve = Curve::hilbert}, right);
  add("box", {.box = Box::periodic({1, 1})}, right);
  add("null", {}, [](const ArgumentScene&) {
    return PointsView{nullptr, 5, 3, 3, Scalar::float32};
  });
  add("dimension", {}, [](const ArgumentScene& s) { return view(s.set.x.data(), 1, 33); });
}

Wrongs all_wrongs() {
  Wrongs wrongs;
  add_trees(wrongs);
  add_nearest(wrongs);
  add_queries(wrongs);
  add_balls(wrongs);
  add_densities(wrongs);
  add_pairs(wrongs);
  add_histograms(wrongs);
  add_linking(wrongs);
  add_clusters(wrongs);
  add_spanning(wrongs);
  add_hdbscan(wrongs);
  add_catalogues(wrongs);
  add_centers(wrongs);
  add_subhalos(wrongs);
  add_spheres(wrongs);
  return wrongs;
}

TEST(MpiArguments, AreRefusedAsInOneProcess) {
  const Wrongs wrongs = all_wrongs();
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const ArgumentScene scene(comm);
      for (const WrongArgument& wrong : wrongs) {
        const std::string alone = error_of([&] { wrong.alone(scene); });
        EXPECT_NE(alone, "no error") << wrong.name;
        for (const bool everywhere : {false, true}) {
          const bool is_wrong = everywhere || rank_of(comm) == ranks - 1;
          const std::string found = error_of([&] { wrong.over_ranks(scene, is_wrong); });
          const std::string where = wrong.name + (everywhere ? " everywhere" : " on one rank");
          EXPECT_TRUE(found.starts_with("rank ")) << where << ": " << found;
          if (wrong.has_same_text && (everywhere || !wrong.is_shared)) {
            EXPECT_EQ(fact_of(found), fact_of(alone)) << where;
          }
          char first[1200] = "";
          found.copy(first, sizeof first - 1);
          MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
          EXPECT_EQ(found, first) << where;
        }
      }
      EXPECT_EQ(mpi::knn(scene.domains, {.k = 1}).size(), ArgumentScene::kPoints);
    });
}

}  // namespace
}  // namespace kith::test
