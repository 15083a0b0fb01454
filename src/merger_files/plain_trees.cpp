#include "merger_files/plain_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/fail.hpp"
#include "histories/in_order.hpp"
#include "merger_files/history_columns.hpp"

namespace kith::io {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

void check_plain(const PlainTrees& plain, const std::string& where) {
  const std::size_t n = plain.snapshot.size();
  const auto check_rows = [&](std::size_t rows, bool is_required) {
    if (rows != n && (is_required || rows != 0))
      fail(ErrorCode::io, "{}: {} rows of a property for {} halos", where, rows, n);
  };
  for (const Numbers* column : {&plain.label, &plain.descendant}) check_rows(column->size(), true);
  for (const Numbers* column :
       {&plain.members, &plain.main_progenitor, &plain.best_progenitor, &plain.second,
        &plain.is_mutual, &plain.is_flyby, &plain.is_orphan, &plain.host})
    check_rows(column->size(), false);
  for (const auto* column : {&plain.score, &plain.second_score}) check_rows(column->size(), false);
  for (std::size_t row = 0; row < n; ++row) {
    const bool is_known = plain.snapshot[row] >= 0 &&
                          index(plain.snapshot[row]) < plain.snapshots && plain.label[row] >= 0 &&
                          plain.label[row] <= std::numeric_limits<std::int32_t>::max();
    if (!is_known)
      fail(ErrorCode::io, "{}: halo {} of snapshot {} in row {}, of {} snapshots", where,
           plain.label[row], plain.snapshot[row], row, plain.snapshots);
  }
  for (const Numbers* column : {&plain.descendant, &plain.main_progenitor, &plain.best_progenitor,
                                &plain.second, &plain.host})
    for (const std::int64_t number : *column)
      if (number < -1 || number >= static_cast<std::int64_t>(n))
        fail(ErrorCode::io, "{}: a link to row {} of {}", where, number, n);
}

/// Rows by (snapshot, label).
Numbers sorted_rows(const PlainTrees& plain, const std::string& where) {
  Numbers row(plain.snapshot.size());
  std::iota(row.begin(), row.end(), 0);
  const auto key = [&](std::int64_t r) {
    return std::pair(plain.snapshot[index(r)], plain.label[index(r)]);
  };
  std::sort(row.begin(), row.end(),
            [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(
      row.begin(), row.end(), [&](std::int64_t a, std::int64_t b) { return key(a) == key(b); });
  if (twice != row.end())
    fail(ErrorCode::io, "{}: halo {} of snapshot {} is there twice", where,
         plain.label[index(*twice)], plain.snapshot[index(*twice)]);
  return row;
}

/// Columns of the file in the order of links.
class Sorted {
 public:
  Sorted(const PlainTrees& plain, const Numbers& row)
      : plain_(plain), row_(row), number_(row.size()) {
    for (std::size_t k = 0; k < row.size(); ++k)
      number_[index(row[k])] = static_cast<std::int64_t>(k);
  }

  HaloLinks links() const {
    HaloLinks links;
    links.first.assign(plain_.snapshots + 1, 0);
    for (const std::int64_t snapshot : plain_.snapshot) ++links.first[index(snapshot) + 1];
    std::partial_sum(links.first.begin(), links.first.end(), links.first.begin());
    take_links(plain_.descendant, links.descendant);
    take_links(plain_.second, links.second);
    take_links(plain_.best_progenitor, links.progenitor);
    take(plain_.score, links.score);
    take(plain_.second_score, links.second_score);
    take(plain_.is_mutual, links.is_mutual);
    take(plain_.is_flyby, links.is_flyby);
    if (plain_.host.empty()) return links;
    take_links(plain_.host, links.host);
    take(plain_.is_orphan, links.is_orphan);
    return links;
  }

  Numbers members() const {
    Numbers members;
    take(plain_.members, members);
    return members;
  }

  /// Where each halo stands among the progenitors of its descendant: as in the file, but main ones
  /// come first.
  Numbers order() const {
    Numbers order(row_.begin(), row_.end());
    for (const std::int64_t main : plain_.main_progenitor)
      if (main >= 0) order[index(number_[index(main)])] = -1;
    return order;
  }

 private:
  template <class From, class To>
  void take(const std::vector<From>& from, std::vector<To>& to) const {
    to.assign(row_.size(), To{});
    if (from.empty()) return;
    for (std::size_t k = 0; k < row_.size(); ++k) to[k] = static_cast<To>(from[index(row_[k])]);
  }
  void take_links(const Numbers& from, Numbers& to) const {
    to.assign(row_.size(), -1);
    if (from.empty()) return;
    for (std::size_t k = 0; k < row_.size(); ++k)
      if (const std::int64_t other = from[index(row_[k])]; other >= 0)
        to[k] = number_[index(other)];
  }

  const PlainTrees& plain_;
  const Numbers& row_;
  Numbers number_;
};

}  // namespace

void fill_times(PlainTrees& plain, HaloHistories& histories) {
  constexpr std::int64_t kMostSnapshots = 1 << 20;
  std::int64_t last = static_cast<std::int64_t>(histories.time.size()) - 1;
  for (const std::int64_t snapshot : plain.snapshot)
    last = std::max(last, std::min(snapshot, kMostSnapshots));
  plain.snapshots = index(last + 1);
  histories.time.resize(plain.snapshots, std::nan(""));
  histories.redshift.resize(plain.snapshots, std::nan(""));
  if (!histories.redshift.empty() && histories.background.is_known) {
    histories.background.redshift = histories.redshift.back();
    histories.background.scale_factor = 1 / (1 + histories.background.redshift);
  }
}

void take_plain_trees(const PlainTrees& plain, const HaloColumns& columns, const std::string& where,
                      HaloHistories& histories) {
  check_plain(plain, where);
  const Numbers row = sorted_rows(plain, where);
  const Sorted sorted(plain, row);
  const HaloLinks links = sorted.links();
  try {
    histories.trees = histories::merger_trees_in_order(links, sorted.members(), sorted.order());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    fail(ErrorCode::io, "{}: {}", where, error.what());
  }
  MergerTrees& trees = histories.trees;
  Numbers from(trees.size());
  for (std::size_t r = 0; r < trees.size(); ++r) {
    from[r] = row[index(links.first[index(trees.snapshot[r])] + trees.label[r])];
    trees.label[r] = static_cast<std::int32_t>(plain.label[index(from[r])]);
  }
  HaloColumns complete = columns;
  for_each_column(complete, [&](const char*, auto& column, std::size_t width) {
    if (column.size() != from.size() * width) column.clear();  // some files do not have it
  });
  histories.columns = rows_of(complete, from);
}

}  // namespace kith::io
