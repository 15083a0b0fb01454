// The arguments and results of matches, with and without ranks.
#pragma once

#include <cstdint>
#include <nanobind/stl/pair.h>
#include <utility>

#include <kith/match.hpp>

#include "arrays.hpp"
#include "options.hpp"

namespace kith::python {

using Ids = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline LabeledIds labeled(const Ids& id, const Labels& label) {
  return {{id.data(), id.size()}, {label.data(), label.size()}};
}

inline MatchOptions match_options(const nb::dict& given) {
  MatchOptions options;
  Options read(given);
  read.choice("weight", options.weight,
              {RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank});
  read("most_bound", options.most_bound);
  read.expect_no_more();
  return options;
}

inline Columns<nb::any> columns_of(Matches&& matches) {
  nb::dict columns;
  columns["best"] = array_of(std::move(matches.best));
  columns["second"] = array_of(std::move(matches.second));
  columns["score"] = array_of(std::move(matches.score));
  columns["second_score"] = array_of(std::move(matches.second_score));
  columns["shared"] = array_of(std::move(matches.shared));
  return Columns<nb::any>(std::move(columns));
}

inline std::pair<Columns<nb::any>, Columns<nb::any>> columns_of(Match&& found) {
  return {columns_of(std::move(found.forward)), columns_of(std::move(found.reverse))};
}

}  // namespace kith::python
