// Matches of two catalogues, counted once more with hash tables.
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include <kith/io/halo_members.hpp>

#include "halo_options.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using ObjectsOfId = std::unordered_map<std::uint64_t, std::vector<std::int32_t>>;

ObjectsOfId objects_of_id(const HaloMembers& halos) {
  ObjectsOfId objects;
  for (std::size_t i = 0; i < halos.id.size(); ++i)
    if (halos.label[i] >= 0) objects[halos.id[i]].push_back(halos.label[i]);
  return objects;
}

double weight_of(const ResultAbout& about, std::size_t rank) {
  if (about.most_bound > 0 && rank >= about.most_bound) return 0;
  const auto r = static_cast<double>(rank);
  if (about.weight == "inverse_rank") return 1 / (1 + r);
  return about.weight == "equal" ? 1 : 1 / (1 + std::sqrt(r));
}

/// For each halo, the scores and counts of its partners.
struct Partner {
  double score = 0;
  std::int64_t shared = 0;
};
using Partners = std::vector<std::map<std::int32_t, Partner>>;

Partners partners(const HaloMembers& from, const HaloMembers& to, const ResultAbout& about) {
  const ObjectsOfId objects = objects_of_id(to);
  Partners all(from.halos);
  std::vector<std::size_t> rank(from.halos, 0);
  for (std::size_t i = 0; i < from.id.size(); ++i) {
    if (from.label[i] < 0) continue;
    const auto halo = static_cast<std::size_t>(from.label[i]);
    const double weight = weight_of(about, rank[halo]++);
    if (const auto at = objects.find(from.id[i]); at != objects.end())
      for (const std::int32_t object : at->second) {
        all[halo][object].score += weight;
        ++all[halo][object].shared;
      }
  }
  return all;
}

/// The best partner of a halo other than one; -1: none with a weight.
std::int32_t best_but(const std::map<std::int32_t, Partner>& partners, std::int32_t other) {
  std::int32_t best = -1;
  double score = 0;
  for (const auto& [object, partner] : partners)
    if (object != other && partner.score > score) {
      best = object;
      score = partner.score;
    }
  return best;
}

struct Found {
  std::vector<std::int64_t> best, second, shared;
  std::vector<double> score, second_score, margin;

  Found(const ResultFile& file, const std::string& prefix)
      : best(file.integers(prefix + "best")),
        second(file.integers(prefix + "second")),
        shared(file.integers(prefix + "shared")),
        score(file.numbers(prefix + "score")),
        second_score(file.numbers(prefix + "second_score")),
        margin(file.numbers(prefix + "margin")) {}
};

std::string complaint(const Found& found, const Partners& expected) {
  if (found.best.size() != expected.size())
    return fmt::format("{} halos in the result, {} in the catalogue", found.best.size(),
                       expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::int32_t best = best_but(expected[i], -1), second = best_but(expected[i], best);
    const Partner first = best < 0 ? Partner{} : expected[i].at(best);
    const double second_score = best < 0 || second < 0 ? 0 : expected[i].at(second).score;
    const double margin = best < 0 ? 0 : 1 - second_score / first.score;
    if (found.best[i] != best || found.second[i] != (best < 0 ? -1 : second) ||
        found.shared[i] != first.shared || found.score[i] != first.score ||
        found.second_score[i] != second_score || found.margin[i] != margin)
      return fmt::format("the match of halo {} is {} with a score of {}, not {} with {}", i, best,
                         first.score, found.best[i], found.score[i]);
  }
  return "";
}

}  // namespace

std::vector<std::string> verify_match(const ResultFile& file, const HaloMembers& a,
                                      const HaloMembers& b) {
  const ResultAbout& about = file.about();
  if (const auto wrong = complaint(Found(file, ""), partners(a, b, about)); !wrong.empty())
    throw Mismatch(wrong);
  std::vector<std::string> checked{fmt::format("matches of {} halos", a.halos)};
  if (!file.has("reverse_best")) return checked;
  if (const auto wrong = complaint(Found(file, "reverse_"), partners(b, a, about)); !wrong.empty())
    throw Mismatch("reverse: " + wrong);
  checked.push_back(fmt::format("reverse matches of {} halos", b.halos));
  return checked;
}

}  // namespace kith::cli
