// Correlation functions over ranks: every rank has the trees of all points and does some of the
// tasks of a count; rank 0 adds their parts in the order of one process.
#include <bit>
#include <optional>

#include <kith/mpi.hpp>

#include "mpi/pairs/all_points.hpp"
#include "pairs/correlation_job.hpp"
#include "pairs/histogram.hpp"
#include "pairs/parts.hpp"

namespace kith::mpi {
namespace {

// ---- parts as rows of words

/// A row: the task and the two regions of a part, then its sums.
struct PartRows {
  static constexpr std::size_t kHead = 2;
  std::size_t bins, lengths;

  explicit PartRows(const PairTotals& totals)
      : bins(std::max(totals.counts.size(), totals.sums.size())), lengths(totals.lengths.size()) {}
  std::size_t width() const { return kHead + bins + lengths; }

  void append(std::size_t task, const PairPart& part, std::vector<std::uint64_t>& rows) const {
    rows.push_back(task);
    rows.push_back(std::uint64_t{static_cast<std::uint32_t>(part.receiver_region)} << 32 |
                   static_cast<std::uint32_t>(part.source_region));
    const auto add = [&](const auto& values, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        rows.push_back(std::bit_cast<std::uint64_t>(values[i]));
    };
    part.sums.empty() ? add(part.counts, bins) : add(part.sums, bins);
    add(part.lengths, lengths);
  }
  void read(const std::uint64_t* row, bool is_weighted, PairPart& part) const {
    part.receiver_region = static_cast<std::int32_t>(row[1] >> 32);
    part.source_region = static_cast<std::int32_t>(row[1]);
    const auto take = [](const std::uint64_t* from, std::size_t count, auto& values) {
      values.resize(count);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = std::bit_cast<std::remove_reference_t<decltype(values[0])>>(from[i]);
    };
    is_weighted ? take(row + kHead, bins, part.sums) : take(row + kHead, bins, part.counts);
    take(row + kHead + bins, lengths, part.lengths);
  }
};

/// Adds the parts of all ranks task by task; each rank has sent its tasks in order.
void add_parts(const Received<std::uint64_t>& parts, const Workers& workers, PairTotals& totals) {
  const PartRows layout(totals);
  std::vector<std::size_t> at(parts.runs.size());
  PairPart part;
  for (;;) {
    std::uint64_t next = ~std::uint64_t{0};
    std::size_t of = 0;
    for (std::size_t run = 0; run < at.size(); ++run) {
      const auto rows = parts.run(run);
      if (at[run] < rows.size() && rows[at[run]] < next) next = rows[at[run]], of = run;
    }
    if (next == ~std::uint64_t{0}) return;
    workers.check_cancelled();
    const auto rows = parts.run(of);
    for (; at[of] < rows.size() && rows[at[of]] == next; at[of] += layout.width()) {
      layout.read(rows.data() + at[of], !totals.sums.empty(), part);
      add_part(part, totals);
    }
  }
}

// ---- histograms

/// The same totals on every rank.
void broadcast(Call& call, PairTotals& totals) {
  const auto send = [&](auto& values) {
    if (!values.empty())
      call.communicator().broadcast(values.data(), values.size() * sizeof(values[0]), 0);
  };
  send(totals.counts);
  send(totals.sums);
  send(totals.lengths);
  send(totals.touching);
  send(totals.within);
}

/// The totals of a pass. Collective.
PairTotals shared_pass(Call& call, HistogramCount* count, std::size_t pass) {
  const PairShare share{static_cast<std::size_t>(call.rank()),
                        static_cast<std::size_t>(call.ranks())};
  PairTotals totals;
  std::vector<std::uint64_t> rows;
  std::size_t width = 1;
  Runs out;
  call.work([&](Workers& workers) {
    totals = count->no_pairs(pass);
    const PartRows layout(totals);
    width = layout.width();
    const TaskParts parts = count->run(pass, share, workers);
    for (std::size_t task = 0; task < parts.size(); ++task)
      for (const PairPart& part : parts[task]) layout.append(task, part, rows);
    out.add(0, rows.size() / width);
  });
  const auto arrived = call.exchange(out, rows.data(), width);
  call.phase([&](Workers& workers) {
    if (call.rank() == 0) add_parts(arrived, workers, totals);
  });
  broadcast(call, totals);
  return totals;
}

/// Both sets are those of all ranks. Collective.
PairHistogram histogram(Call& call, const PairSet& points, const PairSet* others,
                        const PairHistogramOptions& options) {
  std::unique_ptr<HistogramCount> count;
  std::vector<PairTotals> totals;
  call.phase([&](Workers& workers) {
    check_histogram(points, others, options);
    count = make_histogram_count(points, others, options, inside(call, workers), workers);
    totals.reserve(count->passes());
  });
  for (std::size_t pass = 0; pass < count->passes(); ++pass)
    totals.push_back(shared_pass(call, count.get(), pass));
  PairHistogram result;
  call.quick([&] { result = count->result(std::move(totals)); });
  call.note_traffic("pairs");
  return result;
}

// ---- arguments

void agree_on_bins(SameOptions& same, const PairBinning& bins) {
  same.add_unshown("separation", static_cast<std::uint64_t>(bins.separation));
  same.add_unshown("line_of_sight", static_cast<std::uint64_t>(bins.line_of_sight));
  same.add("number of edges", std::uint64_t{bins.edges.size()});
  same.add_unshown("list of edges", bins.edges);
  same.add("pi_max", bins.pi_max);
  same.add("pi_bins", std::uint64_t{bins.pi_bins});
  same.add("mu_bins", std::uint64_t{bins.mu_bins});
}

void agree_on_pairs(SameOptions& same, std::size_t regions, bool mean_separation,
                    const PairWeightTable& table) {
  same.add("regions", std::uint64_t{regions});
  same.add("mean_separation", std::uint64_t{mean_separation});
  same.add("words of bits", std::uint64_t{table.words});
  same.add_unshown("table of pairwise weights", table.weight);
}

PairHistogram histogram_of(MPI_Comm comm, const PairSet& points, const PairSet* others,
                           const PairHistogramOptions& options, const Execution& execution) {
  return public_call("pair_histogram", [&] {
    Communicator communicator(comm);
    Call call("pair_histogram", communicator, execution);
    agree_on_bins(call.same(), options.bins);
    agree_on_pairs(call.same(), options.regions, options.mean_separation, options.table);
    call.same().add("counts", std::uint64_t{options.counts});
    call.prepare([&] { check_histogram(points, others, options); });
    const AllPoints all(call, points, options.box, options.table.words);
    std::optional<AllPoints> all_others;
    if (others) all_others.emplace(call, *others, options.box, options.table.words);
    return histogram(call, all.set(), others ? &all_others->set() : nullptr, options);
  });
}

Correlation correlation_of(MPI_Comm comm, const PairSet& data, const PairSet* randoms,
                           const CorrelationOptions& options, const Execution& execution) {
  return public_call("correlation", [&] {
    Communicator communicator(comm);
    Call call("correlation", communicator, execution);
    agree_on_bins(call.same(), options.bins);
    agree_on_pairs(call.same(), options.regions, options.mean_separation, options.table);
    call.same().add_unshown("statistic", static_cast<std::uint64_t>(options.statistic));
    call.same().add_unshown("estimator", static_cast<std::uint64_t>(options.estimator));
    call.prepare([&] { CorrelationJob::check(data, randoms, options); });
    const AllPoints all(call, data, options.box, options.table.words);
    std::optional<AllPoints> all_randoms;
    if (randoms) all_randoms.emplace(call, *randoms, options.box);
    std::optional<CorrelationJob> job;
    call.phase([&](Workers& workers) {
      job.emplace(all.set(), randoms ? &all_randoms->set() : nullptr, options,
                  inside(call, workers));
    });
    Correlation result;
    for (const CorrelationJob::Count& count : job->counts())
      result.*count.place = histogram(call, *count.points, count.others, count.options);
    call.quick([&] { job->finish(result); });
    return result;
  });
}

}  // namespace

PairHistogram pair_histogram(MPI_Comm comm, const PairSet& points,
                             const PairHistogramOptions& options, const Execution& execution) {
  return histogram_of(comm, points, nullptr, options, execution);
}
PairHistogram pair_histogram(MPI_Comm comm, const PairSet& points, const PairSet& others,
                             const PairHistogramOptions& options, const Execution& execution) {
  return histogram_of(comm, points, &others, options, execution);
}

Correlation correlation(MPI_Comm comm, const PairSet& data, const CorrelationOptions& options,
                        const Execution& execution) {
  return correlation_of(comm, data, nullptr, options, execution);
}
Correlation correlation(MPI_Comm comm, const PairSet& data, const PairSet& randoms,
                        const CorrelationOptions& options, const Execution& execution) {
  return correlation_of(comm, data, &randoms, options, execution);
}

std::vector<std::int32_t> jackknife_regions(MPI_Comm comm, PointsView points, std::size_t regions,
                                            const Box& box, const Execution& execution) {
  return public_call("jackknife_regions", [&] {
    Communicator communicator(comm);
    Call call("jackknife_regions", communicator, execution);
    call.same().add("regions", std::uint64_t{regions});
    const AllPoints all(call, {.points = points}, box);
    std::vector<std::int32_t> result;
    call.phase([&](Workers& workers) {
      result = kith::jackknife_regions(all.set().points, regions, box, inside(call, workers));
      result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(all.first()));
      result.resize(points.size);
    });
    return result;
  });
}

std::vector<std::int32_t> nearest_regions(MPI_Comm comm, PointsView points,
                                          std::span<const std::int32_t> region, PointsView others,
                                          const Box& box, const Execution& execution) {
  return public_call("nearest_regions", [&] {
    Communicator communicator(comm);
    Call call("nearest_regions", communicator, execution);
    const AllPoints all(call, {.points = points, .region = region}, box);
    std::vector<std::int32_t> result;
    call.phase([&](Workers& workers) {
      result = kith::nearest_regions(all.set().points, all.set().region, others, box,
                                     inside(call, workers));
    });
    return result;
  });
}

}  // namespace kith::mpi
