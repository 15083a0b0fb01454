// Random links and the score of their samples.
#include <nanobind/stl/vector.h>
#include <vector>

#include <kith/topology.hpp>

#include "module.hpp"
#include "options.hpp"
#include "products.hpp"

namespace kith::python {
namespace {

SoftLinks links_of(const Array& points, const nb::dict& given, const Call& call) {
  SoftLinkOptions options;
  Options read(given);
  read("box", options.box);
  read("linking_length", options.linking_length);
  read("alpha", options.alpha);
  read("reach", options.reach);
  read.expect_no_more();
  const PointsView view = points_of(points);
  return run(call, [&](const Execution& e) { return soft_links(view, options, e); });
}

template <class T>
ArrayOf<T> over_links(nb::handle self, const std::vector<T>& values) {
  static T nothing{};
  T* data = values.empty() ? &nothing : const_cast<T*>(values.data());
  return ArrayOf<T>(nb::cast(nb::ndarray<nb::numpy, T>(data, {values.size()}, self)));
}

Reals score_of(const Array& points, const SoftLinks& links, const LinkSamples& samples,
               const Numbers& weight, const Call& call) {
  const PairsOf pairs{.points = points_of(points)};
  return with_type<Reals>(pairs, [&]<class T>() {
    return std::get<Reals>(reverse<T>(pairs, call, [&](PairGradient<T> out, const Execution& e) {
      log_probability_vjp<T>(pairs.points, links, samples, span_of(weight), out.points, e);
    }));
  });
}

RelaxedLinkOptions relaxed_options(const nb::dict& given) {
  RelaxedLinkOptions options;
  Options read(given);
  read("samples", options.samples);
  read("seed", options.seed);
  read("tau", options.tau);
  read("hard", options.is_hard);
  read.expect_no_more();
  return options;
}

Reals relaxed_reverse(const Array& points, const SoftLinks& links, const nb::dict& given,
                      const Numbers& cotangent, const Call& call) {
  const PairsOf pairs{.points = points_of(points)};
  const RelaxedLinkOptions options = relaxed_options(given);
  return with_type<Reals>(pairs, [&]<class T>() {
    return std::get<Reals>(reverse<T>(pairs, call, [&](PairGradient<T> out, const Execution& e) {
      relaxed_links_vjp<T>(pairs.points, links, options, span_of(cotangent), out.points, e);
    }));
  });
}

}  // namespace

void bind_topology(nb::module_& module) {
  nb::class_<SoftLinks>(module, "CoreLinks")
      .def_prop_ro("size", &SoftLinks::size)
      .def("offset", [](nb::handle h) { return over_links(h, nb::cast<SoftLinks&>(h).offset); })
      .def("second", [](nb::handle h) { return over_links(h, nb::cast<SoftLinks&>(h).second); })
      .def("probability",
           [](nb::handle h) { return over_links(h, nb::cast<SoftLinks&>(h).probability); });
  nb::class_<LinkSamples>(module, "CoreLinkSamples")
      .def_static("make",
                  [](std::size_t samples, std::size_t points, std::vector<std::uint8_t> bits,
                     std::vector<std::int32_t> labels, std::vector<std::int64_t> count) {
                    return LinkSamples{samples, points, std::move(bits), std::move(labels),
                                       std::move(count)};
                  })
      .def_ro("samples", &LinkSamples::samples)
      .def_ro("points", &LinkSamples::points)
      .def("bits", [](nb::handle h) { return over_links(h, nb::cast<LinkSamples&>(h).bits); })
      .def("labels", [](nb::handle h) { return over_links(h, nb::cast<LinkSamples&>(h).labels); })
      .def("count", [](nb::handle h) { return over_links(h, nb::cast<LinkSamples&>(h).count); });
  module.def("soft_links", &links_of);
  module.def("sample_links", [](const SoftLinks& links, const nb::dict& given, const Call& call) {
    LinkSampleOptions options;
    Options read(given);
    read("samples", options.samples);
    read("seed", options.seed);
    read("min_size", options.min_size);
    read.expect_no_more();
    return run(call, [&](const Execution& e) { return sample_links(links, options, e); });
  });
  module.def(
      "log_probability", [](const SoftLinks& links, const LinkSamples& samples, const Call& call) {
        return array_of(
            run(call, [&](const Execution& e) { return log_probability(links, samples, e); }));
      });
  module.def("log_probability_vjp", &score_of);
  module.def("score_weights", [](const Numbers& loss, const nb::dict& given) {
    AdvantageOptions options;
    Options read(given);
    read.choice("baseline", options.baseline,
                {{"none", Baseline::none},
                 {"leave_one_out", Baseline::leave_one_out},
                 {"batch_mean", Baseline::batch_mean}});
    read.choice("advantage", options.form,
                {{"plain", Advantage::plain},
                 {"normalized", Advantage::normalized},
                 {"clipped", Advantage::clipped}});
    read("clip", options.clip);
    read.expect_no_more();
    return array_of(score_weights(span_of(loss), options));
  });
  module.def("relaxed_links", [](const SoftLinks& links, const nb::dict& given, const Call& call) {
    const RelaxedLinkOptions options = relaxed_options(given);
    return matrix(run(call, [&](const Execution& e) { return relaxed_links(links, options, e); }),
                  options.samples, links.size());
  });
  module.def("relaxed_links_vjp", &relaxed_reverse);
}

}  // namespace kith::python
