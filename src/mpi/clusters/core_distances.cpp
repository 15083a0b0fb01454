#include "mpi/clusters/core_distances.hpp"

#include <algorithm>
#include <limits>

#include "base/exact_sum.hpp"
#include "mpi/neighbors/search.hpp"

namespace kith::mpi {
namespace {

/// The weights of the nearest points, more and more of them until each point has enough.
template <class T>
class WeightedCores {
 public:
  WeightedCores(Call& call, const Domains::Impl& domains, std::size_t least, const double* weight,
                Array<T>& core2)
      : call_(call),
        domains_(domains),
        sources_{domains.as<T>(), {}, weight},
        least_(static_cast<double>(least)),
        core2_(core2) {}

  void run() {
    check_total();
    const Part<T>& part = sources_.part;
    call_.prepare([&] { is_open_ = Array<std::uint8_t>(part.planes.points); });
    std::uint64_t k = std::min({static_cast<std::uint64_t>(least_), kMostAtOnce, domains_.total});
    search({&part.planes, part.view(), true}, k, nullptr);
    for (Subset<T> rest;;) {
      std::int64_t open = 0;
      call_.phase([&](Workers& workers) {
        rest = Parts<T>::subset(part.planes, is_open_, workers);
        open = static_cast<std::int64_t>(rest.planes.points);
      });
      call_.communicator().sum(&open, 1);
      if (open == 0) return;
      call_.quick([&] {
        if (k == domains_.total) refuse_total();
      });
      k = std::min(4 * k, domains_.total);
      search({&rest.planes, rest.planes.view(), false}, k, rest.position.data());
    }
  }

 private:
  static constexpr std::uint64_t kMostAtOnce = 64;

  /// For the message, and to refuse without a search where rounding does not matter.
  void check_total() {
    std::vector<double> sums;
    double own = 0;
    call_.quick([&] {
      for (std::size_t i = 0; i < sources_.own(); ++i) own += sources_.value[i];
      sums.resize(static_cast<std::size_t>(call_.ranks()));
    });
    call_.communicator().gather_all(&own, sizeof own, sums.data());
    call_.quick([&] {
      for (const double sum : sums) total_ += sum;
      if (total_ < least_ * (1 - 1e-6)) refuse_total();
    });
  }
  [[noreturn]] void refuse_total() const {
    refuse("spanning_tree: core_k = {}, but all weights add up to {}; give at most their sum",
           static_cast<std::size_t>(least_), total_);
  }

  /// `position`: that of each query among the points of this rank; null: the same.
  void search(const Queries<T>& queries, std::size_t k, const std::uint32_t* position) {
    const KnnOptions options{.k = k, .order = RowOrder::tree};
    search_knn<T>(call_, queries, options, sources_, [&](const Row<T>& row) {
      const std::size_t at = position ? position[row.position] : row.position;
      ExactSum sum;
      is_open_[at] = 1;
      for (std::size_t i = 0; i < row.count && is_open_[at] != 0; ++i) {
        sum.add(sources_.value_of(row.point[i]));
        if (!sum.reaches(least_)) continue;
        core2_[at] = row.d2[i];
        is_open_[at] = 0;
      }
    });
  }

  Call& call_;
  const Domains::Impl& domains_;
  Sources<T> sources_;
  double least_;
  double total_ = 0;
  Array<T>& core2_;
  Array<std::uint8_t> is_open_;  ///< by position
};

}  // namespace

template <class T>
Array<T> core_distances_of_ranks(Call& call, const Domains::Impl& domains, std::size_t k,
                                 const double* weight) {
  const Part<T>& part = domains.as<T>();
  const std::size_t n = part.planes.points;
  Array<T> core2;
  call.quick([&] {
    if (!weight && k > std::max<std::uint64_t>(1, domains.total))
      refuse("spanning_tree: core_k = {} of {} points; give at most their number", k,
             domains.total);
    core2 = Array<T>(lanes_up(n));
    std::fill(core2.begin(), core2.end(), std::numeric_limits<T>::infinity());
  });
  if (weight) {
    if (domains.total > 0) WeightedCores<T>(call, domains, k, weight, core2).run();
    return core2;
  }
  Sources<T> sources{part, {}, nullptr};
  const KnnOptions options{.k = k, .order = RowOrder::tree};
  const Queries<T> own{&part.planes, part.view(), true};
  search_knn<T>(call, own, options, sources,
                [&](const Row<T>& row) { core2[row.position] = row.d2[row.count - 1]; });
  return core2;
}

template Array<float> core_distances_of_ranks(Call&, const Domains::Impl&, std::size_t,
                                              const double*);
template Array<double> core_distances_of_ranks(Call&, const Domains::Impl&, std::size_t,
                                               const double*);

}  // namespace kith::mpi
