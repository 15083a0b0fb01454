// Matching from disk: members are divided by a hash of their IDs, as ranks deal them, and the parts
// of both sets are joined one after the other. Shared members go to runs of objects, which fit
// into memory with all their members.
#include <kith/io/stored_match.hpp>

#include "base/fail.hpp"
#include "histories/divided_members.hpp"
#include "parallel/caller_code.hpp"
#include "parallel/public_call.hpp"
#include "slabs/budget.hpp"
#include "slabs/pieces.hpp"
#include "slabs/scratch.hpp"

namespace kith {
namespace {

using namespace slabs;
using histories::MemberRow;
using histories::SharedMember;

/// The hash of an ID is cut to a number of this many; runs of numbers make a part.
constexpr std::size_t kBuckets = std::size_t{1} << 16;
std::size_t bucket_of(std::uint64_t id) { return histories::hash_of_id(id) >> 16; }

// Bytes of memory.
constexpr std::size_t kJoined = 80;  // of a member while its part is joined
constexpr std::size_t kScored = 48;  // of a member while its object is scored
constexpr std::size_t kCopied = 48;  // of a member while it is divided
constexpr std::size_t kObject = 64;  // of an object
constexpr std::uint64_t kLeast = std::uint64_t{12} << 20;

/// Cuts a list of sizes into runs of at most `most`, or of one that is larger; the ends of runs.
template <class Sizes>
std::vector<std::size_t> runs_of(std::size_t count, std::uint64_t most, Sizes size) {
  std::vector<std::size_t> begin{0};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (sum > 0 && sum + size(i) > most) {
      begin.push_back(i);
      sum = 0;
    }
    sum += size(i);
  }
  begin.push_back(count);
  return begin;
}
std::size_t run_with(const std::vector<std::size_t>& begin, std::size_t i) {
  return static_cast<std::size_t>(std::upper_bound(begin.begin() + 1, begin.end() - 1, i) -
                                  begin.begin()) -
         1;
}

/// Rows that are appended to several lists on disk.
template <class Row>
class Lists {
 public:
  Lists() = default;
  Lists(Scratch& scratch, std::size_t lists) : scratch_(&scratch), extents_(lists) {}

  /// Some rows, by the list of each.
  template <class ListOf>
  void add(std::span<const Row> rows, ListOf list_of) {
    std::vector<std::size_t> place(extents_.size() + 1);
    for (const Row& row : rows) ++place[list_of(row) + 1];
    for (std::size_t list = 0; list < extents_.size(); ++list) place[list + 1] += place[list];
    std::vector<std::size_t> next = place;
    std::vector<Row> sorted(rows.size());
    for (const Row& row : rows) sorted[next[list_of(row)]++] = row;
    for (std::size_t list = 0; list < extents_.size(); ++list) {
      const std::size_t count = place[list + 1] - place[list];
      if (count == 0) continue;
      const std::uint64_t at = scratch_->reserve(count * sizeof(Row));
      scratch_->write(at, std::span<const Row>(sorted).subspan(place[list], count));
      extents_[list].push_back({at, count});
    }
  }
  std::uint64_t size(std::size_t list) const {
    std::uint64_t rows = 0;
    for (const Extent& extent : extents_[list]) rows += extent.rows;
    return rows;
  }
  std::vector<Row> read(std::size_t list) const {
    std::vector<Row> rows(static_cast<std::size_t>(size(list)));
    std::size_t at = 0;
    for (const Extent& extent : extents_[list]) {
      scratch_->read(extent.place, std::span(rows).subspan(at, extent.rows));
      at += extent.rows;
    }
    return rows;
  }

 private:
  struct Extent {
    std::uint64_t place;
    std::size_t rows;
  };
  Scratch* scratch_ = nullptr;
  std::vector<std::vector<Extent>> extents_;
};

/// One set on disk.
struct DividedSet {
  const StoredMembers& given;
  histories::SetName name;
  std::size_t objects = 0;
  std::uint64_t members = 0;
  std::vector<std::uint32_t> size = {};     ///< of each object
  std::vector<std::uint64_t> buckets = {};  ///< members in each
  Lists<MemberRow> rows = {};               ///< of each part
  std::vector<std::size_t> run = {};        ///< runs of objects
  Lists<SharedMember> shared = {};          ///< of each run
};

class DiskMatcher {
 public:
  DiskMatcher(const StoredMembers& a, const StoredMembers& b, const MatchOptions& options,
              const DiskOptions& disk, Workers& workers)
      : options_(options),
        workers_(workers),
        limit_(memory_limit(disk)),
        a_{a, {"match", "a"}, a.objects()},
        b_{b, {"match", "b"}, b.objects()} {
    const std::uint64_t needed = kProgramBytes + kLeast + 5 * tables() / 2;
    if (limit_ < needed)
      fail(ErrorCode::out_of_memory,
           "match: {} and {} objects need at least {} bytes of memory, of which {} are for the "
           "program itself; {} are allowed",
           a_.objects, b_.objects, needed, kProgramBytes, limit_);
    room_ = (limit_ - kProgramBytes - tables()) / 2;
  }

  Match run(const DiskOptions& disk) {
    for (DividedSet* set : {&a_, &b_}) count(*set);
    Scratch scratch(disk.scratch,
                    (a_.members + b_.members) * (sizeof(MemberRow) + sizeof(SharedMember)));
    divide(scratch);
    join();
    Matches forward = scored(a_, b_);
    return {std::move(forward), scored(b_, a_)};
  }

 private:
  std::uint64_t tables() const {
    const std::uint64_t tally = 16 * static_cast<std::uint64_t>(workers_.threads());
    return (a_.objects + b_.objects) * kObject + tally * std::max(a_.objects, b_.objects);
  }

  std::size_t piece_rows() const {
    return std::clamp<std::size_t>(room_ / 4 / kCopied, 1, most_piece_points);
  }

  /// f(members) for the parts of a set.
  template <class F>
  void each_part(const DividedSet& set, F f) {
    std::vector<std::uint64_t> id;
    std::vector<std::int32_t> label;
    for (std::size_t part = 0; part < set.given.parts(); ++part) {
      workers_.check_cancelled();
      caller_code([&] { set.given.read(part, id, label); });
      f(LabeledIds{id, label});
    }
  }

  void count(DividedSet& set) {
    const Stage stage(workers_, "count", 1);
    set.size.assign(set.objects, 0);
    set.buckets.assign(kBuckets, 0);
    each_part(set, [&](const LabeledIds& part) {
      const std::int32_t largest = largest_label(workers_, part, set.name);
      if (largest >= 0 && set.objects == 0)
        refuse("match: label {} of {}, which has no objects", largest, set.name.set);
      histories::objects_of(largest, 0, set.objects, set.name);
      for (std::size_t i = 0; i < part.id.size(); ++i) {
        if (part.label[i] < 0) continue;
        ++set.buckets[bucket_of(part.id[i])];
        ++set.members;
        if (++set.size[static_cast<std::size_t>(part.label[i])] == 0)
          fail(ErrorCode::too_large, "match: object {} of {} has 2^32 members", part.label[i],
               set.name.set);
      }
    });
  }

  void divide(Scratch& scratch) {
    const Stage stage(workers_, "divide", 1);
    part_ = runs_of(kBuckets, std::min<std::uint64_t>(room_ / kJoined, most_slab_points),
                    [&](std::size_t k) { return a_.buckets[k] + b_.buckets[k]; });
    for (DividedSet* set : {&a_, &b_}) {
      set->rows = Lists<MemberRow>(scratch, part_.size() - 1);
      set->buckets = {};
      write_rows(*set);
      cut_objects(scratch, *set);
    }
  }

  void write_rows(DividedSet& set) {
    const std::size_t piece = piece_rows();
    std::vector<std::uint32_t> next(set.objects);
    std::vector<MemberRow> rows;
    const auto put = [&] {
      set.rows.add(rows, [&](const MemberRow& row) { return run_with(part_, bucket_of(row.id)); });
      rows.clear();
    };
    each_part(set, [&](const LabeledIds& part) {
      for (std::size_t i = 0; i < part.id.size(); ++i) {
        if (part.label[i] < 0) continue;
        const auto object = static_cast<std::size_t>(part.label[i]);
        if (next[object] >= set.size[object])
          refuse("match: the members of {} have changed while they were read", set.name.set);
        rows.push_back({part.id[i], part.label[i], next[object]++});
        if (rows.size() == piece) put();
      }
      put();
    });
    if (next != set.size)
      refuse("match: the members of {} have changed while they were read", set.name.set);
  }

  void cut_objects(Scratch& scratch, DividedSet& set) {
    const std::uint64_t most = room_ / kScored;
    for (std::size_t object = 0; object < set.objects; ++object)
      if (set.size[object] > most)
        fail(ErrorCode::out_of_memory,
             "match: object {} of {} has {} members, which need {} bytes of memory; allow at least "
             "{}",
             object, set.name.set, set.size[object], set.size[object] * kScored,
             limit_ + 2 * (set.size[object] * kScored - room_));
    set.run = runs_of(set.objects, std::min<std::uint64_t>(most, most_slab_points),
                      [&](std::size_t object) { return set.size[object]; });
    set.shared = Lists<SharedMember>(scratch, set.run.size() - 1);
  }

  void join() {
    const Stage stage(workers_, "join", part_.size() - 1);
    for (std::size_t part = 0; part + 1 < part_.size(); ++part) {
      workers_.check_cancelled();
      const auto load = [&](DividedSet& set) {
        return members_of_part(workers_, set.rows.read(part), set.name);
      };
      const histories::MembersOfPart first = load(a_), other = load(b_);
      share(a_, first, other);
      share(b_, other, first);
      workers_.advance(1);
    }
  }

  void share(DividedSet& set, const histories::MembersOfPart& from,
             const histories::MembersOfPart& to) {
    const histories::Partners partners = partners_of(workers_, from.by_id, to.by_id);
    const std::size_t piece = piece_rows();
    std::vector<SharedMember> rows;
    const auto put = [&] {
      set.shared.add(rows, [&](const SharedMember& row) {
        return run_with(set.run, static_cast<std::size_t>(row.object));
      });
      rows.clear();
    };
    each_shared(workers_, from, partners, [&](const SharedMember& row) {
      rows.push_back(row);
      if (rows.size() == piece) put();
    });
    put();
  }

  Matches scored(DividedSet& set, const DividedSet& other) {
    const Stage stage(workers_, "score", set.run.size() - 1);
    Matches all;
    for (std::size_t run = 0; run + 1 < set.run.size(); ++run) {
      workers_.check_cancelled();
      const std::size_t first = set.run[run], end = set.run[run + 1];
      const std::uint64_t bytes = set.shared.size(run) * 2 * sizeof(SharedMember);
      if (bytes > room_)
        fail(ErrorCode::out_of_memory,
             "match: objects {} to {} of {} share {} members, which need {} bytes of memory; allow "
             "at least {}",
             first, end - 1, set.name.set, set.shared.size(run), bytes,
             limit_ + 2 * (bytes - room_));
      histories::SortedMembers own;
      own.offset.assign(1, 0);
      for (std::size_t object = first; object < end; ++object)
        own.offset.push_back(own.offset.back() + set.size[object]);
      const histories::Partners partners = partners_by_place(
          workers_, set.shared.read(run), own.offset,
          [&](std::int32_t object) { return static_cast<std::size_t>(object) - first; });
      const Matches rows = best_partners(workers_, own, partners, other.objects, options_);
      append_matches(rows, all);
      workers_.advance(1);
    }
    return all;
  }

  static void append_matches(const Matches& rows, Matches& all) {
    const auto add = [](const auto& from, auto& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(rows.best, all.best);
    add(rows.second, all.second);
    add(rows.score, all.score);
    add(rows.second_score, all.second_score);
    add(rows.shared, all.shared);
  }

  const MatchOptions& options_;
  Workers& workers_;
  std::uint64_t limit_, room_ = 0;
  DividedSet a_, b_;
  std::vector<std::size_t> part_;  ///< runs of buckets
};

}  // namespace

StoredMembers::~StoredMembers() = default;

Match match(const StoredMembers& a, const StoredMembers& b, const MatchOptions& options,
            const DiskOptions& disk, const Execution& execution) {
  return public_call("match", execution, [&](Workers& workers) {
    if (disk.resume) refuse("match: work that was stopped is not continued; leave out resume");
    return DiskMatcher(a, b, options, disk, workers).run(disk);
  });
}

}  // namespace kith
