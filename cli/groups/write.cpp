// The catalogue: rank 0 lays the file out, and every rank writes its rows.
#include <optional>

#include "groups/groups.hpp"
#include "groups/sorted.hpp"
#include "other_readers.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

/// Without rows of points.
CatalogueContent tables_of(const GroupTask& task, const Found& found, const Measured& measured,
                           const SubhalosToWrite& subhalos) {
  const ResultKind kind = subhalos.found ? ResultKind::subhalos : ResultKind::fof;
  CatalogueContent content{.about = facts_of(task, found, kind, subhalos.options),
                           .catalogue = &measured.own.catalogue,
                           .peak = measured.own.peak,
                           .subhalos = subhalos.found ? &subhalos.found->own : nullptr};
  if (subhalos.most_bound_id) content.most_bound_id = *subhalos.most_bound_id;
  if (measured.edges.empty()) return content;
  content.edges = measured.edges;
  content.overdensities = &measured.own.overdensities;
  return content;
}

/// The columns of the tables, as the file has them.
void agree_on_columns(CatalogueShare& share) {
  for (int round = 0; round < CatalogueShare::kRounds; ++round) {
    std::vector<std::int64_t> own;
    on_all_ranks([&] { own = share.numbers(); });
    const std::vector<std::int64_t> all = ranks().gather(own);
    on_all_ranks([&] { share.take(all); });
  }
}

/// Row numbers of particles in as many bits as all of them need.
template <class Row>
class CatalogueWriter {
 public:
  CatalogueWriter(const GroupTask& task, const Found& found, const Measured& measured,
                  const SubhalosToWrite& subhalos, Session& session)
      : task_(task),
        found_(found),
        session_(session),
        content_(tables_of(task, found, measured, subhalos)),
        order_(task.style == ResultStyle::gadget
                   ? content_.about.counts
                   : std::vector<std::uint64_t>{content_.about.points}) {
    if (subhalos.found && task.has_labels()) subhalo_label_ = subhalos.found->label;
    has_subhalos_ = subhalos.found != nullptr;
    has_order_ = task.has_order(subhalos.found != nullptr);
    const std::span<const std::int64_t> type_size =
        subhalos.found ? std::span(subhalos.found->type_size) : std::span<const std::int64_t>();
    on_all_ranks([&] { share_.emplace(content_, task.style, ranks().rank(), type_size); });
  }

  void write(const std::string& path) {
    if (found_.stored) return write_stored(path);
    read_points();
    agree_on_columns(*share_);
    std::vector<ResultArray> own;
    on_all_ranks([&] { own = own_arrays(); });
    ranks().collect(
        own, [&](std::span<const ResultRows> all) { write(path, all); }, session_.execution());
  }

 private:
  bool has_swift_labels() const { return task_.has_labels() && task_.style == ResultStyle::swift; }

  void read_points() {
    const Execution& execution = session_.execution();
    on_all_ranks([&] {
      if (has_order_ || task_.has_labels()) id_ = task_.input.ids(execution);
      if (has_swift_labels()) swift_label_ = swift_labels(found_.label);
    });
    has_id_ = (has_order_ || task_.has_labels()) && task_.input.has(Field::id);
    if (!has_order_) return;
    const auto visit = [&](std::int64_t point, std::uint64_t id) {
      order_.add(point);
      if (has_id_) member_id_.push_back(id);
    };
    ranks().order(id_, true, visit, execution);
  }

  /// The same arrays as those of a rank, read from disk while they are written.
  void write_stored(const std::string& path) {
    const StoredFound& stored = *found_.stored;
    agree_on_columns(*share_);
    has_id_ = (has_order_ || task_.has_labels()) && task_.input.has(Field::id);
    const std::uint64_t points = stored.points.size();
    const auto labels = [&](std::uint64_t begin, std::span<std::int32_t> out) {
      stored.groups.read_labels(begin, out);
    };
    std::vector<ResultRows> all(share_->columns().begin(), share_->columns().end());
    all.push_back(has_swift_labels()
                      ? read_rows<std::int64_t>("label", points,
                                                [&](std::uint64_t begin, auto out) {
                                                  std::vector<std::int32_t> label(out.size());
                                                  labels(begin, label);
                                                  const auto ids = swift_labels(label);
                                                  std::copy(ids.begin(), ids.end(), out.begin());
                                                })
                      : read_rows<std::int32_t>("label", points, labels));
    all.push_back(read_rows<std::uint64_t>(
        "id", has_id_ ? points : 0,
        [&](std::uint64_t begin, auto out) { stored.points.read_id(begin, out); }));
    all.push_back(read_rows<std::uint64_t>(
        "id", has_id_ ? found_.grouped : 0, [&](std::uint64_t begin, auto out) {
          with_order(stored, [&](const auto& order) { order.read_member_ids(begin, out); });
        }));
    all.push_back(read_rows<std::int32_t>(
        "subhalo_label", stored.subhalos && task_.has_labels() ? points : 0,
        [&](std::uint64_t begin, auto out) { stored.subhalos->read_labels(begin, out); }));
    const std::vector<std::uint64_t> counts = stored.points.counts();
    for (std::size_t part = 0; part < counts.size(); ++part)
      all.push_back(read_rows<Row>("order", counts[part], [&, part](std::uint64_t begin, auto out) {
        std::vector<std::uint64_t> rows(out.size());
        with_order(stored,
                   [&](const auto& order) { order.read_order(part, begin, std::span(rows)); });
        std::copy(rows.begin(), rows.end(), out.begin());
      }));
    write(path, all);
  }

  /// f(subhalos), or f(catalogue), which have the order of the points.
  template <class F>
  static void with_order(const StoredFound& stored, F f) {
    stored.subhalos ? f(*stored.subhalos) : f(*stored.catalogue);
  }

  /// The arrays of this rank: the columns, and then the arrays with a row for each particle.
  std::vector<ResultArray> own_arrays() const {
    std::vector<ResultArray> own(share_->columns().begin(), share_->columns().end());
    own.push_back(has_swift_labels()
                      ? result_array("label", swift_label_.data(), swift_label_.size())
                      : result_array("label", found_.label.data(), found_.label.size()));
    own.push_back(result_array("id", id_.data(), id_.size()));
    own.push_back(result_array("id", member_id_.data(), member_id_.size()));
    own.push_back(result_array("subhalo_label", subhalo_label_.data(), subhalo_label_.size()));
    for (const auto& rows : order_.rows())
      own.push_back(result_array("order", rows.data(), rows.size()));
    return own;
  }

  /// On rank 0: the same arrays of all ranks.
  void write(const std::string& path, std::span<const ResultRows> all) const {
    const std::size_t columns = share_->columns().size();
    const std::span<const ResultRows> points = all.subspan(columns);
    CatalogueRows rows{
        .groups = share_->groups(), .subhalos = share_->subhalos(), .grouped = found_.grouped};
    rows.columns.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(columns));
    if (task_.has_labels()) rows.label = points[0];
    if (has_id_) rows.id = points[1];
    if (has_id_ && has_order_) rows.member_id = points[2];
    if (has_subhalos_ && task_.has_labels()) rows.subhalo_label = points[3];
    if (has_order_) rows.order.assign(points.begin() + 4, points.end());
    ResultWriteOptions options = task_.request.write;
    options.style = task_.style;
    write_catalogue(path, content_.about, rows, options, session_.execution());
    if (task_.style != ResultStyle::gadget) return;
    if (options.files == 1) link_for_yt(path, content_.about, session_);
    write_tng_offsets(path, options.files, session_);
  }

  const GroupTask& task_;
  const Found& found_;
  Session& session_;
  CatalogueContent content_;
  std::optional<CatalogueShare> share_;
  bool has_order_ = false, has_id_ = false, has_subhalos_ = false;
  std::vector<std::uint64_t> id_, member_id_;
  std::vector<std::int64_t> swift_label_;
  std::span<const std::int32_t> subhalo_label_;
  RowsByType<Row> order_;
};

template <class Row>
void write_catalogue_of(const GroupTask& task, const Found& found, const Measured& measured,
                        const SubhalosToWrite& subhalos, Session& session) {
  CatalogueWriter<Row>(task, found, measured, subhalos, session).write(task.request.output);
}

}  // namespace

Written write_groups(const GroupTask& task, const Found& found, const Measured& measured,
                     const SubhalosToWrite& subhalos, Session& session) {
  const bool is_wide = task.input.size() > 0xffffffffu;
  Written written{task.request.output, task.request.sorted_snapshot};
  if (!written.catalogue.empty())
    (is_wide ? write_catalogue_of<std::uint64_t>
             : write_catalogue_of<std::uint32_t>)(task, found, measured, subhalos, session);
  if (!written.sorted_snapshot.empty()) write_sorted(task, found, session);
  return written;
}

void report_written(const Written& written, Report& report, Session& session) {
  if (!written.catalogue.empty()) report.add("output", written.catalogue);
  if (!written.sorted_snapshot.empty()) report.add("sorted_snapshot", written.sorted_snapshot);
  for (const std::string& path : {written.catalogue, written.sorted_snapshot})
    if (!path.empty()) session.say_written(path);
}

}  // namespace kith::cli
