// Keys of wanted ranks in sets that are spread over ranks. Each rank has its keys sorted and counts
// those below some limits; the counts are added up, and the next round looks between two limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/domains/key_search.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// The key of a set with `below` lesser ones over all ranks.
struct WantedKey {
  std::size_t set = 0;
  std::uint64_t below = 0;
};

/// KeyType: unsigned. All ranks want the same; the keys of a set are different, and ascend on each
/// rank. The result is a number with as many keys below it as are wanted. Collective.
template <class KeyType>
class Selection {
 public:
  Selection(Call& call, std::span<const std::span<const KeyType>> sets,
            std::span<const WantedKey> wanted)
      : call_(call), sets_(sets), wanted_(wanted) {}

  std::vector<KeyType> run() {
    call_.quick([&] { begin(); });
    int shift = kBits;
    while (shift > 0 && is_open()) {
      shift -= kStep;
      count(shift);
      call_.communicator().sum(counts_.data(), counts_.size());
      for (std::size_t i = 0; i < wanted_.size(); ++i) narrow(i, shift);
    }
    std::vector<KeyType> found;
    call_.quick([&] {
      for (const Search& search : searches_) found.push_back(search.least);
    });
    return found;
  }

 private:
  static constexpr int kBits = 8 * sizeof(KeyType);
  static constexpr int kStep = 4;
  static constexpr std::size_t kBins = std::size_t{1} << kStep;

  struct Search {
    KeyType least = 0;  ///< of the keys that are left; `below` of all keys are less
    std::uint64_t below = 0;
    std::size_t begin = 0, end = 0;  ///< of those on this rank
  };

  void begin() {
    searches_.resize(wanted_.size());
    counts_.resize(wanted_.size() * kBins);
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      searches_[i].end = sets_[wanted_[i].set].size();
  }

  bool is_open() const {
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (searches_[i].below != wanted_[i].below) return true;
    return false;
  }

  std::size_t bound(std::size_t i, const Search& search, std::size_t bin, int shift) const {
    const KeyType limit = search.least + (static_cast<KeyType>(bin) << shift);
    const auto keys = sets_[wanted_[i].set].subspan(search.begin, search.end - search.begin);
    return search.begin + static_cast<std::size_t>(
                              std::lower_bound(keys.begin(), keys.end(), limit) - keys.begin());
  }

  void count(int shift) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const Search& search = searches_[i];
      std::size_t at = search.begin;
      if (at == search.end || search.below == wanted_[i].below) continue;
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        const std::size_t next = bin + 1 < kBins ? bound(i, search, bin + 1, shift) : search.end;
        counts_[i * kBins + bin] = static_cast<std::int64_t>(next - at);
        at = next;
      }
    }
  }

  /// Continues with the bin of the wanted key.
  void narrow(std::size_t i, int shift) {
    Search& search = searches_[i];
    if (search.below == wanted_[i].below) return;
    std::size_t bin = 0;
    const auto in_bin = [&] { return static_cast<std::uint64_t>(counts_[i * kBins + bin]); };
    while (bin + 1 < kBins && search.below + in_bin() <= wanted_[i].below)
      search.below += static_cast<std::uint64_t>(counts_[i * kBins + bin++]);
    const std::size_t begin = bin > 0 ? bound(i, search, bin, shift) : search.begin;
    search.end = bin + 1 < kBins ? bound(i, search, bin + 1, shift) : search.end;
    search.begin = begin;
    search.least += static_cast<KeyType>(bin) << shift;
  }

  Call& call_;
  std::span<const std::span<const KeyType>> sets_;
  std::span<const WantedKey> wanted_;
  std::vector<Search> searches_;
  std::vector<std::int64_t> counts_;
};

}  // namespace kith::mpi
