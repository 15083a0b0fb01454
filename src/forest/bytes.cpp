// A forest as bytes: a header, the indices of its points, their coordinates, zeros for erased ones.
#include <cstring>

#include <kith/io/forest_file.hpp>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "forest/forest_impl.hpp"
#include "parallel/public_call.hpp"
#include "tree/planes_view.hpp"

namespace kith {
namespace {

struct Header {
  char magic[8] = {'\x89', 'k', 'f', 'o', 'r', '\r', '\n', '\x1a'};
  std::uint32_t byte_order = 0x01020304, version = 1;
  std::uint32_t scalar_bytes = 0, dimension = 0, box_dimension = 0, reserved = 0;
  std::uint64_t points = 0, inserted = 0, checksum = 0;
  double side[kMaxDimension] = {}, origin[kMaxDimension] = {};
};

/// The checksum of all bytes, where its own place counts as 0.
std::uint64_t checksum_of(Header header, std::span<const std::byte> bytes) {
  header.checksum = 0;
  const auto body = bytes.subspan(sizeof(Header));
  return checksum(body.data(), body.size(), checksum(&header, sizeof(Header)));
}

[[noreturn]] void refuse_bytes(const char* why) {
  fail(ErrorCode::io, "forest: {}; save the forest again", why);
}

/// The header of a forest of any type.
Header any_header(std::span<const std::byte> bytes) {
  Header header;
  const Header expected;
  if (bytes.size() < sizeof(Header)) refuse_bytes("too few bytes");
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0)
    refuse_bytes("these bytes are not a saved forest");
  if (header.byte_order != expected.byte_order || header.version != expected.version)
    refuse_bytes("bytes of another machine or version");
  if (header.scalar_bytes != sizeof(float) && header.scalar_bytes != sizeof(double))
    refuse_bytes("truncated or damaged");
  return header;
}

/// Zeros at the end, a byte for 64 points that were erased: a forest remembers them in a bit each,
/// and a header must not be able to claim any number of them for nothing.
std::size_t erased_bytes(const Header& header) { return (header.inserted - header.points) / 64; }

Header read_header(std::span<const std::byte> bytes, std::size_t scalar_bytes) {
  const Header header = any_header(bytes);
  if (header.scalar_bytes != scalar_bytes) refuse_bytes("points of another scalar type");
  const std::size_t point = sizeof(std::int64_t) + header.dimension * scalar_bytes;
  if (header.dimension < 1 || header.dimension > kMaxDimension ||
      header.box_dimension > kMaxDimension || header.inserted > kMaxPoints ||
      header.points > header.inserted ||
      bytes.size() != sizeof(Header) + header.points * point + erased_bytes(header))
    refuse_bytes("truncated or damaged");
  if (checksum_of(header, bytes) != header.checksum)
    refuse_bytes("damaged: the checksum does not fit");
  return header;
}

Box box_of(const Header& header) {
  if (header.box_dimension == 0) return Box::periodic(header.side[0]).with_origin(header.origin[0]);
  return Box::periodic(std::span(header.side, header.box_dimension))
      .with_origin(std::span(header.origin, header.box_dimension));
}

}  // namespace

template <Coordinate T>
std::vector<std::byte> Forest<T>::bytes() const {
  return public_call("forest: bytes", [&] {
    const ForestPart<T> all = impl_->gathered(impl_->entries, {}, 0);
    Header header;
    header.scalar_bytes = sizeof(T);
    header.dimension = static_cast<std::uint32_t>(dimension());
    header.box_dimension = static_cast<std::uint32_t>(box().dimension());
    header.points = all.size();
    header.inserted = impl_->is_dead.size();
    for (int axis = 0; axis < kMaxDimension; ++axis) {
      header.side[axis] = box().side(axis);
      header.origin[axis] = box().origin(axis);
    }
    const std::size_t indices = all.size() * sizeof(std::int64_t),
                      rows = all.rows.size() * sizeof(T);
    std::vector<std::byte> bytes(sizeof(Header) + indices + rows + erased_bytes(header));
    if (all.size() > 0) {
      std::memcpy(bytes.data() + sizeof(Header), all.indices.data(), indices);
      std::memcpy(bytes.data() + sizeof(Header) + indices, all.rows.data(), rows);
    }
    header.checksum = checksum_of(header, bytes);
    std::memcpy(bytes.data(), &header, sizeof(Header));
    return bytes;
  });
}

namespace {

/// The points and indices of the bytes, which must be ascending and below `inserted`.
template <class T>
std::shared_ptr<ForestPart<T>> part_of(const Header& header, std::span<const std::byte> bytes) {
  auto part = std::make_shared<ForestPart<T>>();
  part->indices.resize(header.points);
  part->rows.resize(header.points * header.dimension);
  const std::byte* at = bytes.data() + sizeof(Header);
  std::memcpy(part->indices.data(), at, header.points * sizeof(std::int64_t));
  std::memcpy(part->rows.data(), at + header.points * sizeof(std::int64_t),
              part->rows.size() * sizeof(T));
  for (std::size_t i = 0; i < header.points; ++i) {
    const std::int64_t index = part->indices[i];
    if (index < 0 || static_cast<std::uint64_t>(index) >= header.inserted ||
        (i > 0 && index <= part->indices[i - 1]))
      refuse_bytes("no forest has such indices");
  }
  return part;
}

/// Whether an error means that a box or a point was no such thing.
bool is_about_content(const Error& error) {
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::non_finite;
}

}  // namespace

template <Coordinate T>
Forest<T> Forest<T>::from_bytes(std::span<const std::byte> bytes, const Execution& execution) {
  return public_call("forest: from_bytes", execution, [&](Workers& workers) {
    const Header header = read_header(bytes, sizeof(T));
    try {
      Forest forest(static_cast<int>(header.dimension), {.box = box_of(header)});
      Impl& impl = *forest.impl_;
      impl.is_dead.assign(header.inserted, true);
      if (header.points == 0) return forest;
      auto part = part_of<T>(header, bytes);
      for (const std::int64_t index : part->indices)
        impl.is_dead[static_cast<std::size_t>(index)] = false;
      const PointsView points = view(part->rows.data(), part->size(), impl.dimension);
      impl.fit(measure<T>(points, NonFinite::error, workers).extent, workers);
      impl.build(*part, workers);
      impl.entries.push_back({std::move(part), 0});
      impl.live = header.points;
      return forest;
    } catch (const Error& error) {
      if (is_about_content(error)) refuse_bytes(error.what());
      throw;
    }
  });
}

Scalar forest_scalar(std::span<const std::byte> bytes) {
  return public_call("forest_scalar", [&] {
    return any_header(bytes).scalar_bytes == sizeof(float) ? Scalar::float32 : Scalar::float64;
  });
}

template std::vector<std::byte> Forest<float>::bytes() const;
template std::vector<std::byte> Forest<double>::bytes() const;
template Forest<float> Forest<float>::from_bytes(std::span<const std::byte>, const Execution&);
template Forest<double> Forest<double>::from_bytes(std::span<const std::byte>, const Execution&);

}  // namespace kith
