// Answers rounds of questions (groups/rounds.hpp) for groups that lie on several ranks: the owner
// of a group asks, all its ranks answer with the sums of their blocks, and the owner adds them in
// order. All split groups go through the same calls in step, whether or not this rank owns one.
#pragma once

#include <bit>
#include <numeric>
#include <optional>

#include "groups/rounds.hpp"
#include "mpi/groups/group_columns.hpp"
#include "mpi/groups/split_sort.hpp"

namespace kith::mpi {

/// A property is an optional, empty on ranks that own no split group.
class RankTeam {
 public:
  RankTeam(Call& call, const GroupColumns& columns, const SplitGroups& split, const Source& from)
      : call_(call), columns_(columns), split_(split), from_(from) {}

  /// Before all others. Collective, as all that follow.
  void begin();
  /// Otherwise blocks are read again for every question.
  void keep_blocks();

  const Source& source() const { return from_; }
  const SplitGroups& split() const { return split_; }
  const std::vector<GroupPiece>& pieces() const { return split_.pieces(); }
  const std::vector<MemberBlocks>& parts() const { return parts_; }

  bool has_velocity() const { return columns_.has_velocity(); }
  // Of the group that this rank owns.
  std::size_t size() const { return size_; }
  std::size_t first_row() const { return split_.own().begin; }
  std::int64_t lowest() const { return columns_.index()[first_row()]; }

  /// The property that make() returns on the owner, done.
  template <class Make>
  auto run(Make make) {
    auto property = make_property(make);
    ask(property, parts_);
    return property;
  }
  template <class Make>
  auto run_sorted(Make make) {
    auto property = make_property(make);
    ask(property, sorted_parts(property));
    return property;
  }
  /// The value that make() returns on the owner, for each part here.
  template <class Make>
  auto share(Make make) {
    using Value = decltype(make());
    std::vector<double> row;
    own([&] { put_fields(make(), row); });
    const PieceRows rows = split_.to_all_parts(row);
    std::vector<Value> values;
    call_.quick([&] {
      values.resize(rows.size());
      for (std::size_t p = 0; p < rows.size(); ++p) get_fields(rows[p].data(), values[p]);
    });
    return values;
  }
  /// f() on the owner.
  template <class F>
  void own(F f) {
    call_.prepare([&] {
      if (split_.is_owner()) f();
    });
  }

 private:
  void list_cuts();

  /// Members in order, of one part.
  struct SortedPart {
    std::size_t before = 0;  ///< members of the group on the ranks before
    std::size_t width = 0;
    std::vector<double> rows = {};

    std::size_t count() const { return range_count(rows.size() / width, kSumBlock); }
    template <class F>
    auto with_block(std::size_t b, F f) const {
      SortedBlock block{before / kSumBlock + b, {}, {}};
      const std::size_t begin = b * kSumBlock * width;
      for (std::size_t at = begin; at < std::min(rows.size(), begin + kSumBlock * width);
           at += width)
        block.add(rows[at], rows[at + 2]);
      return f(block);
    }
  };

  template <class Make>
  auto make_property(Make& make) {
    std::optional<decltype(make())> property;
    own([&] { property.emplace(make()); });
    return property;
  }

  template <class P, class Part>
  void ask(std::optional<P>& property, const std::vector<Part>& parts) {
    for (bool has_question = true; has_question;) {
      std::vector<double> question;
      call_.prepare([&] {
        if (!property || !property->question()) return;
        question.push_back(1);  // so that one without fields arrives, too
        put_fields(*property->question(), question);
      });
      const PieceRows questions = split_.to_all_parts(question, &has_question);
      if (!has_question) break;
      const SplitGroups::Gathered answers = split_.to_owner(answer<P>(parts, questions));
      call_.prepare([&] {
        if (property && property->question()) property->take(sum_of<P>(answers.values));
      });
    }
    call_.quick([] {});
  }

  template <class P, class Part>
  PieceRows answer(const std::vector<Part>& parts, const PieceRows& questions) {
    PieceRows rows;
    call_.work([&](Workers& workers) {
      rows.resize(parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (questions[p].empty() || parts[p].count() == 0) continue;
        typename P::Question question;
        get_fields(questions[p].data() + 1, question);
        rows[p] = answers_of<P>(parts[p], question, workers);
      }
    });
    return rows;
  }

  /// Those of the blocks, or only their sum if it is the same in any order.
  template <class P, class Part>
  std::vector<double> answers_of(const Part& part, const typename P::Question& question,
                                 const Workers& workers) const {
    std::vector<double> row;
    if constexpr (is_in_any_order<P>) {
      put_fields(sum_of_answers<P>(part, from_, question, workers), row);
    } else {
      PieceRows blocks(part.count());
      workers.for_each(part.count(), [&](std::size_t b) {
        put_fields(answer_of<P>(part, b, from_, question), blocks[b]);
      });
      for (const auto& block : blocks) row.insert(row.end(), block.begin(), block.end());
    }
    return row;
  }

  template <class P>
  typename P::Partial sum_of(const std::vector<double>& rows) const {
    typename P::Partial sum(from_);
    for (const double* at = rows.data(); at != rows.data() + rows.size();) {
      typename P::Partial block(from_);
      at = get_fields(at, block);
      add_fields(sum, block);
    }
    return sum;
  }

  template <class P>
  std::vector<SortedPart> sorted_parts(const std::optional<P>& property) {
    const std::vector<typename P::Order> orders = share([&] { return property->order(); });
    KeyedRows rows{.width = 3, .values = {}};
    call_.work([&](Workers& workers) {
      rows.values.resize(pieces().size());
      for (std::size_t p = 0; p < pieces().size(); ++p) {
        for_each_in_order(workers, pieces()[p].size(), [&](std::size_t k) {
          const std::size_t i = pieces()[p].begin + k;
          rows.add(p, std::bit_cast<std::uint64_t>(orders[p].key(from_, i)),
                   static_cast<std::uint64_t>(columns_.index()[i]));
          rows.values[p].push_back(from_.mass(i));
        });
      }
    });
    sort_rows(call_, split_, member_cuts_, rows);
    std::vector<SortedPart> parts;
    call_.quick([&] {
      for (std::size_t p = 0; p < pieces().size(); ++p)
        parts.push_back({pieces()[p].before, rows.width, std::move(rows.values[p])});
    });
    return parts;
  }

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  const Source& from_;
  std::size_t size_ = 0;
  std::vector<std::vector<std::uint32_t>> rows_;  ///< of the source, for each part here
  std::vector<MemberBlocks> parts_;
  RowCuts member_cuts_;
};

}  // namespace kith::mpi
