#include "results/content_rows.hpp"

#include "parallel/public_call.hpp"
#include "results/columns.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

std::int64_t swift_label(std::int32_t label) {
  constexpr std::int64_t kNone = 2147483647;
  return label < 0 ? kNone : std::int64_t{label} + 1;
}

std::vector<std::uint32_t> of_type(const std::vector<std::uint32_t>& order,
                                   const TypeSlice& slice) {
  std::vector<std::uint32_t> rows;
  rows.reserve(slice.end - slice.begin);
  for (const std::uint32_t i : order)
    if (i >= slice.begin && i < slice.end)
      rows.push_back(static_cast<std::uint32_t>(i - slice.begin));
  return rows;
}

}  // namespace

ContentRows::ContentRows(const CatalogueContent& content, ResultStyle style)
    : share_(content, style, 0) {
  add_columns();
  if (!content.label.empty()) add_label(content, style);
  if (!content.subhalo_label.empty())
    rows_.subhalo_label = {
        result_array("subhalo_label", content.subhalo_label.data(), content.subhalo_label.size())};
  if (content.id) rows_.id = {result_array("id", content.id, content.about.points)};
  if (content.members) add_order(content, style);
}

void ContentRows::add_columns() {
  for (int round = 0; round < CatalogueShare::kRounds; ++round) share_.take(share_.numbers());
  rows_.groups = share_.groups();
  rows_.subhalos = share_.subhalos();
  rows_.columns.assign(share_.columns().begin(), share_.columns().end());
}

void ContentRows::add_label(const CatalogueContent& content, ResultStyle style) {
  const auto label = content.label;
  if (style == ResultStyle::swift)
    rows_.label = computed_rows<std::int64_t>(
        "label", label.size(), [label](std::size_t i) { return swift_label(label[i]); });
  else
    rows_.label = {result_array("label", label.data(), label.size())};
}

void ContentRows::add_order(const CatalogueContent& content, ResultStyle style) {
  order_ = members_in_order(*content.members, content.subhalos);
  rows_.grouped = content.members->offset.back();
  if (style == ResultStyle::gadget) {
    for (const TypeSlice& slice : slices_of(content.about)) {
      const auto& rows = order_of_type_.emplace_back(of_type(order_, slice));
      rows_.order.push_back({result_array("order", rows.data(), rows.size())});
    }
  } else {
    rows_.order.push_back({result_array("order", order_.data(), order_.size())});
  }
  if (content.id)
    rows_.member_id = computed_rows<std::uint64_t>(
        "id", order_.size(), [this, id = content.id](std::size_t i) { return id[order_[i]]; });
}

}  // namespace kith::io

namespace kith {

std::vector<std::int64_t> swift_labels(std::span<const std::int32_t> label) {
  return public_call("swift_labels", [&] {
    std::vector<std::int64_t> ids(label.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = io::swift_label(label[i]);
    return ids;
  });
}

std::vector<std::uint32_t> members_in_order(const Members& members, const Subhalos* subhalos) {
  return public_call("members_in_order", [&] {
    std::vector<std::uint32_t> order = members.order;
    if (!subhalos) return order;
    // Stable inside a group: first the subhalos in their order, then the points in none.
    const Members& parts = subhalos->members;
    const std::vector<std::uint32_t>& listed =
        subhalos->by_binding.empty() ? parts.order : subhalos->by_binding;
    std::vector<std::uint8_t> is_placed(order.size(), 0);
    std::size_t s = 0;
    for (std::size_t g = 0; g < members.count(); ++g) {
      std::size_t next = members.offset[g];
      for (; s < parts.count() && subhalos->parent[s] == static_cast<std::int64_t>(g); ++s)
        for (std::size_t k = parts.offset[s]; k < parts.offset[s + 1]; ++k) {
          order[next++] = listed[k];
          is_placed[listed[k]] = 1;
        }
      for (const std::uint32_t i : members.of(g))
        if (!is_placed[i]) order[next++] = i;
    }
    return order;
  });
}

}  // namespace kith
