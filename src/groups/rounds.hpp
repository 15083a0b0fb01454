// Properties of groups as rounds of questions. A property asks a question, each block of 4,096
// members answers it, and the property takes the sum of the answers, added in the order of blocks.
// Then it asks the next question or is done. So it does not matter where the members are: a
// ThreadTeam has them in one process, a RankTeam (mpi/groups/rank_team.hpp) on several ranks, and
// both get the same bits.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked_sort.hpp"
#include "groups/fields.hpp"
#include "groups/source.hpp"
#include "parallel/pieces.hpp"

namespace kith {

/// A property of one group. Question and Partial list their fields (groups/fields.hpp).
///
/// `answer<D>(source, question, block)` is the sum over the members of a block, for points of D
/// dimensions. Partial(source) is an empty sum. A property with a member `kInAnyOrder` has sums
/// that do not depend on the order of blocks, such as counts.
template <class P>
concept GroupProperty = requires(P property, const P& asking, typename P::Partial partial) {
  typename P::Question;
  { asking.question() } -> std::same_as<const typename P::Question*>;  // null: it is done
  property.take(std::move(partial));
};

/// A property of a single question.
template <class Question_, class Partial_>
class OneRound {
 public:
  using Question = Question_;
  using Partial = Partial_;
  explicit OneRound(Question question) : question_(std::move(question)) {}

  const Question* question() const { return sum_ ? nullptr : &question_; }
  void take(Partial sum) { sum_ = std::move(sum); }
  const Partial& sum() const { return *sum_; }

 private:
  Question question_;
  std::optional<Partial> sum_;
};

/// Members of a group that are here: all of them, or whole blocks of a group on several ranks.
class MemberBlocks {
 public:
  /// `origin`: the position of the group's first member.
  MemberBlocks(const Source& from, std::span<const std::uint32_t> members,
               std::vector<double> origin)
      : from_(from), members_(members), origin_(std::move(origin)) {}

  std::size_t count() const { return range_count(members_.size(), kSumBlock); }

  /// Reads all blocks now instead of whenever they are needed.
  void keep(const Workers& workers) {
    if (!kept_.empty()) return;
    std::vector<std::optional<MemberBlock>> blocks(count());
    workers.for_each(count(), [&](std::size_t b) { blocks[b].emplace(read(b)); });
    kept_ = std::move(blocks);
  }

  template <class F>
  auto with_block(std::size_t b, F f) const {
    return kept_.empty() ? f(read(b)) : f(*kept_[b]);
  }
  /// If blocks are kept.
  const MemberBlock& block(std::size_t b) const { return *kept_[b]; }

 private:
  MemberBlock read(std::size_t b) const {
    const std::size_t begin = b * kSumBlock;
    return {from_, members_.subspan(begin, std::min(kSumBlock, members_.size() - begin)), origin_};
  }

  const Source& from_;
  std::span<const std::uint32_t> members_;
  std::vector<double> origin_;
  std::vector<std::optional<MemberBlock>> kept_;
};

/// Members in the order of a key, ties by index.
struct SortedBlock {
  std::size_t number = 0;  ///< blocks of the group before this one
  std::vector<double> key, mass;

  void add(double k, double m) {
    key.push_back(k);
    mass.push_back(m);
  }
};

template <GroupProperty P, class Blocks>
typename P::Partial answer_of(const Blocks& blocks, std::size_t b, const Source& from,
                              const typename P::Question& question) {
  return blocks.with_block(b, [&](const auto& block) {
    return with_dimension(static_cast<int>(from.d),
                          [&]<int D>() { return P::template answer<D>(from, question, block); });
  });
}

template <class P>
inline constexpr bool is_in_any_order = requires {
  P::kInAnyOrder;
};

/// The answers of all blocks, added in order.
template <GroupProperty P, class Blocks>
typename P::Partial sum_of_answers(const Blocks& blocks, const Source& from,
                                   const typename P::Question& question, const Workers& workers) {
  if (blocks.count() == 1) return answer_of<P>(blocks, 0, from, question);
  constexpr std::size_t kGrain = is_in_any_order<P> ? 64 : 1;  // with fewer sums kept meanwhile
  return reduce(
      workers, blocks.count(), kGrain, typename P::Partial(from),
      [&](std::size_t begin, std::size_t end) {
        typename P::Partial sum = answer_of<P>(blocks, begin, from, question);
        for (std::size_t b = begin + 1; b < end; ++b)
          add_fields(sum, answer_of<P>(blocks, b, from, question));
        return sum;
      },
      [](auto sum, const auto& more) {
        add_fields(sum, more);
        return sum;
      });
}

/// Answers all rounds for a group whose members are in one process.
class ThreadTeam {
 public:
  ThreadTeam(const Source& from, std::span<const std::uint32_t> members, const Workers& workers)
      : from_(from),
        members_(members),
        workers_(workers),
        blocks_(from, members, from.at(members.front())) {
    if (members.size() <= kSumBlock) keep_blocks();
  }

  /// Otherwise the blocks of a large group are read again for every question.
  void keep_blocks() { blocks_.keep(workers_); }

  const Source& source() const { return from_; }
  const MemberBlocks& blocks() const { return blocks_; }
  bool has_velocity() const { return from_.has_velocity(); }
  std::size_t size() const { return members_.size(); }
  std::size_t first_row() const { return members_.front(); }
  std::int64_t lowest() const { return members_.front(); }

  /// The property that make() returns, done.
  template <class Make>
  auto run(Make make) const {
    std::optional property(make());
    ask(property, blocks_);
    return property;
  }
  /// The same over members in the order of property.key<D>(source, row).
  template <class Make>
  auto run_sorted(Make make) const {
    std::optional property(make());
    ask(property, SortedMembers(*this, property->order()));
    return property;
  }
  /// The value that make() returns, for each part of the group here.
  template <class Make>
  auto share(Make make) const {
    return std::vector{make()};
  }
  /// f() where the group's row is.
  template <class F>
  void own(F f) const {
    f();
  }

 private:
  class SortedMembers {
   public:
    template <class Order>
    SortedMembers(const ThreadTeam& team, const Order& order)
        : from_(team.from_), sorted_(team.members_.size()) {
      for_each_in_order(team.workers_, sorted_.size(), [&](std::size_t k) {
        sorted_[k] = {order.key(from_, team.members_[k]), team.members_[k]};
      });
      checked_sort(sorted_.begin(), sorted_.end(), [&] { team.workers_.check_cancelled(); });
    }
    std::size_t count() const { return range_count(sorted_.size(), kSumBlock); }
    template <class F>
    auto with_block(std::size_t b, F f) const {
      SortedBlock block{b, {}, {}};
      const std::size_t end = std::min(sorted_.size(), (b + 1) * kSumBlock);
      for (std::size_t k = b * kSumBlock; k < end; ++k)
        block.add(sorted_[k].first, from_.mass(sorted_[k].second));
      return f(block);
    }

   private:
    const Source& from_;
    std::vector<std::pair<double, std::uint32_t>> sorted_;
  };

  template <class P, class Blocks>
  void ask(std::optional<P>& property, const Blocks& blocks) const {
    while (const auto* question = property->question()) {
      workers_.check_cancelled();
      property->take(sum_of_answers<P>(blocks, from_, *question, workers_));
    }
  }

  const Source& from_;
  std::span<const std::uint32_t> members_;
  const Workers& workers_;
  MemberBlocks blocks_;
};

}  // namespace kith
