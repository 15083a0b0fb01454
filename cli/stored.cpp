#include "stored.hpp"

#include <array>
#include <bit>
#include <fmt/format.h>

#include <kith/error.hpp>

#include "point_extent.hpp"

namespace kith::cli {
namespace {

template <class T>
void check_positions(const Input& input, std::span<T> positions) {
  if (input.options().wrap || !input.box().is_periodic()) return;
  check_inside(extent_of(std::span<const T>(positions), input.dimension()), input.box(),
               printable(input.options().path));
}

/// Bits in the order of the numbers, -0 before 0; none is NaN.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

}  // namespace

void InputPoints::read(Field field, std::uint64_t begin, std::span<float> out) const {
  stored_->read(field, begin, out);
  if (field == Field::position) check_positions(input_, out);
}
void InputPoints::read(Field field, std::uint64_t begin, std::span<double> out) const {
  stored_->read(field, begin, out);
  if (field == Field::position) check_positions(input_, out);
}

bool goes_to_disk(double bytes, const Session& session) {
  constexpr double kArrays = 1.5, kProgram = 40e6;
  const double most = session.max_memory();
  return ranks().size() == 1 && most > 0 && kArrays * bytes + kProgram > most;
}

void say_disk(double bytes, Session& session) {
  session.report().add("memory", session.max_memory());
  session.say(fmt::format("memory: at most {} at a time, from disk; about {} without --max-memory",
                          bytes_name(session.max_memory()), bytes_name(bytes)));
}

void refuse_disk(const char* what) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} all particles in memory: raise --max-memory, or leave it out", what));
}

DiskOptions disk_options(const Session& session) {
  return {static_cast<std::uint64_t>(session.max_memory()), session.scratch(), session.resumes()};
}

void report_disk(const DiskUse& used, Session& session) {
  session.say(fmt::format("{}; scratch file: {} written, {} read",
                          counted(used.slabs, "slab", "slabs"),
                          bytes_name(static_cast<double>(used.bytes_written)),
                          bytes_name(static_cast<double>(used.bytes_read))));
  session.report().add_count("slabs", used.slabs);
  session.report().add_count("scratch_written", used.bytes_written);
  session.report().add_count("scratch_read", used.bytes_read);
}

/// Sixteen bits at a time: four passes.
double nth_value(const ResultRows& values, std::uint64_t n) {
  std::uint64_t prefix = 0;
  for (int shift = 48; shift >= 0; shift -= 16) {
    std::vector<std::uint64_t> counts(std::size_t{1} << 16);
    for_each_value<double>(values, [&](double value) {
      const std::uint64_t bits = ordered_bits(value);
      const std::uint64_t above = shift == 48 ? 0 : bits >> (shift + 16);
      if (above == prefix) ++counts[bits >> shift & 0xffff];
    });
    std::uint64_t digit = 0;
    while (n >= counts[digit]) n -= counts[digit++];
    prefix = prefix << 16 | digit;
  }
  return std::bit_cast<double>(prefix >> 63 ? prefix & ~(std::uint64_t{1} << 63) : ~prefix);
}

}  // namespace kith::cli
