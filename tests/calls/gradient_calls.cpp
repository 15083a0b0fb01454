// The public calls of gradients and random links.
#include "calls/calls.hpp"

namespace kith::test {
namespace {

/// Everything that the calls read and write, made beforehand.
struct GradientScene {
  explicit GradientScene(const Scene& s)
      : near(knn(s.tree, {.k = 6})),
        lists(kith::radius(s.tree, {.radius = s.radius / 2})),
        rows{.points = s.points.view(),
             .box = s.box,
             .lists = lists_view(near.indices(), s.points.size(), 6)},
        ragged{.points = s.points.view(),
               .box = s.box,
               .lists = lists_view(lists.indices(), lists.offsets())},
        halo_options{.box = s.box, .mass = values(s.mass), .velocity = s.points.view(), .alpha = 2},
        density_options{.mass = values(s.mass)},
        mesh{s.box, {8, 8, 8}},
        link_options{.box = s.box, .linking_length = s.fof_options.linking_length},
        links(soft_links(s.points.view(), link_options)),
        samples(sample_links(links, {.samples = 9})) {
    const std::size_t n = s.points.size(), d = 3, groups = s.halos.count();
    const std::size_t pairs = std::max(n * 6, ragged.lists.pairs());
    per_pair.assign(pairs * d, 1);
    pair_out.assign(pairs * d, 0);
    per_point.assign(n, 1);
    point_out.assign(n * d, 0);
    point_out64.assign(n * d, 0);
    more_out64.assign(n * d, 0);
    mass_out.assign(n, 0);
    fields = {.mass = std::vector<double>(groups, 1), .center = std::vector<double>(groups * d, 1)};
    all_fields = fields;
    for (auto* field :
         {&all_fields.inertia_radius, &all_fields.velocity_dispersion, &all_fields.decorated_mass})
      field->assign(groups, 1);
    all_fields.velocity.assign(groups * d, 1);
    all_fields.shape.assign(groups * d, 1);
    all_fields.shape_tensor.assign(groups * d * d, 1);
    per_sample.assign(samples.samples, 1);
    per_link.assign(samples.samples * links.size(), 1);
  }

  Neighbors<float> near;
  NeighborLists<float> lists;
  PairsOf rows, ragged;
  HaloOptions halo_options;
  ListDensityOptions density_options;
  MeshOptions mesh;
  SoftLinkOptions link_options;
  SoftLinks links;
  LinkSamples samples;
  GroupValues fields, all_fields;
  std::vector<float> per_pair, pair_out, per_point, point_out;
  std::vector<double> point_out64, more_out64, mass_out, per_sample, per_link;
  std::vector<double> cells = std::vector<double>(512, 1);
  std::vector<double> edge{1, 2, 4}, bins{1, 1};
};

using Shared = std::shared_ptr<GradientScene>;

void add_lists(std::vector<Call>& calls, const Shared& g) {
  calls.push_back(
      {"distances", [=](const Execution& e) { distances<float>(g->rows, g->pair_out.data(), e); }});
  calls.push_back({"distances_vjp", [=](const Execution& e) {
                     distances_vjp<float>(g->rows, g->per_pair.data(), {g->point_out.data()}, e);
                   }});
  calls.push_back({"distances_vjp, lists", [=](const Execution& e) {
                     distances_vjp<float>(g->ragged, g->per_pair.data(), {g->point_out.data()}, e);
                   }});
  calls.push_back({"distances_jvp", [=](const Execution& e) {
                     distances_jvp<float>(g->rows, {g->point_out.data()}, g->pair_out.data(), e);
                   }});
  calls.push_back({"displacements", [=](const Execution& e) {
                     displacements<float>(g->rows, g->pair_out.data(), e);
                   }});
  calls.push_back({"displacements_vjp", [=](const Execution& e) {
                     displacements_vjp<float>(g->rows, g->per_pair.data(), {g->point_out.data()},
                                              e);
                   }});
  calls.push_back({"displacements_jvp", [=](const Execution& e) {
                     displacements_jvp<float>(g->rows, {g->point_out.data()}, g->pair_out.data(),
                                              e);
                   }});
  calls.push_back({"pair_sums_vjp", [=](const Execution& e) {
                     pair_sums_vjp<float>(g->rows, g->per_pair.data(), g->per_point.data(),
                                          {g->point_out.data()}, e);
                   }});
  calls.push_back({"pair_sums_jvp", [=](const Execution& e) {
                     pair_sums_jvp<float>(g->rows, g->per_pair.data(), {g->point_out.data()},
                                          g->pair_out.data(), e);
                   }});
  calls.push_back(
      {"list_density", [=](const Execution& e) { list_density(g->rows, g->density_options, e); }});
  calls.push_back({"list_density_vjp", [=](const Execution& e) {
                     list_density_vjp<float>(g->rows, g->density_options, g->mass_out.data(),
                                             {g->point_out.data(), g->more_out64.data()}, e);
                   }});
  calls.push_back({"list_density_jvp", [=](const Execution& e) {
                     list_density_jvp<float>(g->rows, g->density_options, g->point_out.data(),
                                             g->mass_out.data(), e);
                   }});
}

void add_halos(std::vector<Call>& calls, const Scene& s, const Shared& g) {
  const PointsView points = s.points.view();
  calls.push_back({"shape_tensors", [=, &s](const Execution& e) {
                     shape_tensors(points, s.halos, g->halo_options, e);
                   }});
  for (const GroupValues* fields : {&g->fields, &g->all_fields})
    calls.push_back(
        {fields == &g->fields ? "halos_vjp" : "halos_vjp, all fields", [=, &s](const Execution& e) {
           halos_vjp(points, s.halos, g->halo_options, *fields,
                     {g->point_out64.data(), g->more_out64.data(), g->mass_out.data()}, e);
         }});
  calls.push_back({"halos_jvp", [=, &s](const Execution& e) {
                     halos_jvp(points, s.halos, g->halo_options, {g->point_out64.data()}, e);
                   }});
  calls.push_back({"group_means", [=, &s](const Execution& e) {
                     group_means(s.halos, s.points64, 3, values(s.mass), e);
                   }});
  calls.push_back({"group_means_vjp", [=, &s](const Execution& e) {
                     group_means_vjp(s.halos, g->fields.center, 3, values(s.mass), e);
                   }});
  calls.push_back({"soft_mass_function", [=, &s](const Execution&) {
                     soft_mass_function(s.mass, {.edge = g->edge});
                     soft_mass_function_vjp(s.mass, {.edge = g->edge}, g->bins);
                     soft_mass_function_jvp(s.mass, {.edge = g->edge}, s.mass);
                   }});
  calls.push_back(
      {"paint", [=, &s](const Execution& e) { paint(points, values(s.mass), g->mesh, e); }});
  calls.push_back({"paint_vjp", [=, &s](const Execution& e) {
                     paint_vjp(points, values(s.mass), g->mesh, g->cells, g->point_out64.data(),
                               g->mass_out.data(), e);
                   }});
  calls.push_back({"paint_jvp", [=, &s](const Execution& e) {
                     paint_jvp(points, values(s.mass), g->mesh, g->point_out64.data(),
                               g->mass_out.data(), e);
                   }});
}

void add_links(std::vector<Call>& calls, const Scene& s, const Shared& g) {
  const PointsView points = s.points.view();
  calls.push_back(
      {"soft_links", [=](const Execution& e) { soft_links(points, g->link_options, e); }});
  calls.push_back(
      {"set_probabilities", [=](const Execution& e) { set_probabilities(points, g->links, e); }});
  calls.push_back(
      {"sample_links", [=](const Execution& e) { sample_links(g->links, {.samples = 9}, e); }});
  calls.push_back({"members of labels", [=](const Execution&) {
                     members(g->samples.label(0), static_cast<std::size_t>(g->samples.count[0]));
                   }});
  calls.push_back(
      {"log_probability", [=](const Execution& e) { log_probability(g->links, g->samples, e); }});
  calls.push_back({"log_probability_vjp", [=](const Execution& e) {
                     log_probability_vjp<float>(points, g->links, g->samples, g->per_sample,
                                                g->point_out.data(), e);
                   }});
  calls.push_back({"score_weights", [=](const Execution&) { score_weights(g->per_sample); }});
  calls.push_back(
      {"relaxed_links", [=](const Execution& e) { relaxed_links(g->links, {.samples = 9}, e); }});
  calls.push_back({"relaxed_links_vjp", [=](const Execution& e) {
                     relaxed_links_vjp<float>(points, g->links, {.samples = 9}, g->per_link,
                                              g->point_out.data(), e);
                   }});
}

}  // namespace

std::vector<Call> gradient_calls(const Scene& scene) {
  const auto made = std::make_shared<GradientScene>(scene);
  std::vector<Call> calls;
  add_lists(calls, made);
  add_halos(calls, scene, made);
  add_links(calls, scene, made);
  return calls;
}

}  // namespace kith::test
