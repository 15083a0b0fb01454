// Friends of friends over ranks: the own points joined, then the sets that meet at edges between
// ranks, then names.
#include "mpi/groups/fof.hpp"

#include <algorithm>
#include <bit>

#include "base/checked_sort.hpp"
#include "groups/parts.hpp"
#include "mpi/groups/components.hpp"
#include "mpi/groups/friends.hpp"
#include "mpi/groups/group_call.hpp"
#include "mpi/groups/groups_impl.hpp"
#include "mpi/groups/members.hpp"
#include "mpi/neighbors/ghosts.hpp"
#include "mpi/transport/rows.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

constexpr std::int64_t kInside = -1;  ///< of a set that no other rank can reach

/// The answer to a set with a root on another rank.
struct Name {
  std::int64_t label;
  std::uint64_t lowest;
};

/// The part of a component that one rank has.
struct Share {
  Vertex root;
  GroupKey key;
};

template <class T>
class Linking {
 public:
  Linking(Call& call, const Domains::Impl& domains, const LinkingJob& job, Groups::Impl& out)
      : call_(call),
        domains_(domains),
        part_(domains.as<T>()),
        options_(job.options),
        classes_(job.classes),
        job_(job),
        out_(out),
        room_(job.room) {}

  void run() {
    join_own();
    const Ghosts<T> ghosts = import();
    std::vector<Edge> edges;
    call_.work([&](Workers& workers) { edges = edges_to(ghosts, workers); });
    ComponentRounds rounds;
    root_ = components(call_, vertex_.size(), std::move(edges), rounds);
    call_.prepare([&] { note(rounds); });
    add_up();
    call_.note_traffic("components");
    name();
    call_.note_traffic("labels");
  }

 private:
  const Planes<T>& planes() const { return part_.planes; }
  std::uint64_t global_of_lowest(std::size_t root) const {
    return part_.global[sets_.lowest[root]];
  }
  GroupKey key_of(std::size_t root) const { return {sets_.size[root], global_of_lowest(root)}; }

  void note(const ComponentRounds& rounds) const {
    if (!call_.execution().statistics) return;
    auto& counts = call_.execution().statistics->counts;
    counts.push_back({"boundary sets", vertex_.size()});
    counts.push_back({"hooking rounds", rounds.hooking});
    counts.push_back({"shortcutting rounds", rounds.shortcutting});
  }

  // ---- the own points

  void join_own() {
    call_.work([&](Workers& workers) {
      friends_ = make_friends<T>(call_, domains_, job_);
      out_.linking_length = friends_->linking_length();
      parent_ = friends_->join_own(workers);
      const Stage stage(workers, "sets", 2 * planes().points);
      sets_ = GroupParts<T>::count(planes(), parent_.data(), workers);
      mark_ = room_.data() ? Array<std::int64_t>::borrowed(room_.data(), planes().points)
                           : Array<std::int64_t>(planes().points, workers.pool());
      std::fill(mark_.begin(), mark_.end(), kInside);
    });
  }

  // ---- sets that meet others

  /// The points within reach on other ranks, each with the vertex of its set, and with its length
  /// if each has one. A pair of friends on two ranks is sent both ways, since bounds of boxes
  /// inside others are at least as far: so the sets of the points that are sent are all that have
  /// friends elsewhere.
  Ghosts<T> import() {
    FarQueries<T> far;
    call_.work([&](Workers& workers) {
      const Stage stage(workers, "edges", planes().points);
      far = friends_->near_others(workers);
    });
    const auto send = [&](std::size_t position, double* to) {
      sent_.push_back(static_cast<std::uint32_t>(position));
      to[0] = std::bit_cast<double>(vertex_at(position));
      std::copy_n(values_at(position), job_.values.width, to + 1);
    };
    return import_ghosts(call_, part_, far, {1 + job_.values.width, send});
  }

  const double* values_at(std::size_t position) const {
    return job_.values.of(planes().index(position));
  }

  /// The vertex of a point's set; a new one if it has none yet. The label of its root is the number
  /// of the vertex for now.
  Vertex vertex_at(std::size_t position) {
    const std::uint32_t root = sets_.root[position];
    if (mark_[root] == kInside) {
      mark_[root] = static_cast<std::int64_t>(vertex_.size());
      vertex_.push_back(root);
    }
    return vertex_of(call_.rank(), static_cast<std::size_t>(mark_[root]));
  }

  /// The points that were sent and those that came, joined once more; all sets of points that end
  /// up together are linked.
  std::vector<Edge> edges_to(const Ghosts<T>& ghosts, Workers& workers) {
    std::vector<Edge> edges;
    std::sort(sent_.begin(), sent_.end());
    sent_.erase(std::unique(sent_.begin(), sent_.end()), sent_.end());
    const std::size_t sent = sent_.size(), all = sent + ghosts.global.size();
    const Stage stage(workers, "link edges", all);
    if (ghosts.global.empty() || sent == 0) return edges;
    const std::size_t width = job_.values.width;
    const auto of_ghost = [&](std::size_t row) {
      return ghosts.value.data() + (row - sent) * (1 + width);
    };
    Array<double> values(all * width, workers.pool());
    for (std::size_t row = 0; width > 0 && row < all; ++row)
      std::copy_n(row < sent ? values_at(sent_[row]) : of_ghost(row) + 1, width,
                  values.data() + row * width);
    const Array<std::uint32_t> set = friends_->sets_of_rows(
        joined_rows(ghosts.planes, workers), {values.data(), values.size()}, workers);
    std::vector<std::pair<std::uint32_t, Vertex>> members(all);  // set and vertex
    for (std::size_t row = 0; row < all; ++row)
      members[row] = {set[row],
                      row < sent ? vertex_at(sent_[row]) : std::bit_cast<Vertex>(*of_ghost(row))};
    add_edges(members, edges, workers);
    return edges;
  }

  /// Rows of the points that were sent, then those of the ghosts by index.
  Array<T> joined_rows(const Planes<T>& ghosts, Workers& workers) const {
    const auto d = static_cast<std::size_t>(domains_.dimension);
    const Axes<kAnyDimension> axes(domains_.dimension);
    const std::size_t sent = sent_.size(), all = sent + ghosts.points;
    if (all > most_points)
      fail(ErrorCode::too_large,
           "fof: {} points near the edges of a rank; it holds at most {}: use more ranks", all,
           most_points);
    Array<T> rows(all * d, workers.pool());
    const PlanesView<T> own = part_.view();
    workers.for_ranges(sent, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) own.load(sent_[i], axes, rows.data() + i * d);
    });
    workers.for_ranges(ghosts.points, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        ghosts.view().load(i, axes, rows.data() + (sent + ghosts.index(i)) * d);
    });
    return rows;
  }

  /// From the first own vertex of each set to all others.
  void add_edges(std::vector<std::pair<std::uint32_t, Vertex>>& members, std::vector<Edge>& edges,
                 const Workers& workers) const {
    checked_sort(members.begin(), members.end(), [&] { workers.check_cancelled(); });
    members.erase(std::unique(members.begin(), members.end()), members.end());
    for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
      while (end < members.size() && members[end].first == members[begin].first) ++end;
      const auto* own = std::find_if(
          members.data() + begin, members.data() + end,
          [&](const auto& member) { return mpi::rank_of(member.second) == call_.rank(); });
      if (own == members.data() + end) continue;
      for (std::size_t i = begin; i < end; ++i)
        if (members[i].second != own->second) edges.push_back({own->second, members[i].second});
    }
  }

  // ---- sizes

  /// Each rank's share of a component goes to the rank of its root.
  void add_up() {
    std::vector<Share> shares;
    call_.work([&](Workers& workers) {
      std::vector<std::pair<Vertex, GroupKey>> sorted;
      for (std::size_t i = 0; i < vertex_.size(); ++i)
        sorted.emplace_back(root_[i], key_of(vertex_[i]));
      checked_sort(sorted.begin(), sorted.end(), [&] { workers.check_cancelled(); });
      for (const auto& [root, key] : sorted) {
        if (shares.empty() || shares.back().root != root) shares.push_back({root, {0, key.lowest}});
        shares.back().key.add(key);
      }
      component_.assign(vertex_.size(), {0, ~std::uint64_t{0}});
    });
    const Received<Share> arrived =
        send_rows(call_, shares, [](const Share& share) { return mpi::rank_of(share.root); });
    for (const Share& share : arrived.all()) component_[number_of(share.root)].add(share.key);
  }

  // ---- names

  void name() {
    std::vector<GroupKey> keys;
    std::vector<std::uint32_t> owner;  // of each key: the position of a root
    std::vector<std::int64_t> label;
    call_.work([&](Workers& workers) {
      const Stage stage(workers, "labels", planes().points);
      const std::uint64_t least = std::max<std::uint64_t>(1, options_.min_size);
      for (std::size_t i = 0; i < planes().points; ++i) {
        if (i % kLightPointGrain == 0) workers.check_cancelled();
        if (sets_.root[i] != i || size_at(i) < least) continue;
        keys.push_back(group_at(i));
        keys.back().major = class_of(classes_, keys.back().lowest);
        owner.push_back(static_cast<std::uint32_t>(i));
      }
    });
    GroupRows rows = order_groups(call_, keys, label);
    std::vector<Name> named;
    call_.prepare([&] {
      named.assign(vertex_.size(), {-1, 0});
      for (std::size_t i = 0; i < owner.size(); ++i) set_label(owner[i], label[i], named);
      for (std::size_t i = 0; i < vertex_.size(); ++i) named[i].lowest = component_[i].lowest;
      out_.take(std::move(rows), call_.rank());
    });
    name_vertices(named);
    call_.phase([&](Workers& workers) { write_labels(workers); });
  }

  bool is_vertex(std::size_t root) const { return mark_[root] != kInside; }

  /// Of the group whose root is here; 0 if its root is another vertex.
  std::uint64_t size_at(std::size_t root) const {
    return is_vertex(root) ? component_[static_cast<std::size_t>(mark_[root])].size
                           : sets_.size[root];
  }
  /// The group whose root is here: a single set, or a component that ends at it.
  GroupKey group_at(std::size_t root) const {
    return is_vertex(root) ? component_[static_cast<std::size_t>(mark_[root])] : key_of(root);
  }

  /// Sets inside the rank are done; vertices keep their numbers until all have been named.
  void set_label(std::uint32_t root, std::int64_t label, std::vector<Name>& named) {
    if (is_vertex(root))
      named[static_cast<std::size_t>(mark_[root])].label = label;
    else
      inside_.emplace_back(root, label);
  }

  /// Asks the rank of each component's root for its name.
  void name_vertices(const std::vector<Name>& named) {
    std::vector<Vertex> roots;
    call_.work([&](Workers& workers) {
      roots = root_;
      checked_sort(roots.begin(), roots.end(), [&] { workers.check_cancelled(); });
      roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    });
    const Answers<Name> names = answer_rows<Name>(call_, roots, mpi::rank_of,
                                                  [&](Vertex v) { return named[number_of(v)]; });
    call_.prepare([&] {
      for (const Vertex root : root_) {
        const auto at = std::lower_bound(roots.begin(), roots.end(), root) - roots.begin();
        name_.push_back(names.of_row[static_cast<std::size_t>(at)]);
      }
    });
  }

  void write_labels(Workers& workers) {
    const std::size_t n = planes().points;
    if (options_.keep_roots) {
      out_.tree_root = Array<std::int64_t>(n, workers.pool());
      for (std::size_t i = 0; i < n; ++i)
        if (sets_.root[i] == i)
          out_.tree_root[i] = static_cast<std::int64_t>(
              is_vertex(i) ? name_[static_cast<std::size_t>(mark_[i])].lowest
                           : global_of_lowest(i));
      spread(out_.tree_root, workers);
    }
    for (std::size_t i = 0; i < vertex_.size(); ++i) mark_[vertex_[i]] = name_[i].label;
    for (const auto& [root, label] : inside_) mark_[root] = label;
    if (room_.data()) return write_in_place(workers);
    spread(mark_, workers);
    out_.tree_label = std::move(mark_);
  }

  /// Sizes and lowest members are not needed any more: labels of roots move there, so that the room
  /// of the caller is free for those of the points.
  void write_in_place(Workers& workers) {
    const std::size_t n = planes().points;
    workers.for_ranges(n, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto label = static_cast<std::uint64_t>(mark_[i]);
        sets_.size[i] = static_cast<std::uint32_t>(label);
        sets_.lowest[i] = static_cast<std::uint32_t>(label >> 32);
      }
    });
    std::fill(room_.begin(), room_.end(), std::int64_t{-1});
    const Route& route = domains_.route;
    Array<std::uint32_t> arrival;  // by local index
    if (!route.local.empty()) arrival = Array<std::uint32_t>(n, workers.pool());
    for (std::size_t i = 0; i < arrival.size(); ++i)
      arrival[route.local[i]] = static_cast<std::uint32_t>(i);
    workers.for_ranges(n, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t local = planes().index(i), root = sets_.root[i];
        room_[route.row_of(arrival.empty() ? local : arrival[local])] =
            static_cast<std::int64_t>(std::uint64_t{sets_.lowest[root]} << 32 | sets_.size[root]);
      }
    });
  }

  /// From the root of each set to its points.
  void spread(const Array<std::int64_t>& values, const Workers& workers) const {
    workers.for_ranges(values.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (sets_.root[i] != i) values[i] = values[sets_.root[i]];
    });
  }

  Call& call_;
  const Domains::Impl& domains_;
  const Part<T>& part_;
  const FofOptions& options_;
  std::span<const std::uint64_t> classes_;
  const LinkingJob& job_;
  std::unique_ptr<Friends<T>> friends_;
  Groups::Impl& out_;
  std::span<std::int64_t> room_;
  /// By position, of roots: kInside, or the number of a vertex; in the end labels.
  Array<std::int64_t> mark_;
  Array<std::uint32_t> parent_;
  CountedSets sets_;
  std::vector<std::uint32_t> sent_;    ///< positions of points that other ranks were sent
  std::vector<std::uint32_t> vertex_;  ///< the position of each one's root
  std::vector<Vertex> root_;           ///< of each vertex
  std::vector<GroupKey> component_;    ///< of those that are roots; the others have no points
  std::vector<Name> name_;             ///< of each vertex
  std::vector<std::pair<std::uint32_t, std::int64_t>> inside_;  ///< labels of roots that are no
                                                                ///< vertices
};

}  // namespace

void link(Call& call, const Domains::Impl& domains, const LinkingJob& job, Groups::Impl& out) {
  with_scalar(domains.scalar, [&]<class T>() { Linking<T>(call, domains, job, out).run(); });
}

}  // namespace kith::mpi
