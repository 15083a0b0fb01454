// What belongs to the members of groups, brought to the ranks of the groups, where the code of one
// process works on it.
#pragma once

#include <span>

#include "mpi/members.hpp"

namespace kith::mpi {

/// One row for each label of this rank. Velocities, masses and types: on all ranks or on none.
struct GivenColumns {
  PointsView points = {};
  PointsView velocity = {};
  ValuesView mass = {};
  std::span<const std::uint8_t> type = {};
  int types = 0;
};

class GroupColumns {
 public:
  /// Collective.
  GroupColumns(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
               const GivenColumns& given);

  // The members of the groups of this rank, group after group.
  PointsView points() const { return position_.rows(count(), dimension_); }
  PointsView velocity() const {
    return velocity_.is_given ? velocity_.rows(count(), dimension_) : PointsView{};
  }
  ValuesView mass() const;
  std::span<const std::uint8_t> type() const;
  int types() const { return types_; }  ///< on all ranks; 0: none are given
  std::size_t count() const { return members_.index.size(); }
  const std::vector<std::int64_t>& index() const { return members_.index; }  ///< global
  /// The members as they lie here: in order.
  kith::Members members() const;
  /// The lowest global index of each group.
  std::vector<std::int64_t> first() const;

 private:
  /// Values of some kind after their way.
  struct Column {
    Array<std::byte> bytes;
    bool is_given = false;
    Scalar scalar = Scalar::float64;
    PointsView rows(std::size_t n, int dimension) const {
      return {bytes.data(), n, dimension, dimension, scalar};
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
  int types_ = 0;
};

}  // namespace kith::mpi
