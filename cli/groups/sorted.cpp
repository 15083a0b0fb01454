#include "groups/sorted.hpp"

#include <optional>

#include <kith/detail/sorted_snapshot.hpp>

namespace kith::cli {
namespace {

ResultArray bytes_of_rows(const std::vector<char>& rows, std::size_t count, std::size_t size) {
  return result_array("", reinterpret_cast<const std::uint8_t*>(rows.data()), count, size);
}

/// Copies a snapshot with all ranks: each reads its share of a dataset, fetches the rows of its
/// part of the new order, and writes them.
class SortedCopyOfAll {
 public:
  SortedCopyOfAll(const Snapshot& snapshot, const Execution& execution) : execution_(execution) {
    on_all_ranks([&] { copy_.emplace(snapshot); });
  }

  /// order(type): the rows of this rank's part; null: they stay as they are.
  template <class Order>
  void run(const std::string& path, const Order& order) {
    on_all_ranks([&] {
      if (is_first_rank()) copy_->create(path);
    });
    for (std::size_t number = 0; number < copy_->datasets().size(); ++number)
      copy_dataset(number, order(copy_->datasets()[number].type));
    on_all_ranks([&] {
      if (is_first_rank()) copy_->commit();
    });
  }

 private:
  void copy_dataset(std::size_t number, const std::vector<std::int64_t>* order) {
    const SortedCopy::Dataset& dataset = copy_->datasets()[number];
    const std::size_t size = dataset.row_bytes;
    const Share share = share_of(dataset.rows);
    std::vector<char> rows, sorted;
    on_all_ranks([&] {
      rows.resize(share.count * size);
      copy_->read(number, share.begin, share.count, rows.data(), execution_);
      if (order) sorted.resize(order->size() * size);
    });
    ResultArray own = bytes_of_rows(rows, share.count, size);
    if (order) {
      ranks().fetch(own, *order, sorted.data(), execution_);
      own = bytes_of_rows(sorted, order->size(), size);
    }
    const auto store = [&](std::span<const ResultRows> all) {
      RowSource& source = *all[0].source;
      source.store(copy_->temporary(), copy_->offset(number), 0, dataset.rows);
      source.sync();
    };
    if (dataset.rows * size > 0) ranks().collect({&own, 1}, store, execution_);
  }

  const Execution& execution_;
  std::optional<SortedCopy> copy_;
};

/// As the catalogue has it: with subhalos inside groups where it has an order.
template <class Row>
RowsByType<Row> sorted_rows(const GroupTask& task, const ResultAbout& facts,
                            const Execution& execution) {
  RowsByType<Row> rows(facts.counts);
  ranks().order(
      {}, task.has_sorted_order(), [&](std::int64_t point, std::uint64_t) { rows.add(point); },
      execution);
  return rows;
}

/// Rank 0 copies a snapshot that is not in HDF5, or any if it is alone; it holds the order of all
/// particles.
void copy_alone(const GroupTask& task, const ResultAbout& facts, const Execution& execution) {
  const auto own = sorted_rows<std::uint32_t>(task, facts, execution);
  std::vector<ResultArray> arrays;
  on_all_ranks([&] {
    for (const auto& rows : own.rows())
      arrays.push_back(result_array("", rows.data(), rows.size()));
  });
  const auto write = [&](std::span<const ResultRows> all) {
    TypeRows<std::uint32_t> rows(all.size());
    std::vector<TypeOrder> orders;
    for (std::size_t k = 0; k < all.size(); ++k) {
      for_each_value<std::uint32_t>(all[k], [&](std::uint32_t row) { rows[k].push_back(row); });
      orders.push_back({task.input.types()[k], rows[k]});
    }
    write_sorted_snapshot(task.request.sorted_snapshot, task.input.snapshot(), orders, execution);
  };
  ranks().collect(arrays, write, execution);
}

void copy_together(const GroupTask& task, const ResultAbout& facts, const Execution& execution) {
  const auto own = sorted_rows<std::int64_t>(task, facts, execution);
  SortedCopyOfAll(task.input.snapshot(), execution)
      .run(task.request.sorted_snapshot, [&](int type) -> const std::vector<std::int64_t>* {
        for (std::size_t k = 0; k < own.rows().size(); ++k)
          if (task.input.types()[k] == type) return &own.rows()[k];
        return nullptr;
      });
}

}  // namespace

void write_sorted(const GroupTask& task, const Found& found, Session& session) {
  const ResultAbout facts = facts_of(task, found, ResultKind::fof);
  const bool is_shared = ranks().size() > 1 && SortedCopy::is_possible(task.input.snapshot());
  (is_shared ? copy_together : copy_alone)(task, facts, session.execution());
}

}  // namespace kith::cli
