// Neighbor lists over ranks: rows of the own atoms among all that are around them, sent back to the
// ranks that gave the atoms.
#include <algorithm>
#include <numeric>
#include <string>

#include "atoms/checks.hpp"
#include "atoms/some_rows.hpp"
#include "mpi/atoms/atom_domains.hpp"
#include "mpi/domains/lists.hpp"

namespace kith::mpi {
namespace {

constexpr const char* kCall = "neighbor_list";

using List = NeighborList<std::int64_t>;

class AtomLists {
 public:
  AtomLists(Call& call, const AtomDomains& atoms, const NeighborListOptions& options)
      : call_(call), atoms_(atoms), options_(options) {}

  List run() {
    const double reach = atoms_.has_lengths() ? 2 * atoms_.largest_length() : options_.cutoff;
    around_ = atoms_.around(call_, reach);
    call_.note_traffic("atoms");
    find();
    offsets_ = atoms_.return_own(call_, around_, counts_);
    List list;
    call_.phase([&](Workers&) {
      offsets_.push_back(0);
      std::exclusive_scan(offsets_.begin(), offsets_.end(), offsets_.begin(), std::int64_t{0});
      list = List(static_cast<std::size_t>(offsets_.back()), dimension(), options_.quantities,
                  call_.execution());
    });
    fill(list);
    call_.note_traffic("lists");
    return list;
  }

 private:
  int dimension() const { return atoms_.system().positions.dimension; }

  /// The rows of the own atoms here, where each begins, and the numbers of neighbors among all.
  void find() {
    call_.phase([&](Workers& workers) {
      NeighborListOptions options = options_;
      options.radii = around_.length;
      const std::string quantities = "ij" + std::string(options_.quantities);
      options.quantities = quantities;
      own_ = neighbor_list_of(atoms_.system_of(around_), options, around_.is_own,
                              inside(call_, workers));
      counts_.assign(around_.size(), 0);
      for (const std::int64_t i : own_.i()) ++counts_[static_cast<std::size_t>(i)];
      std::int64_t at = 0;
      for (std::size_t i = 0; i < around_.size(); ++i)
        if (around_.is_own[i]) {
          begin_.push_back(static_cast<std::size_t>(at));
          at += counts_[i];
        }
      begin_.push_back(static_cast<std::size_t>(at));
      for (const std::int64_t j : own_.j())
        j_.push_back(around_.global[static_cast<std::size_t>(j)]);
    });
  }

  void fill(const List& list) {
    const auto into = [](auto values) {
      using Value = std::remove_const_t<std::remove_pointer_t<decltype(values.data())>>;
      return const_cast<Value*>(values.data());  // the list is new
    };
    const auto wants = [&](char quantity) {
      return options_.quantities.find(quantity) != std::string_view::npos;
    };
    const auto d = static_cast<std::size_t>(dimension());
    if (wants('i')) fill_rows(into(list.i()));
    if (wants('j')) send_back(std::span<const std::int64_t>(j_), 1, into(list.j()));
    if (wants('S')) send_back(own_.shifts(), d, into(list.shifts()));
    if (wants('d')) send_back(own_.distances(), 1, into(list.distances()));
    if (wants('D')) send_back(own_.vectors(), d, into(list.vectors()));
  }

  void fill_rows(std::int64_t* to) const {
    const auto first = static_cast<std::int64_t>(*atoms_.impl().first);
    for (std::size_t row = 0; row + 1 < offsets_.size(); ++row)
      std::fill(to + offsets_[row], to + offsets_[row + 1], first + static_cast<std::int64_t>(row));
  }

  template <class Value>
  void send_back(std::span<const Value> from, std::size_t width, Value* to) {
    const auto list_of = [&](std::size_t local) {
      return from.subspan(begin_[local] * width, (begin_[local + 1] - begin_[local]) * width);
    };
    return_lists<Value>(call_, atoms_.impl().route, list_of, {offsets_, width}, to);
  }

  Call& call_;
  const AtomDomains& atoms_;
  const NeighborListOptions& options_;
  AtomsAround around_;
  List own_;
  std::vector<std::int64_t> counts_;  ///< of atoms around, 0 for those of other ranks
  std::vector<std::size_t> begin_;    ///< of the row of each local index, and the end
  std::vector<std::int64_t> j_;
  std::vector<std::int64_t> offsets_;  ///< of the rows of the input
};

}  // namespace

List neighbor_list(MPI_Comm comm, const AtomSystem& system, const NeighborListOptions& options,
                   const Execution& execution) {
  return public_call(kCall, [&] {
    const AtomDomains atoms(kCall, comm, system, options.radii, execution,
                            [&] { check_cutoffs(kCall, std::span(&system, 1), options); });
    Call call(kCall, *atoms.impl().communicator, execution);
    call.same().add("cutoff", options.cutoff);
    call.same().add("strict", std::uint64_t{options.strict});
    call.same().add("half", std::uint64_t{options.half});
    call.same().add("self_interaction", std::uint64_t{options.self_interaction});
    call.same().add("max_neighbors", std::uint64_t{options.max_neighbors});
    for (const char quantity : std::string_view("ijSdD"))
      call.same().add_unshown(
          "quantities", std::uint64_t{options.quantities.find(quantity) != std::string_view::npos});
    call.quick([&] {
      if (atoms.has_lengths() && options.cutoff != 0)
        refuse("{}: both cutoff = {} and radii are given; give one of them", kCall, options.cutoff);
    });
    return AtomLists(call, atoms, options).run();
  });
}

}  // namespace kith::mpi
