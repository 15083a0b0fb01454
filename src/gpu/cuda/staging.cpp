#include "gpu/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

namespace kith::gpu::cuda {
namespace {

constexpr Name kTo = "copying to the device", kFrom = "copying from the device";

Memory place(Memory memory, std::size_t at) { return static_cast<std::byte*>(memory) + at; }

}  // namespace

Staging::Piece Staging::piece(std::size_t number, std::size_t bytes, std::size_t room) {
  const std::size_t at = number * room;
  return {at, std::min(room, bytes - at)};
}

/// Made by the first large copy. Where pinned memory is short, the driver copies by itself.
bool Staging::has_buffers() {
  const std::size_t wanted = room;
  if (room_ >= wanted && copied_[1]) {
    room_ = wanted;
    return true;
  }
  if (room_ > 0) return false;
  room_ = wanted;
  for (std::size_t i = 0; i < 2; ++i) {
    void* pinned = nullptr;
    if (api_.allocate_pinned(&pinned, wanted, 0) != 0 || api_.make_event(&copied_[i], 0) != 0) {
      copied_[1] = nullptr;
      return false;
    }
    buffer_[i] = static_cast<std::byte*>(pinned);
  }
  return true;
}

/// After an error, copies may still run.
void Staging::begin(Handle stream) {
  if (!is_idle_) wait_for_all(stream, "waiting for the device");
  is_idle_ = false;
}
void Staging::wait(std::size_t buffer, Name what) {
  api_.check(api_.wait_for_event(copied_[buffer]), what);
}
void Staging::wait_for_all(Handle stream, Name what) {
  api_.check(api_.wait_for_stream(stream), what);
  is_idle_ = true;
}

void Staging::write(Memory to, const void* from, std::size_t bytes, Handle stream) {
  const std::lock_guard lock(mutex_);
  if (bytes < room || !has_buffers()) {
    api_.check(api_.write(to, from, bytes, stream), kTo);
    api_.check(api_.wait_for_stream(stream), kTo);
    return;
  }
  begin(stream);
  for (std::size_t i = 0; i * room_ < bytes; ++i) {
    const auto [at, size] = piece(i, bytes, room_);
    if (i >= 2) wait(i % 2, kTo);
    std::memcpy(buffer_[i % 2], static_cast<const std::byte*>(from) + at, size);
    api_.check(api_.write(place(to, at), buffer_[i % 2], size, stream), kTo);
    api_.check(api_.record_event(copied_[i % 2], stream), kTo);
  }
  wait_for_all(stream, kTo);
}

void Staging::read(void* to, Memory from, std::size_t bytes, Handle stream) {
  const std::lock_guard lock(mutex_);
  if (bytes < room || !has_buffers()) {
    api_.check(api_.read(to, from, bytes, stream), kFrom);
    api_.check(api_.wait_for_stream(stream), kFrom);
    return;
  }
  begin(stream);
  const auto start = [&](std::size_t i) {
    const auto [at, size] = piece(i, bytes, room_);
    api_.check(api_.read(buffer_[i % 2], place(from, at), size, stream), kFrom);
    api_.check(api_.record_event(copied_[i % 2], stream), kFrom);
  };
  start(0);
  for (std::size_t i = 0; i * room_ < bytes; ++i) {
    if ((i + 1) * room_ < bytes) start(i + 1);
    wait(i % 2, kFrom);
    const auto [at, size] = piece(i, bytes, room_);
    std::memcpy(static_cast<std::byte*>(to) + at, buffer_[i % 2], size);
  }
  wait_for_all(stream, kFrom);
}

}  // namespace kith::gpu::cuda
