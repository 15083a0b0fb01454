// A spanning tree as bytes: a header, the ends of its edges, their squared lengths, and which
// points were dropped.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

struct SpanningHeader {
  char magic[8] = {'\x89', 'k', 's', 'p', 'n', '\r', '\n', '\x1a'};
  std::uint32_t byte_order = 0x01020304, version = 2;
  std::uint32_t scalar_bytes = 0, dimension = 0, box_dimension = 0, has_dropped = 0;
  std::uint32_t measure = 0, is_weighted = 0;
  std::int64_t exponent = 0;
  std::uint64_t input_size = 0, points = 0, edges = 0, core_k = 1, checksum = 0;
  double side[kMaxDimension] = {}, origin[kMaxDimension] = {};

  std::size_t bytes_of_ends() const { return 2 * edges * sizeof(std::uint32_t); }
  std::size_t bytes_of_lengths() const { return edges * scalar_bytes; }
  std::size_t bytes_of_dropped() const { return has_dropped ? input_size : 0; }
  std::size_t bytes_of_weights() const { return is_weighted ? input_size * sizeof(double) : 0; }
  std::size_t bytes_of_cores() const { return is_weighted ? input_size * scalar_bytes : 0; }
  std::size_t bytes() const {
    return sizeof(SpanningHeader) + bytes_of_ends() + bytes_of_lengths() + bytes_of_dropped() +
           bytes_of_weights() + bytes_of_cores();
  }
};

/// The checksum of all bytes, where its own place counts as 0.
std::uint64_t checksum_of_spanning(SpanningHeader header, std::span<const std::byte> bytes) {
  header.checksum = 0;
  const auto body = bytes.subspan(sizeof(SpanningHeader));
  return checksum(body.data(), body.size(), checksum(&header, sizeof(SpanningHeader)));
}

[[noreturn]] void refuse_spanning(const char* why) {
  fail(ErrorCode::io, "spanning_tree: {}; make its bytes again", why);
}

SpanningHeader spanning_header(std::span<const std::byte> bytes) {
  SpanningHeader header;
  const SpanningHeader expected;
  if (bytes.size() < sizeof(SpanningHeader)) refuse_spanning("too few bytes");
  std::memcpy(&header, bytes.data(), sizeof(SpanningHeader));
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0)
    refuse_spanning("these bytes are not a spanning tree");
  if (header.byte_order != expected.byte_order || header.version != expected.version)
    refuse_spanning("bytes of another machine or version");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  if ((header.scalar_bytes != sizeof(float) && header.scalar_bytes != sizeof(double)) ||
      header.dimension < 1 || header.dimension > kMaxDimension ||
      header.box_dimension > kMaxDimension || header.input_size >= kMost ||
      header.points > header.input_size ||
      header.edges + 1 != std::max<std::uint64_t>(1, header.points) || header.exponent < -2000 ||
      header.exponent > 2000 || header.measure > static_cast<std::uint32_t>(Measure::radians) ||
      header.bytes() != bytes.size())
    refuse_spanning("truncated or damaged");
  if (checksum_of_spanning(header, bytes) != header.checksum)
    refuse_spanning("damaged: the checksum does not fit");
  return header;
}

template <class Value>
Array<Value> read_values(const std::byte*& at, std::size_t bytes) {
  Array<Value> values(bytes / sizeof(Value));
  if (bytes > 0) std::memcpy(values.data(), at, bytes);
  at += bytes;
  return values;
}

/// Edges of different components, from point to point, none shorter than the one before.
void check_spanning(const SpanningTree::Impl& tree) {
  Array<std::uint32_t> parent(tree.input_size);
  const UnionFind<std::uint32_t> sets(parent.data());
  for (std::size_t i = 0; i < tree.input_size; ++i) sets.reset(static_cast<std::uint32_t>(i));
  for (std::size_t edge = 0; edge < tree.edges(); ++edge) {
    const std::uint32_t low = tree.index[2 * edge], high = tree.index[2 * edge + 1];
    if (low >= high || high >= tree.input_size || !sets.unite_alone(low, high))
      refuse_spanning("no spanning tree has such edges");
  }
  for (const double weight : tree.weight)
    if (!(weight >= 0 && std::isfinite(weight)))
      refuse_spanning("no spanning tree has such weights");
  tree.visit([&](const auto& length2) {
    for (std::size_t edge = 0; edge < tree.edges(); ++edge)
      if (!(length2[edge] >= (edge == 0 ? 0 : length2[edge - 1])))
        refuse_spanning("no spanning tree has such lengths");
  });
}

Box spanning_box(const SpanningHeader& header) {
  if (header.box_dimension == 0) return Box::periodic(header.side[0]).with_origin(header.origin[0]);
  return Box::periodic(std::span(header.side, header.box_dimension))
      .with_origin(std::span(header.origin, header.box_dimension));
}

}  // namespace

std::vector<std::byte> SpanningTree::bytes() const {
  return public_call("spanning_tree: bytes", [&] {
    SpanningHeader header;
    header.dimension = static_cast<std::uint32_t>(impl_->dimension);
    header.box_dimension = static_cast<std::uint32_t>(impl_->box.dimension());
    header.has_dropped = impl_->is_dropped.empty() ? 0 : 1;
    header.is_weighted = impl_->weight.empty() ? 0 : 1;
    header.exponent = impl_->exponent;
    header.input_size = impl_->input_size;
    header.points = impl_->points;
    header.edges = impl_->edges();
    header.core_k = impl_->core_k;
    header.measure = static_cast<std::uint32_t>(impl_->measure);
    for (int axis = 0; axis < std::max(1, impl_->box.dimension()); ++axis) {
      header.side[axis] = impl_->box.side(axis);
      header.origin[axis] = impl_->box.origin(axis);
    }
    return impl_->visit([&]<class T>(const Array<T>& length2) {
      header.scalar_bytes = sizeof(T);
      std::vector<std::byte> bytes(header.bytes());
      std::byte* at = bytes.data() + sizeof(SpanningHeader);
      const auto append = [&](const void* data, std::size_t size) {
        if (size > 0) std::memcpy(at, data, size);
        at += size;
      };
      append(impl_->index.data(), header.bytes_of_ends());
      append(length2.data(), header.bytes_of_lengths());
      append(impl_->is_dropped.data(), header.bytes_of_dropped());
      append(impl_->weight.data(), header.bytes_of_weights());
      if (header.is_weighted)
        append(std::get<Array<T>>(impl_->core2).data(), header.bytes_of_cores());
      header.checksum = checksum_of_spanning(header, bytes);
      std::memcpy(bytes.data(), &header, sizeof(SpanningHeader));
      return bytes;
    });
  });
}

SpanningTree SpanningTree::from_bytes(std::span<const std::byte> bytes) {
  return public_call("spanning_tree: from_bytes", [&] {
    const SpanningHeader header = spanning_header(bytes);
    auto impl = std::make_shared<Impl>();
    impl->input_size = header.input_size;
    impl->points = header.points;
    impl->dimension = static_cast<int>(header.dimension);
    impl->box = spanning_box(header);
    impl->core_k = header.core_k;
    impl->measure = static_cast<Measure>(header.measure);
    impl->exponent = static_cast<int>(header.exponent);
    const std::byte* at = bytes.data() + sizeof(SpanningHeader);
    impl->index = read_values<std::uint32_t>(at, header.bytes_of_ends());
    const auto read = [&]<class T>() {
      impl->length2 = read_values<T>(at, header.bytes_of_lengths());
      impl->is_dropped = read_values<std::uint8_t>(at, header.bytes_of_dropped());
      impl->weight = read_values<double>(at, header.bytes_of_weights());
      if (header.is_weighted) impl->core2 = read_values<T>(at, header.bytes_of_cores());
    };
    if (header.scalar_bytes == sizeof(float))
      read.template operator()<float>();
    else
      read.template operator()<double>();
    check_spanning(*impl);
    return SpanningTree(std::move(impl));
  });
}

}  // namespace kith
