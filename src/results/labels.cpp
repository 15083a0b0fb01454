// The labels of the points of a result, from the labels or the order in the file.
#include <fmt/format.h>

#include "base/fail.hpp"
#include "files/number.hpp"
#include "parallel/public_call.hpp"
#include "results/columns.hpp"

namespace kith {
namespace {

using Labels = std::vector<std::int32_t>;

[[noreturn]] void damaged(const std::string& what) {
  fail(ErrorCode::io, "a result with {}; the file is damaged", what);
}

void check_rows(const ResultFile& file, const std::string& name, std::size_t expected) {
  if (file.rows(name) != expected)
    damaged(fmt::format("{} rows of {} for {} points", file.rows(name), name, expected));
}

/// SWIFT numbers groups from 1.
void take_labels(const ResultFile& file, const std::string& name, std::size_t begin,
                 Labels& labels) {
  constexpr std::int64_t kNoneInSwift = 2147483647;
  const bool is_swift = file.style() == ResultStyle::swift;
  for (std::int64_t value : file.integers(name)) {
    if (is_swift) value = value == kNoneInSwift ? -1 : value - 1;
    const auto label = io::whole_number<std::int32_t>(value);
    if (!label) damaged(fmt::format("a label {} in {}", value, name));
    labels[begin++] = *label;
  }
}

/// Marks the members of one group after the other.
class OrderReader {
 public:
  OrderReader(const ResultFile& file, Labels& labels) : file_(file), labels_(labels) {}

  void mark_order(const std::string& name, const std::vector<std::int64_t>& sizes,
                  std::size_t begin, std::size_t end) const {
    const std::vector<std::int64_t> order = file_.integers(name);
    std::size_t next = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      if (sizes[g] < 0 || static_cast<std::size_t>(sizes[g]) > order.size() - next)
        damaged(fmt::format("groups that are larger than {}", name));
      for (std::int64_t i = 0; i < sizes[g]; ++i) mark(order[next++], g, begin, end);
    }
  }

 private:
  void mark(std::int64_t i, std::size_t group, std::size_t begin, std::size_t end) const {
    if (i < 0 || static_cast<std::size_t>(i) >= end - begin)
      damaged(fmt::format("a member {} of {} points", i, end - begin));
    labels_[begin + static_cast<std::size_t>(i)] = static_cast<std::int32_t>(group);
  }
  const ResultFile& file_;
  Labels& labels_;
};

std::vector<std::int64_t> sizes_of_type(const ResultFile& file, int type) {
  const std::vector<std::int64_t> all = file.integers("type_size");
  const std::size_t types = file.width("type_size");
  if (static_cast<std::size_t>(type) >= types) damaged(fmt::format("no sizes of type {}", type));
  std::vector<std::int64_t> sizes(types == 0 ? 0 : all.size() / types);
  for (std::size_t g = 0; g < sizes.size(); ++g)
    sizes[g] = all[g * types + static_cast<std::size_t>(type)];
  return sizes;
}

}  // namespace

std::vector<std::int32_t> ResultFile::label() const {
  return public_call("label", [&] {
    const std::size_t n = about().points;
    const std::vector<io::TypeSlice> slices = io::slices_of(about());
    const std::string first = fmt::format("_{}", slices.empty() ? 0 : slices.front().type);
    const bool has_all = has("label") || has("order");
    const bool has_parts = has("label" + first) || has("order" + first);
    if (!has_all && !has_parts) return Labels();
    // Before memory is taken on the word of the header, an array must have as many rows.
    if (has_all) {
      check_rows(*this, has("label") ? "label" : "order", n);
    } else {
      for (const io::TypeSlice& slice : slices)
        check_rows(*this, (has("label" + first) ? "label_" : "order_") + std::to_string(slice.type),
                   slice.end - slice.begin);
    }
    Labels labels(n, -1);
    const OrderReader reader(*this, labels);
    if (has("label")) {
      take_labels(*this, "label", 0, labels);
    } else if (has("order")) {
      reader.mark_order("order", integers("size"), 0, n);
    } else {
      for (const io::TypeSlice& slice : slices) {
        const std::string suffix = fmt::format("_{}", slice.type);
        if (has("label" + first))
          take_labels(*this, "label" + suffix, slice.begin, labels);
        else
          reader.mark_order("order" + suffix, sizes_of_type(*this, slice.type), slice.begin,
                            slice.end);
      }
    }
    return labels;
  });
}

}  // namespace kith
