// Clusters against brute force. Those of dbscan follow from the neighbors of each point; for
// hdbscan, only properties of every hierarchy are checked.
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kClusters = 50;      // whose links are checked
constexpr double kClusterDistances = 4e8;  // for the links of one cluster, at most
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// A result of dbscan.
struct Labeled {
  std::vector<std::int64_t> label;
  std::vector<std::int64_t> is_core;
  std::vector<Indices> cores;  ///< of each cluster, ascending

  bool is_core_of(std::size_t i, std::int64_t cluster) const {
    return is_core[i] != 0 && label[i] == cluster;
  }
};

std::vector<std::int64_t> labels_of(const Verification& v) {
  std::vector<std::int64_t> label = v.result.integers("label");
  if (label.size() != v.input.size())
    throw Mismatch(fmt::format("label has {} rows for {} points", label.size(), v.input.size()));
  return label;
}

std::size_t count_of(const std::vector<std::int64_t>& label) {
  std::int64_t most = -1;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] < -1 || label[i] >= static_cast<std::int64_t>(label.size()))
      throw Mismatch(
          fmt::format("point {} is in cluster {} of {} points", i, label[i], label.size()));
    most = std::max(most, label[i]);
  }
  return static_cast<std::size_t>(most + 1);
}

Labeled labeled(const Verification& v) {
  Labeled found{.label = labels_of(v), .is_core = v.result.integers("is_core"), .cores = {}};
  if (found.is_core.size() != found.label.size())
    throw Mismatch(
        fmt::format("is_core has {} rows for {} points", found.is_core.size(), found.label.size()));
  found.cores.resize(count_of(found.label));
  for (std::size_t i = 0; i < found.label.size(); ++i)
    if (found.is_core[i] && found.label[i] >= 0)
      found.cores[static_cast<std::size_t>(found.label[i])].push_back(i);
  return found;
}

/// Clusters fall in their number of points; among equals the one with the lowest comes first.
std::string check_numbering(const Labeled& found) {
  std::vector<std::size_t> size(found.cores.size()), lowest(found.cores.size(), kNone);
  for (std::size_t i = 0; i < found.label.size(); ++i) {
    if (found.label[i] < 0) continue;
    const auto cluster = static_cast<std::size_t>(found.label[i]);
    if (size[cluster]++ == 0) lowest[cluster] = i;
  }
  for (std::size_t c = 0; c < size.size(); ++c) {
    if (found.cores[c].empty()) return fmt::format("cluster {} has no core point", c);
    if (c > 0 && (size[c] > size[c - 1] || (size[c] == size[c - 1] && lowest[c] < lowest[c - 1])))
      return fmt::format("cluster {} belongs before cluster {}", c, c - 1);
  }
  return "";
}

/// A core point within eps.
template <class T>
struct Link {
  T d2;
  std::size_t core;
};

/// The cluster that a point with these links joins if it is not a core point.
template <class T>
std::int64_t cluster_by_links(const ResultAbout& about, const Labeled& found,
                              const std::vector<Link<T>>& links) {
  if (about.border == "none") return -1;
  std::map<std::int64_t, std::uint64_t> count;
  for (const Link<T>& link : links) ++count[found.label[link.core]];
  const Link<T>* first = nullptr;
  const auto lowest = [&](const Link<T>& link) {
    return found.cores[static_cast<std::size_t>(found.label[link.core])].front();
  };
  for (const Link<T>& link : links) {
    if (count[found.label[link.core]] < about.border_links) continue;
    // Links are by rising index: of equally near ones the first stays.
    const bool is_before =
        !first || (about.border == "sklearn" ? lowest(link) < lowest(*first) : link.d2 < first->d2);
    if (is_before) first = &link;
  }
  return first ? found.label[first->core] : -1;
}

template <class T>
std::string check_point(const BruteForce<T>& brute, const ResultAbout& about, const Labeled& found,
                        std::size_t i) {
  const T reach2 = brute.limit2(about.eps, false);
  std::uint64_t near = 0;
  std::vector<Link<T>> links;
  brute.for_all(brute.place(i), [&](std::size_t first, std::size_t count, const T* d2) {
    for (std::size_t k = 0; k < count; ++k) {
      if (!(d2[k] <= reach2)) continue;
      ++near;
      if (found.is_core[first + k]) links.push_back({d2[k], first + k});
    }
  });
  const bool is_core = near >= about.min_samples;
  if (is_core != (found.is_core[i] != 0))
    return fmt::format("point {} has {} points within eps: it {} a core point", i, near,
                       is_core ? "is" : "is not");
  for (const Link<T>& link : links)
    if (found.label[link.core] < 0) return fmt::format("core point {} is in no cluster", link.core);
  if (is_core) {
    for (const Link<T>& link : links)
      if (found.label[link.core] != found.label[i])
        return fmt::format("core points {} and {} are neighbors, but in clusters {} and {}", i,
                           link.core, found.label[i], found.label[link.core]);
    return "";
  }
  const std::int64_t right = cluster_by_links(about, found, links);
  if (right == found.label[i]) return "";
  return fmt::format("point {} belongs to cluster {}, not {}", i, right, found.label[i]);
}

template <class T>
std::string check_connected(const BruteForce<T>& brute, const Indices& cores, std::size_t cluster,
                            T reach2) {
  if (static_cast<double>(cores.size()) * static_cast<double>(cores.size()) > kClusterDistances)
    return "";
  const std::size_t found =
      component(
          brute, cores.front(), cores, [&](std::size_t, std::size_t, T d2) { return d2 <= reach2; },
          cores.size())
          .size();
  if (found == cores.size()) return "";
  return fmt::format(
      "cluster {} is not connected: only {} of its {} core points are connected with point {}",
      cluster, found, cores.size(), cores.front());
}

template <class T>
void verify_dbscan(Verification& v, const BruteForce<T>& brute) {
  const Labeled found = labeled(v);
  v.settle(fmt::format("numbering of all {}", counted(found.cores.size(), "cluster", "clusters")),
           check_numbering(found));
  const Indices points =
      draw(brute.size(), v.sample_size(static_cast<double>(brute.size())), v.random);
  v.settle(fmt::format("core points, border points and noise among {}",
                       counted(points.size(), "point", "points")),
           first_complaint(
               "neighbors", points.size(), v.execution(),
               [&](std::size_t s) { return check_point(brute, v.about(), found, points[s]); }),
           {"label", "is_core"});
  const Indices clusters = draw(found.cores.size(), kClusters, v.random);
  const T reach2 = brute.limit2(v.about().eps, false);
  v.settle(fmt::format("the core points of {} are connected",
                       counted(clusters.size(), "cluster", "clusters")),
           first_complaint("links", clusters.size(), v.execution(), [&](std::size_t s) {
             return check_connected(brute, found.cores[clusters[s]], clusters[s], reach2);
           }));
}

std::vector<double> fractions_of(const Verification& v, const std::string& name) {
  std::vector<double> values = v.result.numbers(name);
  if (values.size() != v.input.size())
    throw Mismatch(
        fmt::format("{} has {} rows for {} points", name, values.size(), v.input.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && values[i] <= 1))
      throw Mismatch(fmt::format("{} of point {} is {}, not in 0 to 1", name, i, values[i]));
  return values;
}

/// Sizes and ranges alone: the arrays count as not checked.
void verify_hdbscan(Verification& v) {
  const std::vector<std::int64_t> label = labels_of(v);
  std::vector<std::uint64_t> size(count_of(label));
  const std::vector<double> probability = fractions_of(v, "probability");
  fractions_of(v, "outlier_score");
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] >= 0) ++size[static_cast<std::size_t>(label[i])];
    if (label[i] < 0 && probability[i] != 0)
      throw Mismatch(fmt::format("point {} is noise with probability {}", i, probability[i]));
  }
  for (std::size_t c = 0; c < size.size(); ++c)
    if (size[c] < v.about().min_cluster_size)
      throw Mismatch(fmt::format("cluster {} has {} points, fewer than {}", c, size[c],
                                 v.about().min_cluster_size));
  v.settle(fmt::format("sizes of {}, ranges of probabilities and scores",
                       counted(size.size(), "cluster", "clusters")),
           "");
}

}  // namespace

void verify_clusters(Verification& v) {
  if (v.about().method == "hdbscan") return verify_hdbscan(v);
  if (v.about().method != "dbscan")
    throw Mismatch(fmt::format("the method {} is not known; there are dbscan and hdbscan",
                               printable(v.about().method)));
  Numbers positions = v.input.positions(v.execution());
  with_brute_force(v.input, positions, [&](const auto& brute) { verify_dbscan(v, brute); });
}

}  // namespace kith::cli
