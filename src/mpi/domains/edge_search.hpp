// Where the edges between ranks fall among keys that are spread over ranks. All ranks count their
// keys in cells of the curve, add the counts up, and open those cells alone that an edge falls
// into, until such a cell has few enough points to go to one side as a whole. Points may have units
// (units.hpp), which are then counted as well: edges are at sums of units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// An edge between two ranks: this many points of the section, or units, come before it.
struct RankEdge {
  std::uint64_t at = 0;
  std::uint64_t key = 0;   ///< the result: points from this key on come after
  bool is_inside = false;  ///< among the points of this key, which form a separate section
};

/// Points of one key, all of them at first, with the edges that fall among them.
struct Section {
  std::uint32_t first = 0;  ///< rank of the points before its first edge
  std::vector<RankEdge> edges;
  std::size_t begin = 0, end = 0;  ///< its members on this rank
  int bits = 0;                    ///< of its keys
  bool is_by_index = false;        ///< its keys are global indices: nothing else parts its members

  /// Of a point with this key.
  std::uint32_t edges_before(std::uint64_t key) const;
};

/// Keys of all members: short ones at the first level, long ones at the others.
struct SectionKeys {
  const std::uint16_t* top = nullptr;
  const std::uint64_t* full = nullptr;
  std::size_t count = 0;
  const std::uint64_t* units = nullptr;  ///< by member; null: they have none
};

/// The conditions under which an edge is accepted.
struct EdgeRule {
  std::uint64_t tolerance = 0;  ///< points or units that may lie on the wrong side of an edge
  std::size_t leaf = 8;         ///< points that need not be parted
  bool keeps_leaves = false;    ///< edges are moved to those of leaves (cells)
  bool has_units = false;
};

class EdgeSearch {
 public:
  EdgeSearch(Call& call, const EdgeRule& rule) : call_(call), rule_(rule) {}

  /// For a body, which has just found the bits of the sections' keys.
  void begin(const std::vector<Section>& sections, bool is_first);
  /// Finds all edges of the sections. Collective.
  void run(std::vector<Section>& sections, const SectionKeys& keys);

 private:
  /// Keys of a section that begin with the same bits, and contain edges.
  struct KeyCell {
    std::size_t section = 0;
    std::uint64_t prefix = 0;  ///< key >> shift
    int shift = 0;
    std::uint64_t below = 0;           ///< points or units of the section before the cell
    std::size_t begin = 0, end = 0;    ///< edges
    std::size_t counts = 0, step = 0;  ///< where its counts begin, and log2 of their number
  };

  void place_counts();
  void count(const std::vector<Section>& sections, const SectionKeys& keys, Workers& workers);
  void count_section(const Section& section, const SectionKeys& keys, std::size_t first,
                     std::size_t last, Workers& workers);
  const KeyCell* cell_of(std::uint64_t key, std::size_t first, std::size_t last) const;
  void open_cells(std::vector<Section>& sections);
  void open(const KeyCell& cell, Section& section, std::vector<KeyCell>& next) const;
  std::size_t nearer_end(std::size_t bin, std::uint64_t at, const std::vector<std::uint64_t>& below,
                         const std::vector<std::uint64_t>& points) const;

  Call& call_;
  EdgeRule rule_;
  bool is_first_ = true;
  std::vector<KeyCell> cells_;        ///< by section, then ascending
  std::vector<std::int64_t> counts_;  ///< points of all cells, then their units
};

}  // namespace kith::mpi
