// Points of several types over ranks: the linked ones make the groups, the attached ones look for
// the nearest of them.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include <kith/mpi.hpp>

#include "base/checked_sort.hpp"
#include "groups/checks.hpp"
#include "groups/reach.hpp"
#include "mpi/domains/domain.hpp"
#include "mpi/groups/fof.hpp"
#include "mpi/groups/groups_impl.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

using Types = std::span<const TypedPoints>;

/// Global indices: type after type, in each type rank after rank.
class TypeNumbering {
 public:
  TypeNumbering(Call& call, Types types) : ranks_(static_cast<std::size_t>(call.ranks())) {
    std::vector<std::uint64_t> mine, all;
    call.quick([&] {
      for (const TypedPoints& type : types) mine.push_back(type.points.size);
      all.resize(mine.size() * ranks_);
      first_.resize(all.size());
    });
    call.communicator().gather_all(mine.data(), mine.size() * sizeof(std::uint64_t), all.data());
    std::uint64_t at = 0;
    for (std::size_t type = 0; type < mine.size(); ++type)
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        first_[type * ranks_ + rank] = at;
        at += all[rank * mine.size() + type];
      }
  }

  std::int64_t first(std::size_t type, int rank) const {
    return static_cast<std::int64_t>(first_[type * ranks_ + static_cast<std::size_t>(rank)]);
  }
  /// The type and the rank that gave a point, and its place among those of that type there.
  struct Place {
    std::size_t type;
    int rank;
    std::uint64_t row;
  };
  Place place_of(std::int64_t index) const {
    const auto after =
        std::upper_bound(first_.begin(), first_.end(), static_cast<std::uint64_t>(index));
    const auto at = static_cast<std::size_t>(after - first_.begin()) - 1;
    return {at / ranks_, static_cast<int>(at % ranks_),
            static_cast<std::uint64_t>(index) - first_[at]};
  }

 private:
  std::size_t ranks_;
  std::vector<std::uint64_t> first_;  ///< [type * ranks + rank]
};

/// The linked points of this rank as one set, with their global indices.
template <class T>
struct LinkedPoints {
  std::vector<T> rows;
  std::vector<std::int64_t> ids;
  std::vector<std::size_t> first;  ///< per type, among the linked ones

  LinkedPoints(Types types, const TypeNumbering& numbering, int rank) {
    for (std::size_t type = 0; type < types.size(); ++type) {
      first.push_back(ids.size());
      const PointsView& points = types[type].points;
      if (types[type].role != Role::linked) continue;
      for (std::size_t i = 0; i < points.size; ++i) {
        const T* row =
            static_cast<const T*>(points.data) + static_cast<std::ptrdiff_t>(i) * points.stride;
        rows.insert(rows.end(), row, row + points.dimension);
        ids.push_back(numbering.first(type, rank) + static_cast<std::int64_t>(i));
      }
    }
  }
  PointsView view(int dimension) const { return kith::view(rows.data(), ids.size(), dimension); }
};

template <class T>
class TypedLinking {
 public:
  TypedLinking(MPI_Comm comm, Call& call, Types types, const FofOptions& options,
               const Execution& execution)
      : comm_(comm),
        call_(call),
        types_(types),
        options_(options),
        execution_(execution),
        numbering_(call, types) {}

  Groups run() {
    const Domains domains = deal_out();
    const Groups groups = fof(domains, options_, RowOrder::input, execution_);
    std::shared_ptr<Groups::Impl> out;
    call_.quick([&] { out = result_of(groups, domains); });
    std::size_t at = 0;
    for (std::size_t type = 0; type < types_.size(); ++type) {
      const std::size_t size = types_[type].points.size;
      if (types_[type].role == Role::attached)
        attach(domains, groups, type, {out->label.data() + at, size});
      at += size;
    }
    cut(impl_of(groups), *out);
    return wrap_impl<Groups>(std::move(out));
  }

 private:
  Domains deal_out() {
    std::optional<LinkedPoints<T>> linked;
    call_.quick([&] {
      linked.emplace(types_, numbering_, call_.rank());
      first_ = linked->first;
    });
    return Domains::curve(
        comm_, linked->view(types_.front().points.dimension),
        {.tree = {.box = options_.box, .non_finite = options_.non_finite}, .ids = linked->ids},
        execution_);
  }

  /// With the labels of the linked points.
  std::shared_ptr<Groups::Impl> result_of(const Groups& groups, const Domains& domains) const {
    auto out = std::make_shared<Groups::Impl>();
    const Groups::Impl& from = impl_of(groups);
    out->linking_length = from.linking_length;
    out->domains = shared_impl_of(domains);
    std::size_t all = 0;
    for (const TypedPoints& type : types_) all += type.points.size;
    out->label = Array<std::int64_t>(all);
    out->index = Array<std::int64_t>(all);
    std::size_t at = 0;
    for (std::size_t type = 0; type < types_.size(); ++type) {
      const std::size_t size = types_[type].points.size;
      std::iota(out->index.data() + at, out->index.data() + at + size,
                numbering_.first(type, call_.rank()));
      if (types_[type].role == Role::linked)
        std::copy_n(groups.label().data() + first_[type], size, out->label.data() + at);
      at += size;
    }
    return out;
  }

  /// There are more members than linked points, by which rows were distributed.
  void cut(const Groups::Impl& linked, Groups::Impl& out) {
    std::vector<Counted> counts;
    std::vector<std::uint64_t> sizes;
    GroupRows rows;
    call_.work([&](Workers& workers) { counts = counted(out, workers); });
    const Received<Counted> arrived = send_rows(call_, counts, [&](const Counted& of) {
      return linked.cuts.owner(static_cast<std::uint64_t>(of.label));
    });
    call_.prepare([&] {
      sizes.resize(linked.size.size());
      for (const Counted& of : arrived.all())
        sizes[static_cast<std::size_t>(of.label) - linked.first] += of.members;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        rows.rows.push_back({static_cast<std::uint64_t>(linked.size[i]),
                             static_cast<std::uint64_t>(linked.lowest[i])});
    });
    rows.cuts = cut_groups_evenly(call_, sizes);
    rows.rows = dealt_rows(call_, rows.rows, linked.first, rows.cuts);
    call_.quick([&] { out.take(std::move(rows), call_.rank()); });
  }

  struct Counted {
    std::int64_t label;
    std::uint64_t members;
  };

  /// Members of each group on this rank, by label.
  std::vector<Counted> counted(const Groups::Impl& groups, const Workers& workers) const {
    std::vector<std::int64_t> label(groups.label.begin(), groups.label.end());
    checked_sort(label.begin(), label.end(), [&] { workers.check_cancelled(); });
    std::vector<Counted> counts;
    for (const std::int64_t each : label) {
      if (each < 0) continue;
      if (counts.empty() || counts.back().label != each) counts.push_back({each, 0});
      ++counts.back().members;
    }
    return counts;
  }

  /// A point that was found, and the place of the one that looks for it.
  struct Question {
    std::int32_t rank;
    std::uint32_t type;
    std::uint64_t row;
    std::uint64_t place;
  };

  /// Each of these points gets the label of the nearest linked one.
  void attach(const Domains& domains, const Groups& groups, std::size_t type,
              std::span<std::int64_t> label) {
    const KnnOptions near{.k = 1, .max_radius = groups.linking_length(), .strict = options_.strict};
    const auto found = knn<T>(domains, types_[type].points, near, execution_);
    std::vector<Question> questions;
    call_.quick([&] {
      std::fill(label.begin(), label.end(), std::int64_t{-1});
      for (std::size_t i = 0; i < label.size(); ++i) {
        if (found.index(i)[0] < 0) continue;
        const auto place = numbering_.place_of(found.index(i)[0]);
        questions.push_back({place.rank, static_cast<std::uint32_t>(place.type), place.row, i});
      }
      std::sort(questions.begin(), questions.end(),
                [](const Question& a, const Question& b) { return a.rank < b.rank; });
    });
    const auto answers = answer_rows<std::int64_t>(
        call_, questions, [](const Question& question) { return question.rank; },
        [&](const Question& question) {
          return groups.label()[first_[question.type] + question.row];
        });
    call_.quick([&] {
      for (std::size_t i = 0; i < answers.of_row.size(); ++i)
        label[questions[i].place] = answers.of_row[i];
    });
  }

  MPI_Comm comm_;
  Call& call_;
  Types types_;
  const FofOptions& options_;
  const Execution& execution_;
  TypeNumbering numbering_;
  std::vector<std::size_t> first_;  ///< per type, among the linked points of this rank
};

}  // namespace

Groups fof(MPI_Comm comm, std::span<const TypedPoints> types, const FofOptions& options,
           const Execution& execution) {
  return public_call("fof", [&] {
    Communicator communicator(comm);
    Call call("fof", communicator, execution, Devices::used);
    call.same().add("types", std::uint64_t{types.size()});
    for (const TypedPoints& type : types)
      call.same().add("role", type.role == Role::linked ? "linked" : "attached");
    add_linking(call.same(), options);
    call.quick([&] {
      check_types(types, options);
      check_fof_options(options);
      if (options.keep_roots)
        refuse("fof: keep_roots is not available for points of several types over ranks");
    });
    return with_scalar(types.front().points.scalar, [&]<class T>() {
      return TypedLinking<T>(comm, call, types, options, execution).run();
    });
  });
}

}  // namespace kith::mpi
