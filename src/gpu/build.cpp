// A tree from the caller's points: check, frame, order, planes; the points go over the bus once.
#include <algorithm>

#include "base/fail.hpp"
#include "gpu/order.hpp"
#include "gpu/packed_tree.hpp"
#include "gpu/upload.hpp"
#include "neighbors/parts.hpp"

namespace kith::gpu {
namespace {

/// Bytes that a point takes at the peak of the build: rows twice at worst, its place in the order
/// and in the sort, and the tree.
template <class T>
std::size_t bytes_per_point(int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  return 2 * d * sizeof(T) + 72 + (d + 1) * sizeof(T) * 2;
}

template <class T>
class Build {
 public:
  Build(OpenDevice& device, const DeviceInput<T>& input, Workers& workers)
      : device_(device),
        input_(input),
        workers_(workers),
        d_(static_cast<std::size_t>(input.points.dimension)) {}

  std::shared_ptr<PackedTree<T>> run(TreeData<T>& facts) {
    const PointsView& points = input_.points;
    check_room("tree", device_, points.size, bytes_per_point<T>(points.dimension),
               d_ * sizeof(T) + 8);
    facts.planes.dimension = points.dimension;
    const Input<T> framed = [&] {
      const Stage stage(workers_, "check", points.size);
      check_rows();
      upload();
      return in_frame();
    }();
    facts.frame = framed.frame;
    facts.planes.points = framed.size;
    auto tree = std::make_shared<PackedTree<T>>(device_, points.dimension, framed.size);
    if (framed.size == 0) return tree;
    prepare(framed);
    const bool is_hilbert = input_.options.curve == Curve::hilbert;
    const Uints order = [&] {
      const Stage stage(workers_, "order", framed.size);
      return order_rows<T>(
          {device_, rows_, points.dimension, framed.size, framed.bounds, is_hilbert}, workers_);
    }();
    const Stage stage(workers_, "planes", framed.size);
    tree->fill(rows_, order, live_.size() > 0 ? &live_ : nullptr);
    device_.finish();
    return tree;
  }

 private:
  /// Rows on the device have no gaps: they are copied as a whole.
  void check_rows() {
    const PointsView& points = input_.points;
    is_there_ = points.size > 0 && device_.has(points.data);
    if (!is_there_) return;
    if (points.stride != points.dimension)
      refuse(
          "tree: rows of {} numbers with a stride of {} on {}; copy them to an array without gaps",
          points.dimension, points.stride, device_.facts().name);
    device_.wait_for_others();
  }

  void upload() {
    rows_ = Buffer<T>(device_, input_.points.size * d_);
    if (is_there_) return device_.copy(rows_, input_.points.data);
    for_packed_rows(input_.points, [&](const void* data, std::size_t bytes, std::size_t at) {
      rows_.write(static_cast<const T*>(data), bytes / sizeof(T), at / sizeof(T));
    });
  }

  /// Measured on the device. If a coordinate is not finite, the host finds out which one.
  Input<T> in_frame() {
    const PointsView& points = input_.points;
    MeasuredRows<T> measured;
    bool is_finite = true;
    measured.extent = extent(is_finite);
    if (is_finite) {
      InputRows<T>& rows = measured.rows;
      rows.data = static_cast<const T*>(points.data);
      rows.stride = points.stride;
      rows.dimension = points.dimension;
      rows.size = points.size;
    } else {
      measured = measured_on_host();
      live_ = Uints(device_, measured.rows.live.size());
      live_.write(measured.rows.live.data(), live_.size());
    }
    const Frame<T> frame =
        input_.frame ? *input_.frame
                     : Parts<T>::frame(input_.options.box, points.dimension, measured.extent);
    return Parts<T>::input(frame, std::move(measured));
  }

  MeasuredRows<T> measured_on_host() {
    if (!is_there_) return Parts<T>::measure(input_.points, input_.options.non_finite, workers_);
    std::vector<T> copy(input_.points.size * d_);
    rows_.read(copy.data(), copy.size());
    const PointsView points(copy.data(), input_.points.size, input_.points.dimension,
                            input_.points.dimension, input_.points.scalar);
    MeasuredRows<T> measured = Parts<T>::measure(points, input_.options.non_finite, workers_);
    measured.rows.data = nullptr;  // the copy ends here
    return measured;
  }

  Extent<T> extent(bool& is_finite) {
    Extent<T> extent;
    if (input_.points.size == 0) return extent;
    const std::size_t groups = std::min<std::size_t>(1024, input_.points.size / 1024 + 1);
    Buffer<T> lo(device_, groups * d_), hi(device_, groups * d_), all_lo(device_, d_),
        all_hi(device_, d_);
    Uints bad(device_, 1);
    fill(device_, bad, 0, 1);
    device_.launch(program(), "extent", groups * kGroupSize, rows_,
                   std::uint64_t{input_.points.size}, lo, hi, bad);
    device_.launch(program(), "join_boxes", kGroupSize, lo, hi, std::uint64_t{0},
                   std::uint64_t{groups}, all_lo, all_hi, std::uint64_t{0});
    all_lo.read(extent.bounds.lo, d_);
    all_hi.read(extent.bounds.hi, d_);
    is_finite = bad.value(0) == 0;
    return extent;
  }

  void prepare(const Input<T>& framed) {
    std::vector<T> frame(2 * d_);
    std::copy_n(framed.frame.origin, d_, frame.data());
    std::copy_n(framed.frame.period, d_, frame.data() + d_);
    Buffer<T> on_device(device_, frame.size());
    on_device.write(frame.data(), frame.size());
    Buffer<T> ready(device_, framed.size * d_);
    const bool has_live = live_.size() > 0;
    device_.launch(program(), "prepare", framed.size, rows_, has_live ? live_ : unused_,
                   std::uint32_t{has_live}, ready, std::uint64_t{framed.size}, on_device,
                   std::int32_t{framed.frame.exponent});
    device_.finish();
    rows_ = std::move(ready);
  }

  ProgramKey program() const { return {"input", sizeof(T) == 8, input_.points.dimension}; }

  OpenDevice& device_;
  const DeviceInput<T>& input_;
  Workers& workers_;
  std::size_t d_;
  bool is_there_ = false;  ///< the caller's points are on the device
  Buffer<T> rows_;
  Uints live_, unused_{device_, 1};
};

void check_kind(const TreeOptions& options) {
  if (options.builder != Builder::packed)
    fail(ErrorCode::unavailable,
         "tree: no code for the cells builder on a device; build it with device = cpu, and search "
         "it on any");
  if (options.curve == Curve::kd)
    fail(ErrorCode::unavailable,
         "tree: no code for the kd order on a device; build it with device = cpu, and search it on "
         "any");
}

}  // namespace

template <class T>
std::shared_ptr<PackedTree<T>> build_tree(OpenDevice& device, const DeviceInput<T>& input,
                                          TreeData<T>& facts, Workers& workers) {
  check_kind(input.options);
  return Build<T>(device, input, workers).run(facts);
}

template std::shared_ptr<PackedTree<float>> build_tree(OpenDevice&, const DeviceInput<float>&,
                                                       TreeData<float>&, Workers&);
template std::shared_ptr<PackedTree<double>> build_tree(OpenDevice&, const DeviceInput<double>&,
                                                        TreeData<double>&, Workers&);

}  // namespace kith::gpu
