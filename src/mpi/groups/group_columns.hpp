// Positions, velocities, masses and types of the members of groups, brought to the ranks of the
// groups, where the code of one process works on them.
#pragma once

#include <span>

#include "groups/checks.hpp"
#include "groups/property_columns.hpp"
#include "mpi/groups/split_groups.hpp"

namespace kith::mpi {

class GroupColumns {
 public:
  /// Velocities, masses and types: on all ranks or on none. Collective.
  GroupColumns(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
               const GivenColumns& given);
  /// The same columns in the order of other groups; a label for each member of `from`. Collective.
  GroupColumns(Call& call, const GroupColumns& from, const Labeled& labeled);

  /// The columns of some members of this rank, which are in the order of their groups.
  GivenColumns slice(std::size_t begin, std::size_t end) const;
  GivenColumns all() const { return slice(0, count()); }
  /// All of them, in a scale that fits the members on all ranks. Collective.
  PropertyColumns scaled(const Box& box) const;
  bool has_velocity() const { return velocity_.is_given; }
  int types() const { return has_types_ ? types_ : 0; }
  int agreed_types() const { return types_; }       ///< also if no member has one
  int found_types() const { return found_types_; }  ///< one more than the largest of all points
  std::size_t count() const { return members_.index.size(); }
  const std::vector<std::int64_t>& index() const { return members_.index; }   ///< global
  const std::vector<std::size_t>& offset() const { return members_.offset; }  ///< of the groups
  /// The groups that are here as a whole: their members in order.
  kith::Members members(const SplitGroups& split) const;
  GivenColumns whole(const SplitGroups& split) const {
    return slice(split.whole_begin(), split.whole_end());
  }
  /// The lowest global index of each of them.
  std::vector<std::int64_t> lowest(const SplitGroups& split) const;
  /// Rows of `width` numbers for each label of this rank in the order of its members. Collective.
  std::vector<double> carried(const double* rows, std::size_t width) const;
  /// Such rows for each member back to labels; rows without a group get 0. Nothing for a width of
  /// 0. Collective.
  void bring_back(const double* rows, std::size_t width, double* to) const;

 private:
  /// Values of some kind after their way.
  struct Column {
    Array<std::byte> bytes;
    bool is_given = false;
    Scalar scalar = Scalar::float64;
    std::size_t number() const { return scalar == Scalar::float32 ? 4 : 8; }
    PointsView rows(std::size_t begin, std::size_t end, int dimension) const {
      return {bytes.data() + begin * number() * static_cast<std::size_t>(dimension), end - begin,
              dimension, dimension, scalar};
    }
  };

  void agree(const GivenColumns& given, std::size_t rows);
  void check_points(const Domains::Impl& domains, const PointsView& points, std::size_t rows) const;
  void check_all(const GivenColumns& given, std::size_t rows) const;
  void move_rows(const PointsView& view, Column& column);

  Call& call_;
  Members::Impl members_;
  int dimension_;
  Column position_, velocity_, mass_;
  double same_mass_;
  Array<std::byte> type_;
  bool has_types_ = false;
  int types_ = 0, found_types_ = 0;
};

}  // namespace kith::mpi
