// The method of one process (groups/potential.cpp) over ranks. All ranks of a group know the nodes
// of all branches of its octree. A rank asks for those branches of others that its own receivers
// open, about as many at a time as it has itself. The bodies that are deepest by these sums are
// judged by direct sums, to which every rank adds its blocks of members.
#include "mpi/groups/split_deepest.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>

#include "groups/direct_sum.hpp"
#include "mpi/groups/split_bodies.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

/// A rank asks another for a branch.
struct BranchRequest {
  std::uint64_t label, branch;
};

/// Sums of the tree code for the bodies of this rank, some branches at a time.
class SplitWalk {
 public:
  SplitWalk(Call& call, const RankTeam& team, const SplitBodies& bodies, double softening)
      : call_(call), team_(team), bodies_(bodies), softening_(softening) {}

  /// Of each part here, by place along the curve. Collective.
  std::vector<std::vector<Depth>> run() {
    share_branches();
    while (walk_some()) {
    }
    return std::move(depth_);
  }

 private:
  /// Branches of this rank, and all that they open.
  struct Batch {
    std::size_t p = 0, begin = 0, end = 0;  ///< [begin, end) of part p
    std::vector<std::uint64_t> open;        ///< ascending
  };

  const std::vector<GroupPiece>& pieces() const { return team_.pieces(); }
  std::size_t d() const { return team_.source().d; }

  // ---- the top of the tree

  std::size_t node_width() const { return 2 + 3 * d(); }

  /// The nodes of the branches of each rank go to all ranks of the group.
  void share_branches() {
    std::vector<double> rows;
    Runs out;
    call_.work([&](Workers&) {
      for (std::size_t p = 0; p < pieces().size(); ++p) {
        const CurvePart& part = bodies_.part(p);
        if (bodies_.cuts(p).is_small() || part.count == 0) continue;
        const std::vector<double> nodes = packed(OctreeBranches(d(), part.x, part.mass).nodes(d()));
        for (int rank = pieces()[p].owner; rank <= pieces()[p].last; ++rank) {
          rows.insert(rows.end(), nodes.begin(), nodes.end());
          out.extend(rank, part.count);
        }
      }
    });
    const Received<double> arrived = call_.exchange(out, rows.data(), node_width());
    call_.phase([&](Workers&) {
      rows = {};
      const double* at = arrived.values.data();
      top_.resize(pieces().size());
      done_.resize(pieces().size());
      depth_.resize(pieces().size());
      for (std::size_t p = 0; p < pieces().size(); ++p) {
        if (bodies_.cuts(p).is_small()) continue;
        const auto branches = static_cast<std::size_t>(bodies_.cuts(p).branches());
        top_[p] = std::make_unique<OctreeTop>(d(), unpacked(at, branches));
        at += branches * node_width();
        depth_[p].resize(bodies_.part(p).bodies());
      }
    });
  }

  std::vector<double> packed(const OctreePlane& plane) const {
    std::vector<double> rows;
    for (std::size_t node = 0; node < plane.nodes; ++node) {
      rows.insert(rows.end(), {plane.mass[node], plane.size2[node]});
      for (const auto* each : {&plane.middle, &plane.lower, &plane.upper})
        rows.insert(rows.end(), each->data() + node * d(), each->data() + (node + 1) * d());
    }
    return rows;
  }

  OctreePlane unpacked(const double* row, std::size_t nodes) const {
    OctreePlane plane;
    plane.nodes = nodes;
    for (std::size_t node = 0; node < nodes; ++node) {
      plane.mass.push_back(*row++);
      plane.size2.push_back(*row++);
      for (auto* each : {&plane.middle, &plane.lower, &plane.upper}) {
        each->insert(each->end(), row, row + d());
        row += d();
      }
    }
    return plane;
  }

  // ---- batches

  /// False when no rank has anything left.
  bool walk_some() {
    Batch batch;
    call_.phase([&](Workers& workers) { batch = next_batch(workers); });
    std::int64_t is_more = batch.begin < batch.end ? -1 : 0;
    call_.communicator().least(&is_more, 1);
    if (is_more == 0) return false;
    const Array<double> fetched = fetch(batch);
    call_.work([&](Workers& workers) { walk(batch, {fetched.data(), fetched.size()}, workers); });
    return true;
  }

  bool is_done(std::size_t p) const {
    return bodies_.cuts(p).is_small() || done_[p] == bodies_.part(p).count;
  }

  Batch next_batch(const Workers& workers) const {
    Batch batch;
    while (batch.p < pieces().size() && is_done(batch.p)) ++batch.p;
    if (batch.p == pieces().size()) return batch;
    const CurvePart& part = bodies_.part(batch.p);
    const OctreeTop& top = *top_[batch.p];
    const std::size_t most = 2 * part.count + 8;
    batch.begin = batch.end = done_[batch.p];
    for (; batch.end < part.count; ++batch.end) {
      workers.check_cancelled();
      std::vector<std::uint64_t> open, all;
      OctreeOpening(d()).each_open(top, part.first + batch.end,
                                   [&](std::size_t branch) { open.push_back(branch); });
      std::set_union(batch.open.begin(), batch.open.end(), open.begin(), open.end(),
                     std::back_inserter(all));
      if (batch.end > batch.begin && all.size() > most) break;
      batch.open = std::move(all);
    }
    return batch;
  }

  /// Rows of mass and coordinates of the bodies of open branches on other ranks.
  Array<double> fetch(const Batch& batch) {
    std::vector<BranchRequest> requests;
    Runs back, out;
    const auto rank_of = [&](const BranchRequest& request) {
      return bodies_.cuts(batch.p).rank_of(request.branch);
    };
    call_.prepare([&] {
      for (const std::uint64_t branch : batch.open) {
        const BranchRequest request{pieces()[batch.p].label, branch};
        if (rank_of(request) == call_.rank()) continue;
        requests.push_back(request);
        back.extend(rank_of(request), bodies_.cuts(batch.p).size_of(branch));
      }
    });
    const Received<BranchRequest> asked = send_rows(call_, requests, rank_of);
    std::vector<double> answers;
    call_.prepare([&] {
      for (std::size_t i = 0; i < asked.runs.size(); ++i) {
        const std::size_t before = answers.size();
        for (const BranchRequest& request : asked.run(i)) add_branch(request, answers);
        out.add(asked.runs.rank[i], (answers.size() - before) / width());
      }
    });
    return call_.exchange(out, answers.data(), back, width());
  }

  std::size_t width() const { return 1 + d(); }  ///< of a row of mass and coordinates

  void add_branch(const BranchRequest& request, std::vector<double>& rows) const {
    std::size_t p = 0;
    while (pieces()[p].label != request.label) ++p;
    const CurvePart& part = bodies_.part(p);
    const std::size_t begin = (static_cast<std::size_t>(request.branch) - part.first) * kBranch;
    for (std::size_t i = begin; i < begin + bodies_.cuts(p).size_of(request.branch); ++i) {
      rows.push_back(part.mass[i]);
      rows.insert(rows.end(), part.x.data() + i * d(), part.x.data() + (i + 1) * d());
    }
  }

  // ---- sums

  void walk(const Batch& batch, std::span<const double> fetched, const Workers& workers) {
    if (batch.begin == batch.end) return;
    const CurvePart& part = bodies_.part(batch.p);
    // A branch opens itself, so those of this batch are there, one after the other.
    constexpr std::size_t kBodies = kOctet * kOctet;
    const auto own =
        std::lower_bound(batch.open.begin(), batch.open.end(), part.first + batch.begin);
    const std::size_t first =
        static_cast<std::size_t>(own - batch.open.begin()) * (kBranch / kBodies);
    const OctreeBranches branches = opened(batch, fetched);
    const OctreeSum sum(d(), softening_, *top_[batch.p], branches, batch.open);
    const std::size_t begin = batch.begin * kBranch,
                      end = std::min(part.bodies(), batch.end * kBranch);
    std::vector<Depth>& depth = depth_[batch.p];
    workers.for_ranges(range_count(end - begin, kBodies), 4, [&](std::size_t from, std::size_t to) {
      for (std::size_t octet = from; octet < to; ++octet) {
        double potential[kBodies];
        sum.run(first + octet, potential);
        const std::size_t place = begin + octet * kBodies;
        for (std::size_t i = place; i < std::min(end, place + kBodies); ++i)
          depth[i] = {potential[i - place], part.number[i]};
      }
    });
    done_[batch.p] = batch.end;
  }

  OctreeBranches opened(const Batch& batch, std::span<const double> fetched) const {
    const CurvePart& part = bodies_.part(batch.p);
    std::vector<double> x, mass;
    for (const std::uint64_t each : batch.open) {
      const auto branch = static_cast<std::size_t>(each);
      const bool is_own = branch >= part.first && branch < part.first + part.count;
      const std::size_t begin = is_own ? (branch - part.first) * kBranch : 0;
      for (std::size_t i = begin; i < begin + bodies_.cuts(batch.p).size_of(each); ++i) {
        const double* at = is_own ? part.x.data() + i * d() : fetched.data() + 1;
        mass.push_back(is_own ? part.mass[i] : fetched.front());
        x.insert(x.end(), at, at + d());
        if (!is_own) fetched = fetched.subspan(1 + d());
      }
    }
    return {d(), std::move(x), std::move(mass)};
  }

  Call& call_;
  const RankTeam& team_;
  const SplitBodies& bodies_;
  double softening_;
  std::vector<std::unique_ptr<const OctreeTop>> top_;  ///< of each part's group
  std::vector<std::size_t> done_;                      ///< branches of each part
  std::vector<std::vector<Depth>> depth_;              ///< with the number in the group
};

/// Bodies that are judged, as numbers: number in the group, coordinates; for the owner the depth
/// before.
class Judgement {
 public:
  Judgement(Call& call, const RankTeam& team, const SplitBodies& bodies, double softening)
      : call_(call), team_(team), bodies_(bodies), split_(team.split()), softening_(softening) {}

  /// The place of the deepest body of the group that this rank owns.
  std::vector<double> run(std::vector<std::vector<Depth>> depth) {
    PieceRows rows;
    call_.work([&](Workers& workers) {
      for (std::size_t p = 0; p < depth.size(); ++p)
        rows.push_back(bodies_.cuts(p).is_small() ? few(p, workers) : deep(p, depth[p]));
    });
    const SplitGroups::Gathered found = split_.to_owner(rows);
    std::vector<double> chosen;
    call_.prepare([&] { chosen = deepest_rows(found.values); });
    candidates_ = split_.to_all_parts(chosen);
    call_.work([&](Workers& workers) {
      for (std::size_t p = 0; p < rows.size(); ++p) rows[p] = sums(p, workers);
    });
    const SplitGroups::Gathered blocks = split_.to_owner(rows);
    std::vector<double> place;
    call_.quick([&] {
      if (split_.is_owner()) place = first_of(chosen, blocks.values);
    });
    return place;
  }

 private:
  std::size_t d() const { return team_.source().d; }
  std::size_t width() const { return 1 + d(); }  ///< of a candidate

  /// The deepest of each part, a row for each: depth, number, coordinates.
  std::vector<double> deep(std::size_t p, std::vector<Depth>& depth) const {
    const CurvePart& part = bodies_.part(p);
    std::vector<std::pair<Depth, std::size_t>> sorted;  // with the place here
    for (std::size_t i = 0; i < depth.size(); ++i) sorted.emplace_back(depth[i], i);
    depth = {};
    const std::size_t count = std::min(kDeepestBy, sorted.size());
    std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                      sorted.end());
    std::vector<double> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.insert(rows.end(),
                  {sorted[i].first.first, std::bit_cast<double>(sorted[i].first.second)});
      const double* x = part.x.data() + sorted[i].second * d();
      rows.insert(rows.end(), x, x + d());
    }
    return rows;
  }

  /// Few bodies are all with the owner, along the curve: the code of one process.
  std::vector<double> few(std::size_t p, const Workers& workers) const {
    const CurvePart& part = bodies_.part(p);
    const std::size_t count = part.bodies();
    if (count == 0) return {};
    std::vector<std::pair<std::uint64_t, std::size_t>> order;  // by number in the group
    for (std::size_t i = 0; i < count; ++i) order.emplace_back(part.number[i], i);
    std::sort(order.begin(), order.end());
    Bodies bodies{.d = d(), .count = count, .x = std::vector<double>(d() * count)};
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 && order[i].first / kSumBlock != order[i - 1].first / kSumBlock)
        bodies.block_end.push_back(i);
      bodies.mass.push_back(part.mass[order[i].second]);
      for (std::size_t axis = 0; axis < d(); ++axis)
        bodies.x[axis * count + i] = part.x[order[i].second * d() + axis];
    }
    bodies.block_end.push_back(count);
    const std::size_t i = deepest(bodies, softening_, workers);
    std::vector<double> row{0, std::bit_cast<double>(order[i].first)};
    for (std::size_t axis = 0; axis < d(); ++axis) row.push_back(bodies.at(i, axis));
    return row;
  }

  /// The candidates of the group, by number.
  std::vector<double> deepest_rows(const std::vector<double>& rows) const {
    std::vector<std::pair<Depth, const double*>> sorted;
    for (std::size_t at = 0; at < rows.size(); at += 1 + width())
      sorted.push_back({{rows[at], std::bit_cast<std::uint64_t>(rows[at + 1])}, &rows[at + 1]});
    std::sort(sorted.begin(), sorted.end());
    sorted.resize(std::min(kDeepestBy, sorted.size()));
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first.second < b.first.second; });
    std::vector<double> chosen;
    for (const auto& each : sorted) chosen.insert(chosen.end(), each.second, each.second + width());
    return chosen;
  }

  /// The potential of each block of members here at the candidates.
  std::vector<double> sums(std::size_t p, const Workers& workers) const {
    const Bodies& bodies = bodies_.bodies(p);
    const std::vector<std::uint64_t>& number = bodies.number;
    const DirectSum<double> sum(bodies, softening_);
    DirectSum<double>::Receivers to;
    for (std::size_t at = 0; at < candidates_[p].size(); at += width()) {
      to.add(d(), [&](std::size_t axis) { return candidates_[p][at + 1 + axis]; });
      const auto own = std::bit_cast<std::uint64_t>(candidates_[p][at]);
      const auto here = std::lower_bound(number.begin(), number.end(), own);
      if (here != number.end() && *here == own)
        to.is_body(static_cast<std::size_t>(here - number.begin()));
    }
    std::vector<double> blocks(bodies.block_end.size() * to.size());
    workers.for_ranges(bodies.block_end.size(), 1, [&](std::size_t block, std::size_t) {
      WorkMeter meter(workers);
      sum.run(to, block == 0 ? 0 : bodies.block_end[block - 1], bodies.block_end[block],
              blocks.data() + block * to.size(), meter);
    });
    return blocks;
  }

  std::vector<double> first_of(const std::vector<double>& chosen,
                               const std::vector<double>& blocks) const {
    const std::size_t count = chosen.size() / width();
    std::vector<double> potential(count);
    for (std::size_t at = 0; at < blocks.size(); ++at) potential[at % count] += blocks[at];
    const auto first = std::min_element(potential.begin(), potential.end()) - potential.begin();
    const double* row = chosen.data() + static_cast<std::size_t>(first) * width();
    return {row + 1, row + width()};
  }

  Call& call_;
  const RankTeam& team_;
  const SplitBodies& bodies_;
  const SplitGroups& split_;
  double softening_;
  PieceRows candidates_;  ///< of each part's group
};

}  // namespace

std::vector<double> split_deepest(Call& call, RankTeam& team, double softening) {
  team.keep_blocks();
  SplitBodies bodies(call, team);
  bodies.find();
  std::vector<std::vector<Depth>> depth = SplitWalk(call, team, bodies, softening).run();
  return Judgement(call, team, bodies, softening).run(std::move(depth));
}

}  // namespace kith::mpi
