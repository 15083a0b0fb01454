#include "faked_driver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace kith::host {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 33;

/// CUDA has a stack of contexts for each thread, HIP a device.
thread_local std::vector<const void*> contexts;
thread_local int hip_device = 0;

std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int copied(char* to, int room, const std::string& text) {
  if (static_cast<std::size_t>(room) <= text.size()) return kInvalidValue;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

}  // namespace

int number_of(const char* variable, int otherwise) {
  const std::string text = text_of(variable);
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

int injected(const std::string& function) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::string known;
  static std::map<std::string, int> calls;
  const std::string text = text_of("KITH_FAKE_FAIL");
  if (text != known) {
    known = text;
    calls.clear();
  }
  const int call = ++calls[function];
  const std::size_t at = ("," + text).find("," + function + "=");
  if (at == std::string::npos) return 0;
  const std::string rest = text.substr(at + function.size() + 1);
  const std::string entry = rest.substr(0, rest.find(','));
  const std::size_t mark = entry.find('@');
  if (mark == std::string::npos) return std::atoi(entry.c_str());
  const int from = std::atoi(entry.c_str() + mark + 1);
  const bool is_hit = entry.back() == '+' ? call >= from : call == from;
  return is_hit ? std::atoi(entry.c_str()) : 0;
}

// ---- what every call begins with

int FakedDriver::begin(const char* function, bool needs_card) {
  if (const std::string text = text_of("KITH_FAKE_FAIL"); text != injected_) {
    injected_ = text;
    lost_ = 0;
  }
  if (const int status = injected(function)) return status;
  if (lost_) return lost_;
  return needs_card && !current() ? kNoContext : kSuccess;
}

#define KITH_BEGIN(...)               \
  const std::lock_guard lock(mutex_); \
  if (const int status = begin(__VA_ARGS__)) return status

const FakedDriver::Card* FakedDriver::current() {
  if (is_hip_) return &cards_[hip_device];
  return contexts.empty() ? nullptr : static_cast<const Card*>(contexts.back());
}

// ---- facts

int FakedDriver::init(unsigned flags) {
  KITH_BEGIN("init", false);
  is_ready_ = true;
  return flags == 0 ? kSuccess : kInvalidValue;
}
int FakedDriver::driver_version(int* version) {
  KITH_BEGIN("driver_version", false);
  *version = is_hip_ ? 60342134 : number_of("KITH_FAKE_VERSION", 13010);
  return kSuccess;
}
int FakedDriver::error_text(int status, const char** text) {
  static thread_local std::string words;
  words = "faked error " + std::to_string(status);
  *text = words.c_str();
  return kSuccess;
}
int FakedDriver::device_count(int* count) {
  KITH_BEGIN("device_count", false);
  if (!is_ready_) return 3;
  *count = kCards;
  return kSuccess;
}
int FakedDriver::device(int* device, int number) {
  KITH_BEGIN("device", false);
  if (number < 0 || number >= kCards) return 101;
  *device = number;
  return kSuccess;
}
int FakedDriver::device_name(char* name, int room, int device) {
  KITH_BEGIN("device_name", false);
  return copied(name, room, (is_hip_ ? "faked AMD " : "faked NVIDIA ") + std::to_string(device));
}
int FakedDriver::total_memory(std::size_t* bytes, int) {
  KITH_BEGIN("total_memory", false);
  *bytes = kMemory;
  return kSuccess;
}
int FakedDriver::attribute(int* value, int what, int) {
  KITH_BEGIN("attribute", false);
  const int capability = number_of("KITH_FAKE_CAPABILITY", 80);
  if (what == (is_hip_ ? 63 : 16))
    *value = 7;
  else if (!is_hip_ && what == 75)
    *value = capability / 10;
  else if (!is_hip_ && what == 76)
    *value = capability % 10;
  else
    return kInvalidValue;
  return kSuccess;
}
int FakedDriver::pci_address(char* text, int room, int device) {
  KITH_BEGIN("pci_address", false);
  return copied(text, room, (is_hip_ ? "0000:C1:00." : "0000:3B:00.") + std::to_string(device));
}
int FakedDriver::uuid(unsigned char* bytes, int device) {
  KITH_BEGIN("uuid", false);
  auto found = kSharedCard;
  if (is_hip_ || device != 1)
    found[0] = static_cast<unsigned char>((is_hip_ ? 0x10 : 0x20) + device);
  std::copy(found.begin(), found.end(), bytes);
  return kSuccess;
}

// ---- contexts

int FakedDriver::retain_context(Handle* context, int device) {
  KITH_BEGIN("retain_context", false);
  *context = &cards_[device];
  return kSuccess;
}
int FakedDriver::push_context(Handle context) {
  KITH_BEGIN("push_context", false);
  contexts.push_back(context);
  return kSuccess;
}
int FakedDriver::pop_context(Handle* context) {
  if (contexts.empty()) return kNoContext;
  *context = const_cast<void*>(contexts.back());
  contexts.pop_back();
  return kSuccess;
}
int FakedDriver::current_context(Handle* context) {
  *context = contexts.empty() ? nullptr : const_cast<void*>(contexts.back());
  return kSuccess;
}
int FakedDriver::current_device(int* device) {
  KITH_BEGIN("current_device", false);
  *device = hip_device;
  return kSuccess;
}
int FakedDriver::use_device(int device) {
  KITH_BEGIN("use_device", false);
  if (device < 0 || device >= kCards) return 101;
  hip_device = device;
  return kSuccess;
}

// ---- streams and events

int FakedDriver::make_stream(Handle* stream, unsigned) {
  KITH_BEGIN("make_stream");
  streams_.push_back(std::make_unique<Stream>(Stream{current(), {}}));
  *stream = streams_.back().get();
  return kSuccess;
}

int FakedDriver::enqueue(Handle handle, std::function<int()> work) {
  auto* stream = static_cast<Stream*>(handle);
  if (stream->card != current()) return kBadHandle;
  stream->work.push_back(std::move(work));
  return kSuccess;
}

void FakedDriver::run_next(Stream& stream) {
  lost_ = stream.work.front()();
  stream.work.pop_front();
  if (lost_) stream.work.clear();
}
int FakedDriver::run(Stream& stream) {
  while (!stream.work.empty() && !lost_) run_next(stream);
  return lost_;
}

int FakedDriver::wait_for_stream(Handle stream) {
  KITH_BEGIN("wait_for_stream");
  if (static_cast<Stream*>(stream)->card != current()) return kBadHandle;
  return run(*static_cast<Stream*>(stream));
}
int FakedDriver::make_event(Handle* event, unsigned) {
  KITH_BEGIN("make_event");
  *event = new Event;
  return kSuccess;
}
int FakedDriver::record_event(Handle event, Handle stream) {
  KITH_BEGIN("record_event");
  auto* recorded = static_cast<Event*>(event);
  recorded->stream = static_cast<Stream*>(stream);
  ++recorded->pending;
  return enqueue(stream, [recorded] {
    recorded->seconds = now();
    --recorded->pending;
    return int{kSuccess};
  });
}
/// Runs no more of the stream than it must: later copies are still on their way.
int FakedDriver::wait_for_event(Handle event) {
  KITH_BEGIN("wait_for_event");
  const auto* awaited = static_cast<Event*>(event);
  while (awaited->pending > 0 && !lost_ && !awaited->stream->work.empty())
    run_next(*awaited->stream);
  return lost_;
}
int FakedDriver::elapsed(float* milliseconds, Handle from, Handle to) {
  KITH_BEGIN("elapsed");
  const auto *one = static_cast<Event*>(from), *other = static_cast<Event*>(to);
  if (one->seconds < 0 || other->seconds < 0) return 600;  // not ready
  *milliseconds = static_cast<float>(1000 * (other->seconds - one->seconds));
  return kSuccess;
}
int FakedDriver::drop_event(Handle event) {
  KITH_BEGIN("drop_event");
  delete static_cast<Event*>(event);
  return kSuccess;
}

// ---- memory

std::size_t FakedDriver::in_use(const Card* card) const {
  std::size_t sum = 0;
  for (const auto& [place, array] : arrays_)
    if (array.card == card) sum += array.size;
  return sum;
}

bool FakedDriver::is_inside(const void* place, std::size_t bytes, const Card* card) const {
  auto found = arrays_.upper_bound(place);
  if (found == arrays_.begin()) return false;
  --found;
  const auto at =
      static_cast<std::size_t>(static_cast<const std::byte*>(place) - found->second.bytes.get());
  return found->second.card == card && at + bytes <= found->second.size;
}

int FakedDriver::allocate(void** memory, std::size_t bytes) {
  KITH_BEGIN("allocate");
  const std::size_t limit = static_cast<std::size_t>(number_of("KITH_FAKE_MEMORY", 0));
  if (bytes == 0) return kInvalidValue;
  if (in_use(current()) + bytes > (limit > 0 ? limit : kMemory)) return 2;
  Array array{std::make_unique_for_overwrite<std::byte[]>(bytes), bytes, current()};
  std::memset(array.bytes.get(), 0xa5, bytes);
  *memory = array.bytes.get();
  arrays_.emplace(*memory, std::move(array));
  return kSuccess;
}
int FakedDriver::release(void* memory) {
  KITH_BEGIN("release");
  for (const auto& stream : streams_) run(*stream);
  return arrays_.erase(memory) == 1 ? kSuccess : kInvalidValue;
}
int FakedDriver::allocate_pinned(void** memory, std::size_t bytes, unsigned) {
  KITH_BEGIN("allocate_pinned");
  pinned_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  *memory = pinned_.back().get();
  std::memset(*memory, 0xa5, bytes);
  return kSuccess;
}
int FakedDriver::memory_info(std::size_t* free, std::size_t* total) {
  KITH_BEGIN("memory_info");
  const std::size_t limit = static_cast<std::size_t>(number_of("KITH_FAKE_MEMORY", 0));
  *total = limit > 0 ? limit : kMemory;
  *free = *total - std::min(*total, in_use(current()));
  return kSuccess;
}
int FakedDriver::write(void* to, const void* from, std::size_t bytes, Handle stream) {
  KITH_BEGIN("write");
  if (!is_inside(to, bytes, current())) return kInvalidValue;
  return enqueue(stream, [=] {
    std::memcpy(to, from, bytes);
    return int{kSuccess};
  });
}
int FakedDriver::read(void* to, void* from, std::size_t bytes, Handle stream) {
  KITH_BEGIN("read");
  if (!is_inside(from, bytes, current())) return kInvalidValue;
  return enqueue(stream, [=] {
    std::memcpy(to, from, bytes);
    return int{kSuccess};
  });
}

int FakedDriver::copy(void* to, void* from, std::size_t bytes, Handle stream) {
  KITH_BEGIN("copy");
  if (!is_inside(to, bytes, current()) || !is_inside(from, bytes, current())) return kInvalidValue;
  return enqueue(stream, [=] {
    std::memcpy(to, from, bytes);
    return int{kSuccess};
  });
}
int FakedDriver::pointer(void* value, int attribute, void* place) {
  KITH_BEGIN("pointer");
  for (const Card& card : cards_)
    if (is_inside(place, 1, &card)) {
      *static_cast<int*>(value) = attribute == 2 ? 2 : card.number;
      return kSuccess;
    }
  return kInvalidValue;
}
int FakedDriver::wait_for_all() {
  KITH_BEGIN("wait_for_all");
  for (const auto& stream : streams_)
    if (stream->card == current()) run(*stream);
  return lost_;
}

// ---- kernels

/// The code is the options of the compiler; see faked_compiler.cpp.
int FakedDriver::load_module(Handle* module, const void* image) {
  KITH_BEGIN("load_module");
  const std::string code = static_cast<const char*>(image);
  const std::string own = "sm_" + std::to_string(number_of("KITH_FAKE_CAPABILITY", 80));
  if (!is_hip_ && code.find("sm_") != std::string::npos && code.find(own) == std::string::npos)
    return kBadImage;
  if (code.find(is_hip_ ? "hip code" : "cuda code") != 0) return kBadImage;
  *module = new Module{variant_of(code)};
  return kSuccess;
}
int FakedDriver::function(Handle* function, Handle module, const char* name) {
  KITH_BEGIN("function");
  const Kernel* kernel = find(static_cast<Module*>(module)->variant, name);
  *function = const_cast<Kernel*>(kernel);
  return kernel ? kSuccess : kNotFound;
}
int FakedDriver::parameter(Handle function, std::size_t number, std::size_t* at,
                           std::size_t* size) {
  const auto& sizes = static_cast<const Kernel*>(function)->sizes;
  if (number >= sizes.size()) return kInvalidValue;
  *at = 0;
  *size = sizes[number] == 0 ? sizeof(void*) : sizes[number];
  return kSuccess;
}

int FakedDriver::run_kernel(const Kernel& kernel, unsigned groups,
                            std::vector<std::vector<std::byte>>& values, const Card* card) const {
  if (const int status = injected("run")) return status;
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    arguments.push_back(values[i].data());
    void* place = nullptr;
    if (kernel.sizes[i] != 0) continue;
    std::memcpy(&place, values[i].data(), sizeof place);
    if (!is_inside(place, 1, card)) return kIllegalAddress;
  }
  try {
    host::run(kernel, groups, arguments.data());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernels on the host: %s\n", error.what());
    return kLaunchFailed;
  }
  return kSuccess;
}

int FakedDriver::launch(Handle function, unsigned groups, unsigned, unsigned, unsigned size,
                        unsigned, unsigned, unsigned, Handle stream, void** arguments, void**) {
  KITH_BEGIN("launch");
  const auto* kernel = static_cast<const Kernel*>(function);
  if (groups == 0 || size != kGroupSize) return kInvalidValue;
  std::vector<std::vector<std::byte>> values;
  for (std::size_t i = 0; i < kernel->sizes.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(arguments[i]);
    const std::size_t bytes = kernel->sizes[i] == 0 ? sizeof(void*) : kernel->sizes[i];
    values.emplace_back(from, from + bytes);
  }
  return enqueue(stream, [this, kernel, groups, values, card = current()]() mutable {
    return run_kernel(*kernel, groups, values, card);
  });
}

}  // namespace kith::host
