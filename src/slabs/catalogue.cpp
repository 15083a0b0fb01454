// The catalogue of stored points: members are sorted on disk into batches of whole groups, and each
// batch is a call in memory. The bits of a row depend on the members of its group alone.
#include "base/dispatch.hpp"
#include "groups/append_rows.hpp"
#include "parallel/public_call.hpp"
#include "slabs/member_batches.hpp"
#include "slabs/whole_progress.hpp"

namespace kith {
namespace {

using namespace slabs;

template <class T>
class Measurer {
 public:
  Measurer(const StoredPoints& points, const StoredGroups& groups, const CatalogueOptions& options,
           const CenterOptions& centers, std::span<const int> type_numbers, const Budget& budget,
           const Execution& execution, Workers& workers, StoredCatalogue::Impl& out)
      : groups_(impl_of(groups)),
        options_(options),
        centers_(centers),
        budget_(budget),
        inner_(inside_stage(execution)),
        workers_(workers),
        out_(out),
        d_(static_cast<std::size_t>(points.dimension())),
        batches_(points, groups, type_numbers, budget) {}

  void run() {
    check_tables("catalogue", groups_.size.size() * (16 + 40 * sizeof(double)), budget_);
    batches_.cut("catalogue", has_centers() ? 100 : 0);
    batches_.sort("members", false, workers_);
    out_.order = batches_.new_order();
    measure_batches();
    const Stage stage(workers_, "order", groups_.points);
    out_.order.add_ungrouped(batches_.piece_rows(), workers_,
                             [&](std::uint64_t begin, std::span<std::int32_t> label) {
                               groups_.read_labels(begin, label);
                             });
  }

 private:
  void measure_batches() {
    const Stage stage(workers_, "catalogue", groups_.grouped);
    out_.rows = measured({});
    out_.rows.types = batches_.types(options_.types);
    for (const Batch& batch : batches_.all()) {
      workers_.check_cancelled();
      if (batch.members > 0) append(measured(batch), out_.rows);
      workers_.advance(batch.members);
    }
  }

  /// The rows of the groups of a batch. A batch without groups has what columns know without rows.
  Catalogue measured(const Batch& batch) {
    const BatchMembers<T> found = batches_.read(batch);
    const std::vector<std::uint64_t>& index = found.fields.index;
    CatalogueOptions own = options_;
    own.type = found.type;
    own.types = batches_.types(options_.types);
    own.velocity = found.velocity();
    own.mass = found.mass(options_.mass);
    if (found.type.empty()) own.contaminating_types.clear();  // no rows, no types
    if (has_centers()) {
      own.peak = peaks_of(found, own);
      out_.peak.insert(out_.peak.end(), own.peak.begin(), own.peak.end());
    } else {
      own.peak = given_peaks(batch);
    }
    Catalogue rows = kith::catalogue(found.points(), found.members, own, inner_);
    for (std::int64_t& lowest : rows.lowest)
      lowest = static_cast<std::int64_t>(index[static_cast<std::size_t>(lowest)]);
    found.put(found.members.order, out_.order);
    return rows;
  }

  bool has_centers() const { return centers_.kind != CenterKind::mass; }

  std::vector<double> peaks_of(const BatchMembers<T>& found, const CatalogueOptions& own) const {
    CenterOptions options = centers_;
    options.box = own.box;
    options.mass = own.mass;
    options.type = own.type;
    if (own.type.empty()) options.types.clear();
    return kith::centers(found.points(), found.members, options, inner_);
  }

  std::vector<double> given_peaks(const Batch& batch) const {
    const std::size_t d = options_.peak.empty() ? 0 : d_;
    const double* const peaks = options_.peak.data();
    return {peaks + batch.first * d, peaks + batch.end * d};
  }

  const StoredGroups::Impl& groups_;
  const CatalogueOptions& options_;
  const CenterOptions& centers_;
  const Budget& budget_;
  Execution inner_;
  Workers& workers_;
  StoredCatalogue::Impl& out_;
  std::size_t d_;
  MemberBatches<T> batches_;
};

void check(const StoredPoints& points, const StoredGroups& groups, const CatalogueOptions& options,
           const CenterOptions& centers, std::span<const int> type_numbers) {
  check_groups("catalogue", points, groups, type_numbers);
  const std::size_t peaks = groups.count() * static_cast<std::size_t>(points.dimension());
  if (!options.peak.empty() && centers.kind != CenterKind::mass)
    refuse("catalogue: peaks of groups, and a kind of centers; give one of them");
  if (!options.peak.empty() && options.peak.size() != peaks)
    refuse("catalogue: {} numbers for peaks; give a row for each of the {} groups",
           options.peak.size(), groups.count());
}

}  // namespace

StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                          const CatalogueOptions& options, const CenterOptions& centers,
                          std::span<const int> type_numbers, const DiskOptions& disk,
                          const Execution& given) {
  return slabs::watched_call("catalogue", given, {{"members", 3}, {"catalogue", 3}, {"order", 1}},
                             points.size(), [&](const Execution& execution, Workers& workers) {
                               check(points, groups, options, centers, type_numbers);
                               const Budget budget = budget_of(points, disk);
                               auto result = std::make_shared<StoredCatalogue::Impl>();
                               with_scalar(points.scalar(), [&]<class T>() {
                                 Measurer<T>(points, groups, options, centers, type_numbers, budget,
                                             execution, workers, *result)
                                     .run();
                               });
                               return wrap_impl<StoredCatalogue>(std::move(result));
                             });
}

StoredCatalogue catalogue(const StoredPoints& points, const StoredGroups& groups,
                          const CatalogueOptions& options, std::span<const int> type_numbers,
                          const DiskOptions& disk, const Execution& execution) {
  return catalogue(points, groups, options, {.kind = CenterKind::mass}, type_numbers, disk,
                   execution);
}

std::vector<double> centers(const StoredPoints& points, const StoredGroups& groups,
                            const CenterOptions& options, std::span<const int> type_numbers,
                            const DiskOptions& disk, const Execution& execution) {
  const CatalogueOptions measure{.box = options.box, .mass = {.same = options.mass.same}};
  const StoredCatalogue found =
      catalogue(points, groups, measure, options, type_numbers, disk, execution);
  if (options.kind == CenterKind::mass) return found.rows().center;
  return {found.peak().begin(), found.peak().end()};
}

std::span<const double> StoredCatalogue::peak() const { return impl_->peak; }
const Catalogue& StoredCatalogue::rows() const { return impl_->rows; }

void StoredCatalogue::read_order(std::size_t part, std::uint64_t begin,
                                 std::span<std::uint64_t> out) const {
  public_call("order", [&] { impl_->order.read(part, begin, out); });
}

void StoredCatalogue::read_member_ids(std::uint64_t begin, std::span<std::uint64_t> out) const {
  public_call("ids", [&] { impl_->order.read_ids(begin, out); });
}

}  // namespace kith
