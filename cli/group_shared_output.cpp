// The catalogue of many ranks on its way out: rank 0 lays the file out, and every rank writes its
// rows.
#include <kith/catalogue_columns.hpp>
#include <kith/sorted_snapshot.hpp>

#include "groups.hpp"
#include "shared_input.hpp"

namespace kith::cli {
namespace {

/// The rows that this rank has, and how rank 0 gets at those of all.
class OutputRows {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    arrays_.push_back({values.data(), values.size(), sizeof(T)});
    types_.push_back(number_type<T>());
  }
  void add(const ResultRows& array) {
    arrays_.push_back({array.data, array.rows, array.width * bytes_of(array.type)});
    types_.push_back(array.type);
  }
  std::span<const SharedRows> arrays() const { return arrays_; }

  /// One of them, as an array of a result with so many rows in all.
  ResultRows array(std::size_t i, const char* name, std::uint64_t rows,
                   std::span<const RowAccess> access) const {
    ResultRows array;
    array.name = name;
    array.type = types_[i];
    array.rows = rows;
    take_from_all(array, access[i]);
    return array;
  }

 private:
  std::vector<SharedRows> arrays_;
  std::vector<NumberType> types_;
};

/// Those of each type, counted in that type, if `counts` has several; they follow each other.
template <class Index>
std::vector<std::vector<Index>> by_type(const std::vector<std::int64_t>& order,
                                        const std::vector<std::uint64_t>& counts) {
  std::vector<std::vector<Index>> rows(counts.size());
  std::uint64_t begin = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (const std::int64_t row : order)
      if (const auto i = static_cast<std::uint64_t>(row); i >= begin && i < begin + counts[k])
        rows[k].push_back(static_cast<Index>(i - begin));
    begin += counts[k];
  }
  return rows;
}

std::vector<std::uint32_t> read_all(const ReadRows& read, std::uint64_t rows) {
  std::vector<std::uint32_t> values;
  for_all_rows<std::uint32_t>(read, rows, [&](std::uint32_t row) { values.push_back(row); });
  return values;
}

/// The columns of the tables, as the file has them.
void agree_on_columns(CatalogueShare& share) {
  for (int round = 0; round < CatalogueShare::kRounds; ++round) {
    std::vector<std::int64_t> own;
    together([&] { own = share.numbers(); });
    const std::vector<std::int64_t> all = ranks()->gather(own);
    together([&] { share.take(all); });
  }
}

}  // namespace

/// What table and report show, and nothing but that.
void GroupRun::take_first_rows() {
  FirstRows rows(shown_count());
  first_ = {};
  first_.catalogue.dimension = rows_.catalogue.dimension;
  first_.catalogue.types = rows_.catalogue.types;
  const std::size_t own = rows_.catalogue.count();
  for_each_column(rows_.catalogue, [&](const CatalogueColumn& column, const auto& values) {
    std::visit(
        [&]<class Values>(Values field) {
          if constexpr (requires { first_.catalogue.*field = values; })
            rows.add(values, own, first_.catalogue.*field);
        },
        column.values);
  });
  rows.add(rows_.peak, own, first_.peak);
  rows.add(rows_.overdensities.mass, own, first_.overdensities.mass);
  rows.add(rows_.overdensities.radius, own, first_.overdensities.radius);
  rows.add(rows_.overdensities.size, own, first_.overdensities.size);
  rows.take(session_.execution());
}

void GroupRun::write_together(const SharedSubhalos* subhalos) {
  const bool is_wide = input_.size() > 0xffffffffu;
  if (!output_.empty() && is_wide) write_shared<std::uint64_t>(subhalos);
  if (!output_.empty() && !is_wide) write_shared<std::uint32_t>(subhalos);
  if (!request_.sorted_snapshot.empty()) write_sorted_together();
}

template <class Index>
void GroupRun::write_shared(const SharedSubhalos* subhalos) {
  const bool is_gadget = style_ == ResultStyle::gadget;
  const bool wants_order = has_order(subhalos), wants_labels = has_labels();
  const bool wants_ids = (wants_order || wants_labels) && input_.has(Field::id);
  const ResultAbout facts = about(ResultKind::fof);
  const std::vector<std::uint64_t> counts =
      is_gadget ? facts.counts : std::vector<std::uint64_t>{facts.points};
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> swift;
  together([&] {
    if (wants_ids) ids = input_.ids(session_.execution());
    if (wants_labels && style_ == ResultStyle::swift) swift = swift_labels(found_.label);
  });
  SharedOrder order;
  if (wants_order) order = ranks()->order(ids, true, session_.execution());
  const CatalogueRows parts{.subhalo_type_size = subhalos ? std::span(subhalos->type_size)
                                                          : std::span<const std::int64_t>()};
  CatalogueContent own = content(subhalos ? &subhalos->own : nullptr);
  own.rows = &parts;
  std::optional<CatalogueShare> share;
  together([&] { share.emplace(own, style_, ranks()->rank()); });
  agree_on_columns(*share);
  std::vector<std::vector<Index>> rows;
  OutputRows output;
  together([&] {
    rows = by_type<Index>(order.index, counts);
    if (style_ == ResultStyle::swift)
      output.add(swift);
    else
      output.add(found_.label);
    output.add(ids);
    output.add(order.id);
    for (const auto& each : rows) output.add(each);
    for (const ResultRows& column : share->columns()) output.add(column);
  });
  const auto write = [&](std::span<const RowAccess> access) {
    CatalogueRows all{
        .groups = share->groups(), .subhalos = share->subhalos(), .grouped = found_.grouped};
    if (wants_labels) all.label = output.array(0, "label", facts.points, access);
    if (wants_ids) all.id = output.array(1, "id", facts.points, access);
    if (wants_ids && wants_order) all.member_id = output.array(2, "id", facts.points, access);
    for (std::size_t k = 0; wants_order && k < rows.size(); ++k)
      all.order.push_back(output.array(3 + k, "order", counts[k], access));
    const std::size_t before = 3 + rows.size();
    for (std::size_t k = 0; k < share->columns().size(); ++k) {
      ResultRows column = share->columns()[k];
      column.rows = column.name.starts_with("subhalo_") ? all.subhalos : all.groups;
      take_from_all(column, access[before + k]);
      all.columns.push_back(std::move(column));
    }
    write_result({.about = own.about, .rows = &all});
  };
  ranks()->collect(output.arrays(), write, session_.execution());
}

namespace {

/// Copies a snapshot with all ranks: each reads its share of a dataset, fetches the rows of its
/// part of the new order, and writes them.
class SortedCopyOfAll {
 public:
  SortedCopyOfAll(const Snapshot& snapshot, const Execution& execution) : execution_(execution) {
    together([&] { copy_.emplace(snapshot); });
  }

  /// order(type): the rows of this rank's part; null: they stay as they are.
  template <class Order>
  void run(const std::string& path, const Order& order) {
    together([&] {
      if (is_first_rank()) copy_->create(path);
    });
    for (std::size_t number = 0; number < copy_->datasets().size(); ++number)
      copy_dataset(number, order(copy_->datasets()[number].type));
    together([&] {
      if (is_first_rank()) copy_->commit();
    });
  }

 private:
  void copy_dataset(std::size_t number, const std::vector<std::int64_t>* order) {
    const SortedCopy::Dataset& dataset = copy_->datasets()[number];
    const std::size_t size = dataset.row_bytes;
    const Share share = share_of(dataset.rows);
    std::vector<char> rows, sorted;
    together([&] {
      rows.resize(share.count * size);
      copy_->read(number, share.begin, share.count, rows.data(), execution_);
      if (order) sorted.resize(order->size() * size);
    });
    SharedRows own{rows.data(), share.count, size};
    if (order) {
      ranks()->fetch(own, *order, sorted.data(), execution_);
      own = {sorted.data(), order->size(), size};
    }
    const auto store = [&](std::span<const RowAccess> access) {
      access[0].store(copy_->temporary(), copy_->offset(number), 0, dataset.rows);
      access[0].sync(copy_->temporary());
    };
    if (dataset.rows * size > 0) ranks()->collect({&own, 1}, store, execution_);
  }

  const Execution& execution_;
  std::optional<SortedCopy> copy_;
};

}  // namespace

void GroupRun::write_sorted_together() {
  const Execution& execution = session_.execution();
  // As the catalogue has it: with subhalos inside groups where it has an order.
  const SharedOrder order = ranks()->order({}, has_order_in_file(), execution);
  const ResultAbout facts = about(ResultKind::fof);
  if (!SortedCopy::is_possible(input_.snapshot())) return write_sorted_alone(order, facts);
  std::vector<std::vector<std::int64_t>> rows;
  together([&] { rows = by_type<std::int64_t>(order.index, facts.counts); });
  SortedCopyOfAll(input_.snapshot(), execution)
      .run(request_.sorted_snapshot, [&](int type) -> const std::vector<std::int64_t>* {
        for (std::size_t k = 0; k < rows.size(); ++k)
          if (input_.types()[k] == type) return &rows[k];
        return nullptr;
      });
  session_.report().add("sorted_snapshot", request_.sorted_snapshot);
  session_.say(request_.sorted_snapshot);
}

/// What is not in HDF5 is copied by rank 0, which then holds the order of all particles.
void GroupRun::write_sorted_alone(const SharedOrder& order, const ResultAbout& facts) {
  std::vector<std::vector<std::uint32_t>> rows;
  OutputRows output;
  together([&] {
    rows = by_type<std::uint32_t>(order.index, facts.counts);
    for (const auto& each : rows) output.add(each);
  });
  const auto write = [&](std::span<const RowAccess> access) {
    TypeRows all(access.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = read_all(access[k].read, facts.counts[k]);
    write_sorted(all);
  };
  ranks()->collect(output.arrays(), write, session_.execution());
}

}  // namespace kith::cli
