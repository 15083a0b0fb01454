// Descendants: matches of a new snapshot with those within reach, the nearest first.
#include <deque>
#include <memory>

#include <kith/merger_trees.hpp>

#include "base/fail.hpp"
#include "histories/halo_matcher.hpp"
#include "histories/partners.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace histories {
namespace {

/// The matches of two sorted sets, in both directions.
Match match_of(Workers& workers, const SortedMembers& from, const SortedMembers& to,
               const MatchOptions& options) {
  const Stage stage(workers, "match", 1);
  const auto best = [&](const SortedMembers& a, const SortedMembers& b) {
    return best_partners(workers, a, partners_of(workers, a, b), b.objects(), options);
  };
  return {best(from, to), best(to, from)};
}

class OneProcess : public HaloMatcher {
 public:
  explicit OneProcess(const LinkOptions& options) : options_(options) {}

  void add(const LabeledIds& halos, bool is_known, const Execution& execution,
           const std::function<void(const Found&)>& use) override {
    public_call("trees", execution, [&](Workers& workers) {
      SortedMembers members = [&] {
        const Stage stage(workers, "sort", 1);
        return sorted_members(workers, halos, {"trees", "a snapshot"});
      }();
      Found found{members.objects()};
      for (std::size_t gap = 1; gap <= latest_.size() && !is_known; ++gap)
        found.matches.push_back(
            match_of(workers, latest_[latest_.size() - gap], members, options_.match));
      use(found);
      latest_.push_back(std::move(members));
      if (latest_.size() > static_cast<std::size_t>(options_.reach)) latest_.pop_front();
    });
  }

 private:
  LinkOptions options_;
  std::deque<SortedMembers> latest_;  ///< of the snapshots within reach, in order of time
};

}  // namespace

HaloMatcher::~HaloMatcher() = default;

void check_link_options(const LinkOptions& options) {
  if (options.reach < 1)
    refuse("trees: reach = {}; links reach at least 1 snapshot", options.reach);
}

}  // namespace histories

namespace {

void check_latest(const HaloLinks& links, std::span<const LabeledIds> latest, int reach) {
  const std::size_t wanted = std::min(static_cast<std::size_t>(reach), links.snapshots());
  if (latest.size() != wanted)
    refuse("trees: {} snapshots to continue from; give the last {}", latest.size(), wanted);
}

}  // namespace

class HaloLinker::Impl {
 public:
  using Found = histories::HaloMatcher::Found;

  Impl(const LinkOptions& options, std::unique_ptr<histories::HaloMatcher> matcher)
      : options_(options), matcher_(std::move(matcher)) {
    histories::check_link_options(options);
  }

  void resume(HaloLinks&& links, std::span<const LabeledIds> latest, const Execution& execution) {
    check_latest(links, latest, options_.reach);
    links_ = std::move(links);
    std::size_t snapshot = links_.snapshots() - latest.size();
    for (const LabeledIds& halos : latest) {
      matcher_->add(halos, true, execution, [&](const Found& found) {
        if (static_cast<std::int64_t>(found.halos) != count(snapshot))
          refuse("trees: {} halos in snapshot {}, which had {} before; give the same catalogues",
                 found.halos, snapshot, count(snapshot));
      });
      ++snapshot;
    }
  }

  void add(const LabeledIds& halos, const Execution& execution) {
    matcher_->add(halos, false, execution, [&](const Found& found) {
      append_halos(found.halos);
      if (!found.matches.empty()) take_progenitors(found.matches.front().reverse);
      std::vector<bool> is_claimed(found.halos, false);
      for (std::size_t gap = 1; gap <= found.matches.size(); ++gap)
        link(found.matches[gap - 1], gap, is_claimed);
    });
  }

  const HaloLinks& links() const { return links_; }

 private:
  std::int64_t count(std::size_t snapshot) const {
    return links_.first[snapshot + 1] - links_.first[snapshot];
  }

  void append_halos(std::size_t halos) {
    const std::size_t size = links_.size() + halos;
    links_.first.push_back(static_cast<std::int64_t>(size));
    for (auto* column : {&links_.descendant, &links_.second, &links_.progenitor})
      column->resize(size, -1);
    for (auto* column : {&links_.score, &links_.second_score}) column->resize(size, 0);
    for (auto* column : {&links_.is_mutual, &links_.is_flyby}) column->resize(size, 0);
  }

  void take_progenitors(const Matches& reverse) {
    const std::size_t last = links_.snapshots() - 1;
    for (std::size_t h = 0; h < reverse.size(); ++h)
      if (reverse.best[h] >= 0)
        links_.progenitor[static_cast<std::size_t>(links_.first[last]) + h] =
            links_.first[last - 1] + reverse.best[h];
  }

  /// Links halos that are `gap` snapshots back and have no mutual link yet.
  void link(const Match& match, std::size_t gap, std::vector<bool>& is_claimed) {
    const std::size_t last = links_.snapshots() - 1;
    const auto begin = static_cast<std::size_t>(links_.first[last - gap]);
    for (std::size_t h = 0; h < match.forward.size(); ++h) {
      const std::size_t halo = begin + h;
      const std::int32_t best = match.forward.best[h];
      if (best < 0 || links_.is_mutual[halo]) continue;
      const auto other = static_cast<std::size_t>(best);
      const bool is_mutual =
          match.reverse.best[other] == static_cast<std::int32_t>(h) && !is_claimed[other];
      if (!is_mutual && links_.descendant[halo] >= 0) continue;
      links_.is_flyby[halo] = is_mutual && links_.descendant[halo] >= 0;
      links_.is_mutual[halo] = is_mutual;
      if (is_mutual) is_claimed[other] = true;
      set(halo, match.forward, h, links_.first[last]);
    }
  }

  void set(std::size_t halo, const Matches& matches, std::size_t h, std::int64_t first) {
    links_.descendant[halo] = first + matches.best[h];
    links_.second[halo] = matches.second[h] < 0 ? -1 : first + matches.second[h];
    links_.score[halo] = matches.score[h];
    links_.second_score[halo] = matches.second_score[h];
  }

  LinkOptions options_;
  HaloLinks links_;
  std::unique_ptr<histories::HaloMatcher> matcher_;
};

HaloLinker::HaloLinker(const LinkOptions& options, std::unique_ptr<histories::HaloMatcher> matcher)
    : impl_(public_call("trees",
                        [&] { return std::make_unique<Impl>(options, std::move(matcher)); })) {}

HaloLinker::HaloLinker(const LinkOptions& options)
    : HaloLinker(options, public_call("trees", [&]() -> std::unique_ptr<histories::HaloMatcher> {
                   return std::make_unique<histories::OneProcess>(options);
                 })) {}

HaloLinker::HaloLinker(const LinkOptions& options, HaloLinks links,
                       std::span<const LabeledIds> latest, const Execution& execution)
    : HaloLinker(options) {
  resume(std::move(links), latest, execution);
}

HaloLinker::HaloLinker(HaloLinker&&) noexcept = default;
HaloLinker& HaloLinker::operator=(HaloLinker&&) noexcept = default;
HaloLinker::~HaloLinker() = default;

void HaloLinker::resume(HaloLinks links, std::span<const LabeledIds> latest,
                        const Execution& execution) {
  public_call("trees", [&] { impl_->resume(std::move(links), latest, execution); });
}

void HaloLinker::add(const LabeledIds& halos, const Execution& execution) {
  public_call("trees", [&] { impl_->add(halos, execution); });
}

const HaloLinks& HaloLinker::links() const { return impl_->links(); }

}  // namespace kith
