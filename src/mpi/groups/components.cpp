#include "mpi/groups/components.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked_sort.hpp"
#include "mpi/transport/rows.hpp"
#include "parallel/union_find.hpp"

namespace kith::mpi {
namespace {

/// The low bits decide nothing about the high ones: a bijection (Stafford's mix 13), so that no two
/// vertices have the same priority.
std::uint64_t priority(Vertex v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9;
  v = (v ^ (v >> 27)) * 0x94d049bb133111eb;
  return v ^ (v >> 31);
}

/// A vertex, and where it points.
struct Pointer {
  Vertex of, to;
  auto operator<=>(const Pointer&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};

/// The same for a rank that has a neighbor of it.
struct News {
  int rank;
  Pointer pointer;
  auto operator<=>(const News&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};

class Contraction {
 public:
  Contraction(Call& call, std::size_t vertices, std::vector<Edge> edges, ComponentRounds& rounds)
      : call_(call), rounds_(rounds), edges_(std::move(edges)) {
    step([&] {
      make_unique(edges_);
      up_.resize(vertices);
      for (std::size_t i = 0; i < vertices; ++i) up_[i] = vertex_of(call.rank(), i);
      is_settled_.assign(vertices, 1);
    });
  }

  std::vector<Vertex> run() {
    mirror();
    join_own();
    while (contract()) {
      ++rounds_.hooking;
      hook();
      shortcut();
    }
    call_.prepare([&] {
      for (std::size_t i = 0; i < up_.size(); ++i) is_settled_[i] = up_[i] == name(i);
    });
    shortcut();
    return std::move(up_);
  }

 private:
  Vertex name(std::size_t number) const { return vertex_of(call_.rank(), number); }
  bool is_own(Vertex v) const { return rank_of(v) == call_.rank(); }

  /// Work; if there is little of it, it needs no separate thread.
  template <class Body>
  void step(Body body) {
    constexpr std::size_t kSmall = 4096;
    if (edges_.size() + up_.size() < kSmall) return call_.prepare(body);
    call_.work([&](Workers& workers) {
      workers_ = &workers;
      body();
      workers_ = nullptr;
    });
  }

  template <class Row>
  void make_unique(std::vector<Row>& rows) const {
    checked_sort(rows.begin(), rows.end(), [&] {
      if (workers_) workers_->check_cancelled();
    });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }

  /// Makes every edge known at both of its ends.
  void mirror() {
    std::vector<Edge> mirrored;
    step([&] {
      for (const Edge& edge : edges_)
        if (!is_own(edge.to)) mirrored.push_back({edge.to, edge.from});
      make_unique(mirrored);
    });
    receive(mirrored);
  }

  /// Edges go to the ranks where they begin, in addition to those that are there. True if there
  /// were any on any rank.
  bool receive(const std::vector<Edge>& edges) {
    const Received<Edge> arrived =
        send_rows(call_, edges, [](const Edge& edge) { return rank_of(edge.from); });
    step([&] {
      const std::span<const Edge> more = arrived.all();
      edges_.insert(edges_.end(), more.begin(), more.end());
      make_unique(edges_);
    });
    return !arrived.is_empty_everywhere;
  }

  /// Edges inside the rank need no messages.
  void join_own() {
    step([&] {
      std::vector<std::uint32_t> parent(up_.size());
      std::iota(parent.begin(), parent.end(), 0);
      const UnionFind<std::uint32_t> sets(parent.data());
      for (const Edge& edge : edges_)
        if (is_own(edge.to)) sets.unite_alone(number_of(edge.from), number_of(edge.to));
      for (std::size_t i = 0; i < up_.size(); ++i)
        up_[i] = name(sets.find(static_cast<std::uint32_t>(i)));
    });
  }

  /// Each vertex that has edges chooses a neighbor, and learns whom its choice has chosen.
  void hook() {
    step([&] {
      each_vertex([&](Vertex v, std::span<const Edge> edges) {
        const auto first = std::min_element(
            edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return priority(a.to) < priority(b.to); });
        up_[number_of(v)] = first->to;
        is_settled_[number_of(v)] = 0;
      });
    });
    const Received<Pointer> arrived = spread([](const Edge&) { return true; });
    call_.prepare([&] {
      const std::span<const Pointer> pointers = arrived.all();
      each_vertex([&](Vertex v, std::span<const Edge>) {
        Vertex& up = up_[number_of(v)];
        const Vertex next = find(pointers, up);
        const bool is_mutual = next == v;
        if (!is_mutual) up = next;
        if (is_mutual && priority(v) < priority(up)) up = v;
        is_settled_[number_of(v)] = is_mutual ? 1 : 0;
      });
    });
  }

  /// Calls f(vertex, its edges) for the vertices that have some.
  template <class F>
  void each_vertex(F f) const {
    for (std::size_t begin = 0, end = 0; begin < edges_.size(); begin = end) {
      while (end < edges_.size() && edges_[end].from == edges_[begin].from) ++end;
      f(edges_[begin].from, std::span(edges_).subspan(begin, end - begin));
    }
  }

  /// Where the vertices for which wants(edge) end, for the ranks of their neighbors. Collective.
  template <class Wants>
  Received<Pointer> spread(Wants wants) {
    Runs runs;
    std::vector<Pointer> pointers;
    step([&] {
      std::vector<News> news;
      for (const Edge& edge : edges_)
        if (wants(edge)) news.push_back({rank_of(edge.to), {edge.from, up_[number_of(edge.from)]}});
      make_unique(news);
      runs = runs_by_rank(std::span<const News>(news), [](const News& row) { return row.rank; });
      for (const News& row : news) pointers.push_back(row.pointer);
    });
    return call_.exchange(runs, pointers.data());
  }

  /// Where a vertex points, by the news of its rank; nowhere else if there are none. News ascend:
  /// ranks do, and the vertices of each.
  static Vertex find(std::span<const Pointer> pointers, Vertex v) {
    const auto at = std::lower_bound(pointers.begin(), pointers.end(), Pointer{v, 0});
    return at != pointers.end() && at->of == v ? at->to : v;
  }

  /// Every vertex that does not point at a root yet points where its pointer points, until all do.
  void shortcut() {
    for (;;) {
      std::vector<Vertex> open;
      step([&] {
        for (std::size_t i = 0; i < up_.size(); ++i)
          if (!is_settled_[i]) open.push_back(up_[i]);
        make_unique(open);
      });
      const Answers<Vertex> found =
          answer_rows<Vertex>(call_, open, rank_of, [&](Vertex v) { return up_[number_of(v)]; });
      if (found.is_empty_everywhere) return;
      ++rounds_.shortcutting;
      call_.prepare([&] {
        const Array<Vertex>& answers = found.of_row;
        for (std::size_t i = 0; i < up_.size(); ++i) {
          if (is_settled_[i]) continue;
          const auto at = std::lower_bound(open.begin(), open.end(), up_[i]) - open.begin();
          is_settled_[i] = answers[static_cast<std::size_t>(at)] == up_[i];
          up_[i] = answers[static_cast<std::size_t>(at)];
        }
      });
    }
  }

  /// Edges between trees become edges between their roots, on the ranks of these. False if none are
  /// left on any rank.
  bool contract() {
    const Received<Pointer> arrived = spread([&](const Edge& edge) {
      return up_[number_of(edge.from)] != edge.from && !is_own(edge.to);
    });
    step([&] {
      const std::span<const Pointer> pointers = arrived.all();
      for (Edge& edge : edges_) {
        edge.from = up_[number_of(edge.from)];
        edge.to = is_own(edge.to) ? up_[number_of(edge.to)] : find(pointers, edge.to);
      }
      std::erase_if(edges_, [](const Edge& edge) { return edge.from == edge.to; });
      make_unique(edges_);
    });
    const std::vector<Edge> moved = std::exchange(edges_, {});
    return receive(moved);
  }

  Call& call_;
  ComponentRounds& rounds_;
  std::vector<Edge> edges_;  ///< ascending, between vertices that are no part of another's tree
  std::vector<Vertex> up_;   ///< of each vertex of this rank: itself, or its parent
  std::vector<std::uint8_t> is_settled_;  ///< points at a root of this round
  const Workers* workers_ = nullptr;      ///< inside a phase
};

}  // namespace

std::vector<Vertex> components(Call& call, std::size_t vertices, std::vector<Edge> edges,
                               ComponentRounds& rounds) {
  return Contraction(call, vertices, std::move(edges), rounds).run();
}

}  // namespace kith::mpi
