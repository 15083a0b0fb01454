// The sky: unit vectors, chords and angles; the searches are those of points.
#include <memory>
#include <vector>

#include <kith/sky.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

using Chords = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

sky::AngleUnit unit_of(const nb::dict& given, sky::Positions* positions = nullptr) {
  sky::AngleUnit unit = sky::AngleUnit::degrees;
  Options read(given);
  read_unit(read, unit);
  if (positions)
    read.choice("non_finite", positions->non_finite,
                {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read.expect_no_more();
  return unit;
}

ArrayOf<double> vectors_of(const Numbers& ra, const Numbers& dec, const nb::dict& given,
                           const Call& call) {
  sky::Positions positions{.ra = span_of(ra), .dec = span_of(dec)};
  positions.unit = unit_of(given, &positions);
  auto vectors = run(call, [&](const Execution& e) { return sky::unit_vectors(positions, e); });
  const double* first = vectors.empty() ? nullptr : vectors.front().data();
  const std::size_t size = vectors.size();
  auto kept = std::make_shared<std::vector<sky::Vector>>(std::move(vectors));
  return array_over(first, {size, 3}, std::move(kept));
}

void make_angles(const Chords& chords, const nb::dict& given, const Call& call) {
  const sky::AngleUnit unit = unit_of(given);
  const std::span<double> all(chords.data(), chords.size());
  run_work(call, [&](const Execution& e) { sky::to_angles(all, unit, e); });
}

}  // namespace

void bind_sky(nb::module_& module) {
  module.def("sky_vectors", &vectors_of);
  module.def("sky_angles", &make_angles);
  module.def("sky_chord",
             [](double angle, const nb::dict& given) { return sky::chord(angle, unit_of(given)); });
  module.def("sky_chords", [](const Chords& angles, const nb::dict& given) {
    const sky::AngleUnit unit = unit_of(given);
    for (double& angle : std::span<double>(angles.data(), angles.size()))
      angle = sky::chord(angle, unit);
  });
  module.def("sky_spanning_tree", [](const SpanningTree& tree, const nb::dict& given) {
    return sky::in_angles(tree, unit_of(given));
  });
}

}  // namespace kith::python
