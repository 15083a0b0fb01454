// The subhalos of stored points: members are sorted on disk into batches of whole groups, and each
// batch is a call in memory. The subhalos of a group depend on its members alone.
#include <kith/detail/result_rows.hpp>
#include <kith/io/stored_subhalos.hpp>
#include <kith/tree.hpp>

#include "base/dispatch.hpp"
#include "base/format.hpp"
#include "groups/append_rows.hpp"
#include "parallel/public_call.hpp"
#include "slabs/column.hpp"
#include "slabs/member_batches.hpp"
#include "slabs/whole_progress.hpp"

namespace kith {

class StoredSubhalos::Impl {
 public:
  Subhalos rows;
  std::vector<std::int64_t> type_size;
  std::vector<std::uint64_t> most_bound_id;
  std::unique_ptr<slabs::Column> label;
  slabs::MemberOrder order;
};

namespace {

using namespace slabs;

/// The rows that a batch adds.
struct SubhaloRows {
  Subhalos found;  ///< without members; parents are groups, hosts rows of the batch
  std::vector<std::int64_t> type_size;
  std::vector<std::uint64_t> most_bound_id;

  template <class Archive>
  void each_state(Archive& archive) {
    archive(found.parent);
    archive(found.host);
    archive(found.most_bound);
    archive(found.peak);
    archive(type_size);
    archive(most_bound_id);
    for_each_column(found.catalogue,
                    [&](const CatalogueColumn&, auto& values) { archive(values); });
  }
};

template <class Value>
void append_values(const std::vector<Value>& from, std::vector<Value>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Bytes for a member while the subhalos of its group are found, beside its columns.
std::size_t search_bytes(const SubhaloOptions& options, int dimension) {
  constexpr std::size_t kLists = 40;  // members, labels and orders
  constexpr std::size_t kBound = 300;
  if (are_bound(options)) return kLists + kBound;
  constexpr std::size_t kMany = 1000000;
  const auto row = 2 * static_cast<std::size_t>(dimension) * sizeof(double);
  return kLists + row + estimate_memory(kMany, 2 * dimension, Scalar::float64).peak / kMany;
}

std::string text_of(const SubhaloOptions& options) {
  return formatted(
      "{} {} {} {} {} {} {} {} {}", name(options.method), options.linking_length,
      options.position_scale, options.velocity_scale, options.min_size, options.gravity,
      options.softening, options.hubble_flow,
      formatted("{} {} {} {} {}", options.thermal_energy.same, options.density_neighbors,
                options.link_neighbors, options.types, options.mass.same));
}

template <class T>
class SubhaloFinder {
 public:
  SubhaloFinder(const StoredPoints& points, const StoredGroups& groups,
                const SubhaloOptions& options, std::span<const int> type_numbers,
                const Budget& budget, const Execution& execution, Workers& workers,
                StoredSubhalos::Impl& out)
      : groups_(impl_of(groups)),
        options_(options),
        parts_(points.counts()),
        dimension_(points.dimension()),
        budget_(budget),
        inner_(inside_stage(execution)),
        workers_(workers),
        out_(out),
        batches_(points, groups, type_numbers, budget) {}

  void run() {
    batches_.cut("subhalos", search_bytes(options_, dimension_));
    out_.rows = searched({}).found;  // checks the options
    out_.rows.catalogue.types = batches_.types(options_.types);
    batches_.sort("members of halos", true, workers_);
    out_.order = batches_.new_order();
    out_.label =
        std::make_unique<Column>(groups_.scratch, groups_.points, batches_.all().size(),
                                 groups_.grouped, batches_.input_order(), std::int32_t{-1}, 1);
    search_batches();
    const Stage stage(workers_, "order", groups_.points);
    out_.order.add_ungrouped(batches_.piece_rows(), workers_,
                             [&](std::uint64_t begin, std::span<std::int32_t> label) {
                               groups_.read_labels(begin, label);
                             });
  }

 private:
  void search_batches() {
    const Stage stage(workers_, "subhalos", groups_.grouped);
    const std::string pass = "subhalos " + text_of(options_);
    for (const Batch& batch : batches_.all()) {
      workers_.check_cancelled();
      if (batch.members == 0) continue;
      SubhaloRows rows;
      run_pass(
          *groups_.scratch, formatted("{} from {}", pass, batch.first),
          [&](auto& archive) {
            rows.each_state(archive);
            out_.order.each_state(archive);
          },
          [&] { rows = searched(batch); });
      add(rows);
      before_ += batch.members;
      workers_.advance(batch.members);
    }
  }

  /// The subhalos of a batch. That without groups has what columns know without rows.
  SubhaloRows searched(const Batch& batch) {
    const BatchMembers<T> members = batches_.read(batch);
    SubhaloOptions own = options_;
    own.velocity = members.velocity();
    own.mass = members.mass(options_.mass);
    own.type = members.type;
    own.types = batches_.types(options_.types);
    Subhalos found = kith::subhalos(members.points(), members.members, own, inner_);
    if (batch.members == 0) return {std::move(found), {}, {}};
    put_labels(found, batch.members);
    members.put(members_in_order(members.members, &found), out_.order);
    return rows_of(std::move(found), members.fields, batch);
  }

  void put_labels(const Subhalos& found, std::size_t members) const {
    std::vector<std::int32_t> label = subhalo_labels(found, members);
    const auto first = static_cast<std::int32_t>(out_.rows.parent.size());
    for (std::int32_t& each : label)
      if (each >= 0) each += first;
    out_.label->write(before_, std::span<const std::int32_t>(label), workers_);
  }

  /// Places in the batch become indices.
  SubhaloRows rows_of(Subhalos&& found, const MemberFields<T>& fields, const Batch& batch) const {
    SubhaloRows rows;
    const Members& members = found.members;
    rows.type_size.assign(found.parent.size() * parts_.count(), 0);
    for (std::size_t s = 0; s < found.parent.size(); ++s)
      for (const std::uint32_t i : members.of(s))
        ++rows.type_size[s * parts_.count() + parts_.of(fields.index[i])];
    for (const std::int64_t i : found.most_bound)
      if (fields.has_id) rows.most_bound_id.push_back(fields.id[static_cast<std::size_t>(i)]);
    for (auto* places : {&found.most_bound, &found.catalogue.lowest})
      for (std::int64_t& place : *places)
        place = static_cast<std::int64_t>(fields.index[static_cast<std::size_t>(place)]);
    for (std::int64_t& parent : found.parent) parent += static_cast<std::int64_t>(batch.first);
    found.members = {};
    found.by_binding = {};
    rows.found = std::move(found);
    return rows;
  }

  void add(SubhaloRows& rows) {
    Subhalos& all = out_.rows;
    const auto first = static_cast<std::int64_t>(all.parent.size());
    for (std::int64_t& host : rows.found.host)
      if (host >= 0) host += first;
    const std::size_t subhalos = all.parent.size() + rows.found.parent.size();
    check_tables("subhalos", subhalos * (64 + 40 * sizeof(double)), budget_);
    append_values(rows.found.parent, all.parent);
    append_values(rows.found.host, all.host);
    append_values(rows.found.most_bound, all.most_bound);
    append_values(rows.found.peak, all.peak);
    append(rows.found.catalogue, all.catalogue);
    append_values(rows.type_size, out_.type_size);
    append_values(rows.most_bound_id, out_.most_bound_id);
  }

  const StoredGroups::Impl& groups_;
  const SubhaloOptions& options_;
  TypeParts parts_;
  int dimension_;
  const Budget& budget_;
  Execution inner_;
  Workers& workers_;
  StoredSubhalos::Impl& out_;
  MemberBatches<T> batches_;
  std::uint64_t before_ = 0;  ///< members of batches before
};

void check(const StoredPoints& points, const StoredGroups& groups, const SubhaloOptions& options,
           std::span<const int> type_numbers) {
  check_groups("subhalos", points, groups, type_numbers);
  if (!points.has(Field::velocity) && points.size() > 0)
    refuse("subhalos: the stored points have no velocities");
  if (options.velocity.data || options.mass.data || !options.type.empty())
    refuse("subhalos: velocities, masses and types of stored points are theirs; leave them out");
  if (options.thermal_energy.data)
    refuse("subhalos: thermal energies of stored points are not read; leave them out");
}

}  // namespace

StoredSubhalos subhalos(const StoredPoints& points, const StoredGroups& groups,
                        const SubhaloOptions& options, std::span<const int> type_numbers,
                        const DiskOptions& disk, const Execution& given) {
  return slabs::watched_call("subhalos", given, {{"members", 3}, {"subhalos", 60}, {"order", 1}},
                             points.size(), [&](const Execution& execution, Workers& workers) {
                               check(points, groups, options, type_numbers);
                               const Budget budget = budget_of(points, disk);
                               auto result = std::make_shared<StoredSubhalos::Impl>();
                               with_scalar(points.scalar(), [&]<class T>() {
                                 SubhaloFinder<T>(points, groups, options, type_numbers, budget,
                                                  execution, workers, *result)
                                     .run();
                               });
                               return wrap_impl<StoredSubhalos>(std::move(result));
                             });
}

const Subhalos& StoredSubhalos::rows() const { return impl_->rows; }
std::span<const std::int64_t> StoredSubhalos::type_sizes() const { return impl_->type_size; }
std::span<const std::uint64_t> StoredSubhalos::most_bound_ids() const {
  return impl_->most_bound_id;
}

void StoredSubhalos::read_labels(std::uint64_t begin, std::span<std::int32_t> out) const {
  public_call("labels", [&] { impl_->label->read("labels", begin, out); });
}
void StoredSubhalos::read_order(std::size_t part, std::uint64_t begin,
                                std::span<std::uint64_t> out) const {
  public_call("order", [&] { impl_->order.read(part, begin, out); });
}
void StoredSubhalos::read_member_ids(std::uint64_t begin, std::span<std::uint64_t> out) const {
  public_call("ids", [&] { impl_->order.read_ids(begin, out); });
}

}  // namespace kith
