#include <new>

#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "geometry/z_order.hpp"
#include "parallel/public_call.hpp"
#include "tree/builders.hpp"
#include "tree/device.hpp"
#include "tree/input.hpp"
#include "tree/invariants.hpp"
#include "tree/order.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

void check_tree_options(const TreeOptions& options) {
  if (options.builder != Builder::cells) return;
  if (options.curve == Curve::hilbert || options.curve == Curve::kd)
    refuse("tree: the cells builder needs the z curve; leave curve = automatic");
  if (options.max_leaf_size < 1)
    refuse("tree: max_leaf_size = {}; a leaf holds at least 1 point", options.max_leaf_size);
  if (options.coarsening < 2)
    refuse("tree: coarsening = {}; planes must shrink, give at least 2", options.coarsening);
  if (!(options.max_volume_ratio == 0 || options.max_volume_ratio >= 1))
    refuse("tree: max_volume_ratio = {}; give 1 or more, or 0 to allow cells of any volume",
           options.max_volume_ratio);
}

namespace {

template <class T>
TreeData<T> build(const PointsView& points, const TreeOptions& options, Workers& workers) {
  TreeData<T> data;
  const Input<T> input = [&] {
    const Stage stage(workers, "check", points.size);
    return read_input<T>(points, options.box, options.non_finite, workers);
  }();
  data.frame = input.frame;
  {
    const Stage stage(workers, "order", input.size);
    order_points(input, {options.curve, options.split_axis}, workers, data.planes);
  }
  const Stage stage(workers, "planes", input.size);
  if (is_implicit(options.builder))
    build_packed(workers, data.planes);
  else
    build_cells(options, workers, data.planes);
#ifdef KITH_SLOW_CHECKS
  check_planes(data, points.size, options, workers);
#endif
  return data;
}

}  // namespace

AnyTree::AnyTree(PointsView points, const TreeOptions& options, const Execution& execution) {
  device_call("tree", execution, [&](Workers& workers) {
    check_view("tree", points, options.box);
    check_tree_options(options);
    auto impl = std::make_shared<Impl>();
    impl->options = options;
    impl->options.curve = is_cpu(execution) ? tree_curve(options, points.dimension)
                                            : key_curve(options, points.dimension);
    impl->input_size = points.size;
    impl->scalar = points.scalar;
    impl->dimension = points.dimension;
    with_scalar(points.scalar, [&]<class T>() {
      if (!is_cpu(execution)) {
        TreeData<T>& facts = impl->data.emplace<TreeData<T>>();
        impl->origin = device_calls<T>("tree", execution)
                           .build({points, impl->options, nullptr}, facts, workers);
        return;
      }
      try {
        impl->data = build<T>(points, impl->options, workers);
      } catch (const std::bad_alloc&) {
        fail(ErrorCode::out_of_memory,
             "tree: no memory for {} points; about {} bytes are needed: use fewer points, or float "
             "instead of double",
             points.size,
             estimate_memory(points.size, points.dimension, points.scalar, options).peak);
      }
    });
    impl_ = std::move(impl);
  });
}

namespace {

void check_type(Scalar actual, Scalar expected) {
  const auto name = [](Scalar s) { return s == Scalar::float32 ? "float" : "double"; };
  if (actual != expected)
    refuse("points of type {} are used as {}; use Tree<{}> and View<{}>", name(actual),
           name(expected), name(actual), name(actual));
}

}  // namespace

const PointsView& detail::checked(const PointsView& points, Scalar scalar) {
  check_type(points.scalar, scalar);
  return points;
}

const AnyTree& detail::checked(const AnyTree& tree, Scalar scalar) {
  check_type(tree.scalar(), scalar);
  return tree;
}

std::size_t AnyTree::size() const {
  return impl_->facts([](const auto& data) { return data.planes.points; });
}
std::size_t AnyTree::input_size() const { return impl_->input_size; }
int AnyTree::dimension() const { return impl_->dimension; }
Scalar AnyTree::scalar() const { return impl_->scalar; }
const TreeOptions& AnyTree::options() const { return impl_->options; }
int AnyTree::scale_exponent() const {
  return impl_->facts([](const auto& data) { return data.frame.exponent; });
}
std::size_t AnyTree::memory() const {
  return impl_->visit([](const auto& data) { return data.planes.memory(); });
}

std::vector<std::int64_t> AnyTree::order() const {
  return public_call("tree", [&] {
    return impl_->visit([](const auto& data) {
      std::vector<std::int64_t> order(data.planes.points);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = data.planes.index(i);
      return order;
    });
  });
}

std::vector<double> AnyTree::coordinates() const {
  return public_call("tree", [&] {
    return impl_->visit([](const auto& data) {
      const int d = data.planes.dimension;
      std::vector<double> values;
      values.reserve(data.planes.points * static_cast<std::size_t>(d));
      for (std::size_t i = 0; i < data.planes.points; ++i)
        for (int axis = 0; axis < d; ++axis)
          values.push_back(data.frame.original(data.planes.coordinate(i, axis), axis));
      return values;
    });
  });
}

int AnyTree::planes() const {
  return impl_->visit([](const auto& data) { return static_cast<int>(data.planes.planes.size()); });
}

std::size_t AnyTree::nodes(int plane) const {
  if (plane < 0 || plane >= planes())
    refuse("tree: plane {}; this tree has planes 0 to {}", plane, planes() - 1);
  return impl_->visit(
      [&](const auto& data) { return data.planes.planes[static_cast<std::size_t>(plane)].nodes; });
}

namespace {

Node node_at(const AnyTree::Impl& tree, int plane, std::size_t i) {
  return tree.visit([&](const auto& data) {
    const auto& planes = data.planes;
    const auto& at = planes.planes[static_cast<std::size_t>(plane)];
    const IndexRange points = planes.points_of(plane, i), children = planes.children(plane, i);
    Node node{points.begin, points.end, children.begin, children.end, at.smallest[i], at.largest[i],
              {},           {}};
    for (int axis = 0; axis < planes.dimension; ++axis) {
      node.lower.push_back(data.frame.original(planes.lower(at, i, axis), axis));
      node.upper.push_back(data.frame.original(planes.upper(at, i, axis), axis));
    }
    return node;
  });
}

Cell cell_at(const AnyTree::Impl& tree, int plane, std::size_t i) {
  const Node at = node_at(tree, plane, i);
  return tree.visit([&]<class T>(const TreeData<T>& data) {
    T first[kMaxDimension] = {}, last[kMaxDimension] = {};
    const int d = data.planes.dimension;
    for (int axis = 0; axis < d; ++axis) {
      first[axis] = data.planes.coordinate(at.begin, axis);
      last[axis] = data.planes.coordinate(at.end - 1, axis);
    }
    Cell cell{z_level(first, last, Axes<kAnyDimension>(d)), {}, {}};
    for (int axis = 0; axis < d; ++axis) {
      double lower, upper;
      z_cell_ends(first[axis], cell.level, axis, d, lower, upper);
      cell.lower.push_back(data.frame.original(static_cast<T>(lower), axis));
      cell.upper.push_back(data.frame.original(static_cast<T>(upper), axis));
    }
    return cell;
  });
}

void check_node(const AnyTree& tree, int plane, std::size_t i) {
  if (i >= tree.nodes(plane))
    refuse("tree: node {} of plane {}; nodes of this plane are numbered 0 to {}", i, plane,
           tree.nodes(plane) - 1);
}

}  // namespace

Node AnyTree::node(int plane, std::size_t i) const {
  return public_call("tree", [&] {
    check_node(*this, plane, i);
    return node_at(*impl_, plane, i);
  });
}

Cell AnyTree::cell(int plane, std::size_t i) const {
  return public_call("tree", [&] {
    check_node(*this, plane, i);
    return cell_at(*impl_, plane, i);
  });
}

void AnyTree::check() const {
  public_call("tree", Execution{.threads = 1}, [&](Workers& workers) {
    impl_->visit(
        [&](const auto& data) { check_planes(data, impl_->input_size, impl_->options, workers); });
  });
}

}  // namespace kith
