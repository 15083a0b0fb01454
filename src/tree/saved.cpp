#include "tree/saved.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "tree/input.hpp"
#include "tree/invariants.hpp"

namespace kith {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // bytes that are summed at once
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kByteOrder = 0x01020304;
/// Begins with a byte that no text has; the line ends show whether a transfer has changed them.
constexpr std::array<char, 8> kMagic{'\x89', 'k', 'i', 't', 'h', '\r', '\n', '\x1a'};

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t version = kVersion;
  std::uint64_t bytes = 0;
  std::uint64_t header_checksum = 0;  ///< of the header with 0 here
  std::uint64_t arrays_checksum = 0;
  std::uint64_t points = 0;
  std::uint64_t input_size = 0;
  std::uint32_t scalar_bytes = 0;
  std::uint32_t dimension = 0;
  std::uint32_t builder = 0;
  std::uint32_t curve = 0;
  std::uint32_t non_finite = 0;
  std::int32_t max_leaf_size = 0;
  std::int32_t coarsening = 0;
  std::int32_t scale_exponent = 0;
  double max_volume_ratio = 0;
  std::uint32_t box_dimension = 0;
  std::uint32_t plane_count = 0;
  std::array<double, kMaxDimension> side{};
  std::array<double, kMaxDimension> origin{};
  std::array<std::uint64_t, kMaxPlanes> nodes{};
  std::uint32_t split_axis = 0;
  std::uint32_t reserved32 = 0;
  std::array<std::uint64_t, 2> reserved{};
};
static_assert(sizeof(Header) == 1152 && sizeof(Header) % kAlignment == 0);

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t checksum_of(Header header) {
  header.header_checksum = 0;
  return checksum(&header, sizeof(header));
}

/// f(array, number of values that it must have), in the order of the file.
template <class P, class F>
void for_each_array(P& planes, F f) {
  f(planes.blocks, planes.block_count() * planes.block_stride());
  for (std::size_t i = 0; i < planes.planes.size(); ++i) {
    auto& plane = planes.planes[i];
    const std::size_t lanes = planes.lanes_up(plane.nodes);
    f(plane.boxes, 2 * static_cast<std::size_t>(planes.dimension) * lanes);
    f(plane.smallest, lanes);
    f(plane.largest, lanes);
    f(plane.first, planes.is_implicit ? 0 : plane.nodes + 1);
    f(plane.begin, planes.is_implicit || i == 0 ? 0 : plane.nodes + 1);
  }
}

template <class T>
std::size_t bytes_of(const Planes<T>& planes) {
  std::size_t bytes = sizeof(Header);
  for_each_array(planes, [&](const auto& array, std::size_t size) {
    bytes += aligned(size * sizeof(*array.data()));
  });
  return bytes;
}

/// Zeros at the end, a bit for each point that was dropped: results also have rows for them, and a
/// header must not be able to claim any number of rows without data.
std::size_t dropped_bytes(std::size_t points, std::size_t input_size) {
  return aligned((input_size - points + 7) / 8);
}

/// The checksum of all arrays, megabyte by megabyte on all threads.
template <class T>
std::uint64_t checksum_of(const Planes<T>& planes, Workers& workers) {
  const Stage stage(workers, "checksum", planes.memory());
  std::vector<std::uint64_t> sums;
  for_each_array(planes, [&](const auto& array, std::size_t size) {
    const std::size_t bytes = size * sizeof(*array.data()), before = sums.size();
    const auto* data = reinterpret_cast<const std::byte*>(array.data());
    sums.resize(before + range_count(bytes, kChunk));
    workers.for_ranges(bytes, kChunk, [&](std::size_t begin, std::size_t end) {
      sums[before + begin / kChunk] = checksum(data + begin, end - begin, begin / kChunk);
      workers.advance(end - begin);
    });
  });
  return checksum(sums.data(), sums.size() * sizeof(sums[0]));
}

template <class T>
Header header_of(const AnyTree::Impl& tree, const TreeData<T>& data, Workers& workers) {
  const TreeOptions& options = tree.options;
  Header header;
  if (data.planes.planes.size() > kMaxPlanes)
    fail(ErrorCode::internal, "save: a tree of {} planes; a file holds {}",
         data.planes.planes.size(), kMaxPlanes);
  header.bytes = bytes_of(data.planes) + dropped_bytes(data.planes.points, tree.input_size);
  header.arrays_checksum = checksum_of(data.planes, workers);
  header.points = data.planes.points;
  header.input_size = tree.input_size;
  header.scalar_bytes = sizeof(T);
  header.dimension = static_cast<std::uint32_t>(tree.dimension);
  header.builder = static_cast<std::uint32_t>(options.builder);
  header.curve = static_cast<std::uint32_t>(options.curve);
  header.split_axis = static_cast<std::uint32_t>(options.split_axis);
  header.non_finite = static_cast<std::uint32_t>(options.non_finite);
  header.max_leaf_size = options.max_leaf_size;
  header.coarsening = options.coarsening;
  header.scale_exponent = data.frame.exponent;
  header.max_volume_ratio = options.max_volume_ratio;
  header.box_dimension = static_cast<std::uint32_t>(options.box.dimension());
  header.plane_count = static_cast<std::uint32_t>(data.planes.planes.size());
  for (int axis = 0; axis < kMaxDimension; ++axis) {
    header.side[static_cast<std::size_t>(axis)] = options.box.side(axis);
    header.origin[static_cast<std::size_t>(axis)] = options.box.origin(axis);
  }
  for (std::size_t i = 0; i < data.planes.planes.size(); ++i)
    header.nodes[i] = data.planes.planes[i].nodes;
  header.header_checksum = checksum_of(header);
  return header;
}

/// Reads a header; refuses one of another version, machine or size.
class HeaderReader {
 public:
  explicit HeaderReader(const SavedBytes& saved) : saved_(saved) {}

  Header read() const {
    Header header;
    const std::size_t there = std::min(saved_.bytes.size(), sizeof(Header));
    if (there > 0) std::memcpy(&header, saved_.bytes.data(), there);
    if (there < kMagic.size() || header.magic != kMagic)
      refuse_because("this is not a saved tree; make one with save");
    if (there < sizeof(Header)) fail_truncated(sizeof(Header));
    if (header.byte_order == 0x04030201)
      refuse_because("saved on a machine with the other byte order; build the tree again");
    if (header.version != kVersion && header.header_checksum == checksum_of(header))
      fail(ErrorCode::io, "{}: version {} of the format, but this kith reads {}; build it again",
           saved_.name, header.version, kVersion);
    if (header.header_checksum != checksum_of(header) || header.byte_order != kByteOrder)
      refuse_because("the header is damaged; make the file again");
    if (saved_.bytes.size() < header.bytes) fail_truncated(header.bytes);
    if (saved_.bytes.size() > header.bytes)
      fail(ErrorCode::io, "{}: {} bytes after the end of the tree; make the file again",
           saved_.name, saved_.bytes.size() - header.bytes);
    require(is_plausible(header));
    return header;
  }

  /// Holds for every header that `save` writes.
  void require(bool holds) const {
    if (!holds) refuse_because("the header contradicts itself; make the file again");
  }

 private:
  [[noreturn]] void refuse_because(std::string_view why) const {
    fail(ErrorCode::io, "{}: {}", saved_.name, why);
  }
  [[noreturn]] void fail_truncated(std::size_t wanted) const {
    fail(ErrorCode::io, "{}: truncated: {} of {} bytes; make the file again", saved_.name,
         saved_.bytes.size(), wanted);
  }

  static bool is_plausible(const Header& header) {
    const auto is_finite = [](double x) { return std::isfinite(x); };
    return (header.scalar_bytes == 4 || header.scalar_bytes == 8) && header.dimension >= 1 &&
           header.dimension <= kMaxDimension && header.builder <= 1 && header.curve >= 1 &&
           header.curve <= 3 && header.split_axis <= 2 && header.non_finite <= 1 &&
           header.points <= header.input_size && header.input_size <= kMaxPoints &&
           (header.points == header.input_size ||
            header.non_finite == static_cast<std::uint32_t>(NonFinite::drop)) &&
           std::abs(header.scale_exponent) <= 1200 &&
           (header.box_dimension == 0 || header.box_dimension == header.dimension) &&
           std::ranges::all_of(header.side, [&](double x) { return is_finite(x) && x >= 0; }) &&
           std::ranges::all_of(header.origin, is_finite) && has_plausible_planes(header);
  }

  /// Planes shrink to one root; those of a packed tree follow from the number of points.
  static bool has_plausible_planes(const Header& header) {
    if (header.plane_count > kMaxPlanes) return false;
    if ((header.points == 0) != (header.plane_count == 0)) return false;
    const bool is_packed = is_implicit(static_cast<Builder>(header.builder));
    std::uint64_t below = header.points;
    for (std::size_t i = 0; i < header.plane_count; ++i) {
      const std::uint64_t nodes = header.nodes[i];
      if (nodes < 1 || nodes > below) return false;
      if (is_packed && nodes != (below + kLanes - 1) / kLanes) return false;
      if (is_packed && i > 0 && below == 1) return false;
      below = nodes;
    }
    return header.plane_count == 0 || below == 1;
  }

  const SavedBytes& saved_;
};

bool are_equal(const std::array<double, kMaxDimension>& values) {
  return std::ranges::all_of(values, [&](double x) { return x == values[0]; });
}

/// Sides and origins that were given once for all axes are stored 32 times.
Box box_of(const Header& header) {
  const std::span<const double> sides(header.side.data(), header.box_dimension);
  const std::span<const double> origins(header.origin.data(), header.box_dimension);
  const bool is_one_origin = are_equal(header.origin);
  const bool is_one_side = header.box_dimension == 0 || (are_equal(header.side) && !is_one_origin);
  const Box box = is_one_side ? Box::periodic(header.side[0]) : Box::periodic(sides);
  return is_one_origin ? box.with_origin(header.origin[0]) : box.with_origin(origins);
}

TreeOptions options_of(const Header& header) {
  TreeOptions options;
  options.box = box_of(header);
  options.builder = static_cast<Builder>(header.builder);
  options.curve = static_cast<Curve>(header.curve);
  options.split_axis = static_cast<SplitAxis>(header.split_axis);
  options.non_finite = static_cast<NonFinite>(header.non_finite);
  options.max_leaf_size = header.max_leaf_size;
  options.coarsening = header.coarsening;
  options.max_volume_ratio = header.max_volume_ratio;
  return options;
}

template <class T>
Frame<T> saved_frame(const Header& header, const Box& box, const HeaderReader& reader) {
  Frame<T> frame = frame_of<T>(box, static_cast<int>(header.dimension));
  frame.exponent = header.scale_exponent;
  for (std::size_t axis = 0; axis < header.dimension; ++axis) {
    frame.side[axis] = std::ldexp(frame.period[axis], frame.exponent);
    reader.require(std::isfinite(frame.side[axis]) &&
                   (frame.side[axis] > 0) == (frame.period[axis] > 0));
  }
  return frame;
}

/// Points the arrays of a tree to where they lie in the bytes.
template <class T>
void place_arrays(const Header& header, const SavedBytes& saved, const HeaderReader& reader,
                  Planes<T>& planes) {
  planes.dimension = static_cast<int>(header.dimension);
  planes.points = header.points;
  planes.is_implicit = is_implicit(static_cast<Builder>(header.builder));
  planes.planes.resize(header.plane_count);
  for (std::size_t i = 0; i < header.plane_count; ++i) planes.planes[i].nodes = header.nodes[i];
  reader.require(bytes_of(planes) + dropped_bytes(header.points, header.input_size) ==
                 header.bytes);
  std::size_t at = sizeof(Header);
  for_each_array(planes, [&]<class Value>(Array<Value>& array, std::size_t size) {
    // A mapped file is read-only; nothing writes to a finished tree.
    auto* data = const_cast<std::byte*>(saved.bytes.data() + at);
    if (size > 0) array = Array<Value>::borrowed(reinterpret_cast<Value*>(data), size);
    at += aligned(size * sizeof(Value));
  });
}

/// The bytes between and behind the arrays are also part of the file.
template <class T>
bool has_zeros_in_gaps(const Planes<T>& planes, const SavedBytes& saved) {
  bool is_zero = true;
  std::size_t at = sizeof(Header);
  const auto check = [&](std::span<const std::byte> gap) {
    is_zero = is_zero && std::ranges::all_of(gap, [](std::byte b) { return b == std::byte{0}; });
  };
  for_each_array(planes, [&](const auto& array, std::size_t size) {
    const std::size_t bytes = size * sizeof(*array.data());
    check(saved.bytes.subspan(at + bytes, aligned(bytes) - bytes));
    at += aligned(bytes);
  });
  check(saved.bytes.subspan(at));
  return is_zero;
}

template <class T>
void verify(const TreeData<T>& data, const Header& header, const SavedBytes& saved,
            Workers& workers) {
  if (checksum_of(data.planes, workers) != header.arrays_checksum ||
      !has_zeros_in_gaps(data.planes, saved))
    fail(ErrorCode::io, "{}: damaged: the checksum is wrong; make the file again", saved.name);
  verify_planes(data, header.input_size, saved.name, workers);
}

template <class T>
TreeData<T> adopt_data(const Header& header, const SavedBytes& saved, const Box& box,
                       const HeaderReader& reader) {
  TreeData<T> data;
  data.frame = saved_frame<T>(header, box, reader);
  place_arrays(header, saved, reader, data.planes);
  return data;
}

}  // namespace

std::size_t saved_bytes(const AnyTree::Impl& tree) {
  return tree.visit([&](const auto& data) {
    return bytes_of(data.planes) + dropped_bytes(data.planes.points, tree.input_size);
  });
}

void write_saved(const AnyTree::Impl& tree, Workers& workers,
                 FunctionRef<void(const void* data, std::size_t bytes)> write) {
  tree.visit([&](const auto& data) {
    const Header header = header_of(tree, data, workers);
    const Stage stage(workers, "write", header.bytes);
    write(&header, sizeof(header));
    for_each_array(data.planes, [&](const auto& array, std::size_t size) {
      constexpr std::array<std::byte, kAlignment> kZeros{};
      constexpr std::size_t kPiece = 16 * kChunk;
      const std::size_t bytes = size * sizeof(*array.data());
      const auto* from = reinterpret_cast<const std::byte*>(array.data());
      for (std::size_t begin = 0; begin < bytes; begin += kPiece) {
        workers.check_cancelled();
        const std::size_t piece = std::min(kPiece, bytes - begin);
        write(from + begin, piece);
        workers.advance(piece);
      }
      if (aligned(bytes) > bytes) write(kZeros.data(), aligned(bytes) - bytes);
    });
    for (std::size_t left = dropped_bytes(data.planes.points, tree.input_size); left > 0;) {
      static constexpr std::array<std::byte, kChunk / 16> kNone{};
      write(kNone.data(), std::min(left, kNone.size()));
      left -= std::min(left, kNone.size());
    }
  });
}

std::shared_ptr<const AnyTree::Impl> adopt_saved(const SavedBytes& saved, bool should_verify,
                                                 Workers& workers) {
  const HeaderReader reader(saved);
  const Header header = reader.read();
  auto tree = std::make_shared<AnyTree::Impl>();
  tree->options = options_of(header);
  tree->input_size = header.input_size;
  tree->dimension = static_cast<int>(header.dimension);
  tree->scalar = header.scalar_bytes == 4 ? Scalar::float32 : Scalar::float64;
  tree->storage = saved.owner;
  with_scalar(tree->scalar, [&]<class T>() {
    auto data = adopt_data<T>(header, saved, tree->options.box, reader);
    if (should_verify) verify(data, header, saved, workers);
    tree->data = std::move(data);
  });
  return tree;
}

}  // namespace kith
