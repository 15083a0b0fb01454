// The columns of a catalogue whose rows are spread over processes: the facts that each of them
// sends to the others, and their sum.
#include <algorithm>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "results/columns.hpp"

namespace kith {
namespace {

using ShareNumbers = std::vector<std::int64_t>;

void add_to(ShareNumbers& sums, std::span<const std::int64_t> values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

/// Numbers in a row of each column; 0 without rows.
ShareNumbers widths_of(const Catalogue& table) {
  ShareNumbers widths;
  for_each_column(table, [&](const CatalogueColumn&, const auto& values) {
    widths.push_back(table.count() == 0 ? 0
                                        : static_cast<std::int64_t>(values.size() / table.count()));
  });
  return widths;
}

/// The facts that a process sends to the others about its rows: some counts, and numbers for each
/// type.
class ShareRow {
 public:
  enum Count { groups, subhalos, first_parent, last_parent, first_run, last_run };
  static constexpr std::size_t kCounts = last_run + 1;

  static std::size_t length(std::size_t types, std::size_t columns) {
    return kCounts + 3 * types + 2 * columns;
  }
  ShareRow(std::span<const std::int64_t> row, std::size_t types) : row_(row), types_(types) {}

  std::int64_t operator[](Count count) const { return row_[count]; }
  /// Members of all groups; those of the last one; those of the subhalos of the last parent.
  std::span<const std::int64_t> all_sizes() const { return part(0); }
  std::span<const std::int64_t> last_sizes() const { return part(1); }
  std::span<const std::int64_t> run_sizes() const { return part(2); }
  std::span<const std::int64_t> widths() const { return row_.subspan(kCounts + 3 * types_); }
  bool is_one_run() const { return row_[first_run] == row_[subhalos]; }

 private:
  std::span<const std::int64_t> part(std::size_t number) const {
    return row_.subspan(kCounts + number * types_, types_);
  }
  std::span<const std::int64_t> row_;
  std::size_t types_;
};

ShareNumbers row_of(const CatalogueContent& content, std::size_t types,
                    std::span<const std::int64_t> subhalo_type_size) {
  const ShareNumbers none;
  const ShareNumbers& parent = content.subhalos ? content.subhalos->parent : none;
  const auto same = [&](std::int64_t wanted) {
    return [wanted](std::int64_t each) { return each == wanted; };
  };
  ShareNumbers row(ShareRow::kCounts);
  row[ShareRow::groups] = static_cast<std::int64_t>(content.catalogue->count());
  row[ShareRow::subhalos] = static_cast<std::int64_t>(parent.size());
  if (!parent.empty()) {
    row[ShareRow::first_parent] = parent.front();
    row[ShareRow::last_parent] = parent.back();
    row[ShareRow::first_run] = std::count_if(parent.begin(), parent.end(), same(parent.front()));
    row[ShareRow::last_run] = std::count_if(parent.begin(), parent.end(), same(parent.back()));
  }
  const ShareNumbers sizes = io::group_type_sizes(content, types);
  const ShareNumbers parts =
      content.subhalos ? io::subhalo_type_sizes(content, types, subhalo_type_size) : ShareNumbers();
  ShareNumbers all(types), last(types), run(types);
  for (std::size_t i = 0; i < sizes.size(); ++i) all[i % types] += sizes[i];
  if (!sizes.empty())
    std::copy(sizes.end() - static_cast<std::ptrdiff_t>(types), sizes.end(), last.begin());
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parent[i / types] == parent.back()) run[i % types] += parts[i];
  for (const ShareNumbers& part :
       {all, last, run, widths_of(*content.catalogue),
        widths_of(content.subhalos ? content.subhalos->catalogue : Catalogue())})
    row.insert(row.end(), part.begin(), part.end());
  return row;
}

/// The place of one process, from the rows of all.
class PlaceFinder {
 public:
  PlaceFinder(const std::vector<ShareRow>& rows, std::size_t process)
      : rows_(rows), process_(process) {
    for (std::size_t p = 0; p < rows.size(); ++p) {
      if (p == process) part_.size_before = size_before_;
      groups_before_.push_back(total[ShareRow::groups]);
      subhalos_before_.push_back(total[ShareRow::subhalos]);
      add_to(size_before_, rows[p].all_sizes());
      total[ShareRow::groups] += rows[p][ShareRow::groups];
      total[ShareRow::subhalos] += rows[p][ShareRow::subhalos];
    }
    part_.groups_before = groups_before_[process];
    part_.subhalos_before = subhalos_before_[process];
  }

  std::int64_t total[2] = {0, 0};  ///< groups and subhalos

  io::TablePart part() {
    find_lead();
    find_tail();
    find_widths();
    return std::move(part_);
  }

 private:
  /// The group of the first subhalo, if its row is on a process before.
  void find_lead() {
    const std::int64_t parent = rows_[process_][ShareRow::first_parent];
    if (rows_[process_][ShareRow::subhalos] == 0 || parent >= part_.groups_before) return;
    std::size_t owner = process_;
    while (groups_before_[owner] > parent) --owner;
    for (std::size_t p = 0; p < owner; ++p) add_to(part_.lead_offset, rows_[p].all_sizes());
    add_to(part_.lead_offset, rows_[owner].all_sizes());
    const auto last = rows_[owner].last_sizes();
    for (std::size_t t = 0; t < last.size(); ++t) part_.lead_offset[t] -= last[t];
    for (std::size_t p = process_; p-- > owner;) {
      const ShareRow& row = rows_[p];
      if (row[ShareRow::subhalos] == 0) continue;
      if (row[ShareRow::last_parent] != parent) break;
      part_.lead_subhalos += row[ShareRow::last_run];
      add_to(part_.lead_offset, row.run_sizes());
    }
  }

  /// Subhalos of the last group on processes behind.
  void find_tail() {
    const std::int64_t group = part_.groups_before + rows_[process_][ShareRow::groups] - 1;
    if (rows_[process_][ShareRow::groups] == 0) return;
    for (std::size_t p = process_ + 1; p < rows_.size(); ++p) {
      const ShareRow& row = rows_[p];
      if (row[ShareRow::subhalos] == 0) continue;
      if (row[ShareRow::first_parent] != group) break;
      if (part_.tail_subhalos == 0) part_.tail_first = subhalos_before_[p];
      part_.tail_subhalos += row[ShareRow::first_run];
      if (!row.is_one_run()) break;
    }
  }

  void find_widths() {
    ShareNumbers width(rows_.front().widths().size());
    for (const ShareRow& row : rows_)
      for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], row.widths()[i]);
    const auto middle = width.begin() + static_cast<std::ptrdiff_t>(width.size() / 2);
    if (total[ShareRow::groups] > 0) part_.group_width.assign(width.begin(), middle);
    if (total[ShareRow::subhalos] > 0) part_.subhalo_width.assign(middle, width.end());
  }

  const std::vector<ShareRow>& rows_;
  std::size_t process_;
  ShareNumbers groups_before_, subhalos_before_, size_before_;
  io::TablePart part_;
};

}  // namespace

class CatalogueShare::Impl {
 public:
  Impl(const CatalogueContent& content, ResultStyle style, int process,
       std::span<const std::int64_t> subhalo_type_size)
      : content_(content),
        style_(style),
        process_(static_cast<std::size_t>(process)),
        types_(io::type_numbers_of(content.about)),
        subhalo_type_size_(subhalo_type_size),
        own_(row_of(content, types_, subhalo_type_size)) {}

  std::vector<std::int64_t> numbers() const { return round_ == 0 ? own_ : narrow_; }

  void take(std::span<const std::int64_t> all) {
    const std::size_t length = numbers().size();
    if (length > 0 && (all.size() % length != 0 || process_ >= all.size() / length))
      refuse("CatalogueShare: {} numbers, not {} for each process", all.size(), length);
    if (round_++ == 0)
      find_place(all);
    else
      store(all);
  }

  io::Columns columns;
  std::uint64_t groups = 0, subhalos = 0;

 private:
  void find_place(std::span<const std::int64_t> all) {
    std::vector<ShareRow> rows;
    for (std::size_t at = 0; at < all.size(); at += own_.size())
      rows.emplace_back(all.subspan(at, own_.size()), types_);
    PlaceFinder place(rows, process_);
    groups = static_cast<std::uint64_t>(place.total[ShareRow::groups]);
    subhalos = static_cast<std::uint64_t>(place.total[ShareRow::subhalos]);
    io::TablePart part = place.part();
    part.subhalo_type_size = subhalo_type_size_;
    columns = io::table_columns(content_, types_, part);
    for (const ResultRows& array : columns.arrays)
      narrow_.push_back(style_ == ResultStyle::gadget && io::may_be_narrow(array) &&
                        io::fits_int32(array));
  }

  /// In the numbers of the style.
  void store(std::span<const std::int64_t> all) {
    if (style_ != ResultStyle::gadget) return;
    for (std::size_t i = 0; i < narrow_.size(); ++i)
      for (std::size_t at = i; at < all.size(); at += narrow_.size())
        narrow_[i] = std::min(narrow_[i], all[at]);
    io::Columns stored;
    for (std::size_t i = 0; i < narrow_.size(); ++i) {
      const ResultRows& array = columns.arrays[i];
      const double factor =
          io::factor_of(io::find_rule(array.name)->gadget_convention, content_.about);
      if (factor != 1)
        stored.keep(array.name, io::scaled(array, factor), array.rows, array.width);
      else if (narrow_[i])
        stored.keep(array.name, io::narrowed(array), array.rows, array.width);
      else
        stored.arrays.push_back(array);
    }
    stored.keep_memory_of(columns);
    columns = std::move(stored);
  }

  const CatalogueContent& content_;
  ResultStyle style_;
  std::size_t process_, types_;
  std::span<const std::int64_t> subhalo_type_size_;
  int round_ = 0;
  ShareNumbers own_, narrow_;
};

CatalogueShare::CatalogueShare(const CatalogueContent& content, ResultStyle style, int process,
                               std::span<const std::int64_t> subhalo_type_size)
    : impl_(public_call("CatalogueShare", [&] {
        if (!content.catalogue) refuse("CatalogueShare: no catalogue; give one");
        return std::make_unique<Impl>(content, style, process, subhalo_type_size);
      })) {}
CatalogueShare::~CatalogueShare() = default;

std::vector<std::int64_t> CatalogueShare::numbers() const {
  return public_call("CatalogueShare", [&] { return impl_->numbers(); });
}
void CatalogueShare::take(std::span<const std::int64_t> all) {
  public_call("CatalogueShare", [&] { impl_->take(all); });
}
std::span<const ResultRows> CatalogueShare::columns() const { return impl_->columns.arrays; }
std::uint64_t CatalogueShare::groups() const { return impl_->groups; }
std::uint64_t CatalogueShare::subhalos() const { return impl_->subhalos; }

}  // namespace kith
