// Matching sets of IDs that are larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/io/stored_points.hpp>
#include <kith/match.hpp>

namespace kith {

/// Members of the objects of a set, outside of memory. They are read twice, a part at a time; every
/// time they must be the same.
class KITH_API StoredMembers {
 public:
  virtual ~StoredMembers();
  virtual std::size_t objects() const = 0;
  virtual std::size_t parts() const = 0;
  /// IDs and labels of a part, as LabeledIds has them. The members of an object come in order of
  /// binding, in one part after the other.
  virtual void read(std::size_t part, std::vector<std::uint64_t>& id,
                    std::vector<std::int32_t>& label) const = 0;
};

/// As match of sets in memory: the same numbers. Members are divided on disk by a hash of their
/// IDs; the parts are joined one after the other, and shared members are brought to the objects,
/// some objects at a time. In memory stay about 60 bytes for each object. Cost: 28 bytes of disk
/// for each member, written and read. Errors: those of match and DiskOptions; out_of_memory also
/// for an object whose members do not fit, about 50 bytes each; `resume` is refused.
KITH_API Match match(const StoredMembers& a, const StoredMembers& b, const MatchOptions& options,
                     const DiskOptions& disk, const Execution& execution = {});

}  // namespace kith
