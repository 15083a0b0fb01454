#include "mpi/histories/dealt_members.hpp"

#include <algorithm>
#include <limits>

#include "mpi/transport/rows.hpp"
#include "parallel/pieces.hpp"

namespace kith::mpi {
namespace {

using histories::MemberRow;
using histories::SetName;
using histories::SharedMember;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

int rank_of_id(std::uint64_t id, int ranks) {
  return static_cast<int>(histories::hash_of_id(id) % static_cast<std::uint64_t>(ranks));
}

/// The number of objects of all ranks.
std::size_t agreed_objects(Call& call, const LabeledIds& set, const SetName& name) {
  call.same().add("number of objects", std::uint64_t{set.objects});
  std::int64_t largest = 0;
  call.phase([&](Workers& workers) { largest = -histories::largest_label(workers, set, name); });
  auto labels = static_cast<std::int64_t>(set.label.size());
  call.communicator().least(&largest, 1);
  call.communicator().sum(&labels, 1);
  std::size_t objects = 0;
  call.quick([&] {
    objects = histories::objects_of(static_cast<std::int32_t>(-largest),
                                    static_cast<std::uint64_t>(labels), set.objects, name);
  });
  return objects;
}

/// The members that this rank gives to an object.
struct Piece {
  std::int32_t object;
  std::uint64_t members;
};

/// Ranks of binding: the members of an object on lower ranks come first.
class Numbering {
 public:
  explicit Numbering(Call& call) : call_(call) {}

  /// Also fills the offsets of own objects.
  void number(const LabeledIds& set, const SetName& name, DealtMembers& members) {
    const auto ranks = static_cast<std::size_t>(call_.ranks());
    std::vector<Piece> pieces;
    std::vector<std::uint64_t> size;
    call_.work([&](Workers& workers) {
      next_.assign(members.objects, 0);
      for_each_in_order(workers, set.label.size(), [&](std::size_t i) {
        if (set.label[i] >= 0) ++next_[static_cast<std::size_t>(set.label[i])];
      });
      for (std::size_t r = 0; r < ranks; ++r)
        for (std::size_t o = r; o < next_.size(); o += ranks)
          if (next_[o] > 0) pieces.push_back({static_cast<std::int32_t>(o), next_[o]});
      const auto rank = static_cast<std::size_t>(call_.rank());
      if (rank < members.objects) size.assign((members.objects - rank - 1) / ranks + 1, 0);
    });
    // Questions are answered in order of the ranks that ask.
    const auto first = answer_rows<std::uint64_t>(
        call_, pieces, [&](const Piece& piece) { return piece.object % call_.ranks(); },
        [&](const Piece& piece) {
          std::uint64_t& known = size[static_cast<std::size_t>(piece.object) / ranks];
          return std::exchange(known, known + piece.members);
        });
    call_.prepare([&] {
      for (std::size_t k = 0; k < pieces.size(); ++k)
        next_[static_cast<std::size_t>(pieces[k].object)] = first.of_row[k];
      set_offsets(size, name, members.own.offset);
    });
  }

  std::uint64_t take(std::int32_t object) { return next_[static_cast<std::size_t>(object)]++; }

 private:
  static void set_offsets(const std::vector<std::uint64_t>& size, const SetName& name,
                          std::vector<std::size_t>& offset) {
    offset.assign(1, 0);
    for (const std::uint64_t members : size) offset.push_back(offset.back() + members);
    if (offset.back() > kMost)
      fail(ErrorCode::too_large,
           "{}: {} members of {} belong to objects of one rank, which takes {}; start more ranks",
           name.call, offset.back(), name.set, kMost);
  }

  Call& call_;
  std::vector<std::uint64_t> next_;
};

/// Rows by the rank of their ID, in the order of the set.
void scatter(const Workers& workers, const LabeledIds& set, int ranks, Numbering& numbering,
             Array<MemberRow>& rows, Runs& out) {
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks) + 1, 0);
  for_each_in_order(workers, set.label.size(), [&](std::size_t i) {
    if (set.label[i] >= 0) ++next[static_cast<std::size_t>(rank_of_id(set.id[i], ranks)) + 1];
  });
  for (int r = 0; r < ranks; ++r) {
    const auto to = static_cast<std::size_t>(r);
    if (next[to + 1] > 0) out.add(r, next[to + 1]);
    next[to + 1] += next[to];
  }
  rows = Array<MemberRow>(next.back(), workers.pool());
  for_each_in_order(workers, set.label.size(), [&](std::size_t i) {
    if (set.label[i] < 0) return;
    rows[next[static_cast<std::size_t>(rank_of_id(set.id[i], ranks))]++] = {
        set.id[i], set.label[i], static_cast<std::uint32_t>(numbering.take(set.label[i]))};
  });
}

/// Takes those that arrived.
void take_rows(const Workers& workers, std::span<const MemberRow> rows, const SetName& name,
               DealtMembers& members) {
  const std::size_t n = rows.size();
  if (n > kMost)
    fail(ErrorCode::too_large,
         "{}: {} members of {} for one rank, which takes {}; start more ranks", name.call, n,
         name.set, kMost);
  members.here = histories::members_of_part(workers, rows, name);
}

/// Shared members by the rank of their object.
std::vector<SharedMember> shared_members(const Workers& workers, int ranks,
                                         const DealtMembers& from, const DealtMembers& to,
                                         Runs& out) {
  const histories::Partners partners = partners_of(workers, from.here.by_id, to.here.by_id);
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks) + 1, 0);
  const auto rank_of = [&](const SharedMember& shared) {
    return static_cast<std::size_t>(shared.object % ranks);
  };
  each_shared(workers, from.here, partners,
              [&](const SharedMember& shared) { ++next[rank_of(shared) + 1]; });
  for (int r = 0; r < ranks; ++r) {
    const auto owner = static_cast<std::size_t>(r);
    if (next[owner + 1] > 0) out.add(r, next[owner + 1]);
    next[owner + 1] += next[owner];
  }
  std::vector<SharedMember> sorted(next.back());
  each_shared(workers, from.here, partners,
              [&](const SharedMember& shared) { sorted[next[rank_of(shared)]++] = shared; });
  return sorted;
}

struct MatchRow {
  std::int32_t best, second;
  double score, second_score;
  std::int64_t shared;
};

/// The rows of all ranks, on every rank.
Matches gathered(Call& call, const Matches& own, std::size_t objects) {
  const auto ranks = static_cast<std::size_t>(call.ranks());
  std::vector<MatchRow> rows;
  Runs out;
  call.prepare([&] {
    rows.reserve(own.size() * ranks);
    for (std::size_t r = 0; r < ranks && own.size() > 0; ++r) {
      out.add(static_cast<int>(r), own.size());
      for (std::size_t k = 0; k < own.size(); ++k)
        rows.push_back(
            {own.best[k], own.second[k], own.score[k], own.second_score[k], own.shared[k]});
    }
  });
  const Received<MatchRow> arrived = call.exchange(out, rows.data());
  Matches all;
  call.quick([&] {
    for (auto* column : {&all.best, &all.second}) column->resize(objects, -1);
    for (auto* column : {&all.score, &all.second_score}) column->resize(objects, 0);
    all.shared.resize(objects, 0);
    for (std::size_t run = 0; run < arrived.runs.size(); ++run) {
      auto object = static_cast<std::size_t>(arrived.runs.rank[run]);
      for (const MatchRow& row : arrived.run(run)) {
        all.best[object] = row.best;
        all.second[object] = row.second;
        all.score[object] = row.score;
        all.second_score[object] = row.second_score;
        all.shared[object] = row.shared;
        object += ranks;
      }
    }
  });
  return all;
}

}  // namespace

DealtMembers deal_members(Call& call, const LabeledIds& set, const SetName& name) {
  DealtMembers members;
  members.objects = agreed_objects(call, set, name);
  Numbering numbering(call);
  numbering.number(set, name, members);
  Array<MemberRow> rows;
  Runs out;
  call.work([&](Workers& workers) { scatter(workers, set, call.ranks(), numbering, rows, out); });
  Received<MemberRow> arrived = call.exchange(out, rows.data());
  call.phase([&](Workers& workers) {
    rows = {};
    take_rows(workers, arrived.all(), name, members);
  });
  return members;
}

Matches matches_of(Call& call, const DealtMembers& from, const DealtMembers& to,
                   const MatchOptions& options) {
  std::vector<SharedMember> shared;
  Runs out;
  call.work(
      [&](Workers& workers) { shared = shared_members(workers, call.ranks(), from, to, out); });
  const Received<SharedMember> arrived = call.exchange(out, shared.data());
  Matches own;
  call.work([&](Workers& workers) {
    std::vector<SharedMember>().swap(shared);
    const histories::Partners partners = partners_by_place(
        workers, arrived.all(), from.own.offset,
        [&](std::int32_t object) { return static_cast<std::size_t>(object / call.ranks()); });
    own = best_partners(workers, from.own, partners, to.objects, options);
  });
  return gathered(call, own, from.objects);
}

}  // namespace kith::mpi
