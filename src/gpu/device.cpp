#include "gpu/device.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "gpu/free_memory.hpp"

namespace kith::gpu {
namespace {

/// The files of a program, in order.
std::vector<std::string_view> files_of(std::string_view program) {
  if (program == "scan" || program == "sort")
    return {"portable.h", program == "scan" ? "scan.cl" : "sort.cl"};
  if (program == "input") return {"portable.h", "input.cl"};
  if (program == "order") return {"portable.h", "input.cl", "order.cl"};
  if (program == "planes") return {"portable.h", "planes.cl"};
  if (program == "walk") return {"portable.h", "geometry.cl", "walk.cl"};
  if (program == "knn") return {"portable.h", "geometry.cl", "knn.cl"};
  if (program == "radius") return {"portable.h", "geometry.cl", "radius.cl"};
  if (program == "fof") return {"portable.h", "geometry.cl", "fof.cl"};
  if (program == "catalogue") return {"portable.h", "catalogue.cl"};
  if (program == "check") return {"portable.h", "check.cl"};
  fail(ErrorCode::internal, "gpu: no program {}", program);
}

/// Smaller buffers have sizes that are powers of two.
constexpr std::size_t kSmall = std::size_t{1} << 16;
/// The pool keeps up to this part of the memory.
constexpr std::size_t kPooledPart = 8;

template <class V>
V device_value(cl_device_id id, cl_device_info what) {
  V value{};
  check(opencl().clGetDeviceInfo(id, what, sizeof value, &value, nullptr), "asking for a device");
  return value;
}

}  // namespace

OpenDevice::OpenDevice(Device facts, cl_platform_id platform, cl_device_id id)
    : facts_(std::move(facts)), id_(id) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int status = CL_SUCCESS;
  context_ = opencl().clCreateContext(properties, 1, &id_, nullptr, nullptr, &status);
  check(status, "opening a device");
  make_queue(0);
  largest_piece_ = device_value<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  divides_exactly_ = (device_value<cl_device_fp_config>(id_, CL_DEVICE_SINGLE_FP_CONFIG) &
                      CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

/// Devices are opened once and stay until the program ends: drivers may be gone before static
/// objects are, so nothing is given back.
OpenDevice::~OpenDevice() = default;

std::size_t OpenDevice::memory_limit() const {
  const std::size_t limit = limit_;
  return limit > 0 ? limit : std::min(facts_.memory / 8 * 7, within_free_.load());
}

/// Some of it is left to drivers, which need memory for themselves.
void OpenDevice::look_at_memory() const {
  if (const auto free = free_memory(id_, facts_))
    within_free_ = allocated_ + pooled_ + *free / 16 * 15;
}

std::size_t OpenDevice::available() const {
  const std::size_t limit = memory_limit(), used = allocated_;
  return limit > used ? limit - used : 0;
}

Traffic OpenDevice::traffic() const {
  return {uploaded_, downloaded_, launches_, allocated_, peak_};
}

cl_mem OpenDevice::allocate(std::size_t bytes) {
  const std::size_t room = std::max<std::size_t>(bytes, 8);
  if (room > available() || room > largest_piece_)
    fail_for_device_memory(
        "gpu: {} bytes are not available on {}: {} of {} are in use, and one array takes at most "
        "{}; use fewer points, or raise the memory limit",
        room, facts_.name, allocated_.load(), memory_limit(), largest_piece_);
  cl_mem memory = take_pooled(room);
  const std::size_t now = allocated_ += bytes;
  for (std::size_t seen = peak_; seen < now && !peak_.compare_exchange_weak(seen, now);) {
  }
  return memory;
}

/// From the pool if one there is large enough and not much larger, else a new one.
cl_mem OpenDevice::take_pooled(std::size_t room) {
  const std::lock_guard lock(pool_mutex_);
  const std::size_t rounded = room < kSmall ? std::bit_ceil(room) : room;
  const auto found = pool_.lower_bound(rounded);
  if (found != pool_.end() && found->first <= rounded + rounded / 4) {
    cl_mem memory = found->second;
    pooled_ -= found->first;
    pool_.erase(found);
    return memory;
  }
  if (allocated_ + pooled_ + rounded > memory_limit()) empty_locked_pool();
  cl_int status = CL_SUCCESS;
  const auto make = [&] {
    return opencl().clCreateBuffer(context_, CL_MEM_READ_WRITE, rounded, nullptr, &status);
  };
  cl_mem memory = make();
  if (status != CL_SUCCESS && !pool_.empty()) {
    empty_locked_pool();
    memory = make();
  }
  check(status, "taking memory");
  room_[memory] = rounded;
  return memory;
}

void OpenDevice::empty_locked_pool() {
  for (const auto& [size, memory] : pool_) {
    opencl().clReleaseMemObject(memory);
    room_.erase(memory);
  }
  pool_.clear();
  pooled_ = 0;
}

void OpenDevice::empty_pool() {
  const std::lock_guard lock(pool_mutex_);
  empty_locked_pool();
}

/// Launches that still use it come first in the queue. Without memory for the record of it, or
/// beyond the most that is kept, it goes back to the driver.
void OpenDevice::release(cl_mem memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(pool_mutex_);
  allocated_ -= bytes;
  const std::size_t size = room_.find(memory)->second;
  try {
    if (reuses_buffers && pooled_ + size <= memory_limit() / kPooledPart) {
      pool_.emplace(size, memory);
      pooled_ += size;
      return;
    }
  } catch (const std::bad_alloc&) {
  }
  room_.erase(memory);
  opencl().clReleaseMemObject(memory);
}

void OpenDevice::write(cl_mem to, std::size_t at, const void* from, std::size_t bytes) {
  check(opencl().clEnqueueWriteBuffer(queue_, to, CL_TRUE, at, bytes, from, 0, nullptr, nullptr),
        "copying to the device");
  uploaded_ += bytes;
}

void OpenDevice::read(cl_mem from, std::size_t at, void* to, std::size_t bytes) {
  check(opencl().clEnqueueReadBuffer(queue_, from, CL_TRUE, at, bytes, to, 0, nullptr, nullptr),
        "copying from the device");
  downloaded_ += bytes;
}

void OpenDevice::finish() { check(opencl().clFinish(queue_), "waiting for the device"); }

std::string OpenDevice::options(const ProgramKey& key) const {
  std::string text = "-cl-std=CL1.2 -DREAL=";
  text += key.is_double ? "double -DUSE_DOUBLE" : "float";
  text += " -DDIM=" + std::to_string(key.dimension);
  if (key.k > 0) text += " -DK=" + std::to_string(key.k);
  if (facts_.is_gpu) text += " -DFOR_GPU";
  if (divides_exactly_)
    text += " -cl-fp32-correctly-rounded-divide-sqrt";
  else if (!key.is_double)
    text += " -DDIVIDE_IN_DOUBLE";
  return text;
}

/// Null if the compiler refuses it; its words are then added to `log`.
cl_program OpenDevice::compiled(const ProgramKey& key, const std::string& how,
                                std::string& log) const {
  std::vector<const char*> text;
  std::vector<std::size_t> length;
  for (const std::string_view file : files_of(key.file)) {
    const std::string_view source = kernel_text(file);
    text.push_back(source.data());
    length.push_back(source.size());
  }
  cl_int status = CL_SUCCESS;
  cl_program made = opencl().clCreateProgramWithSource(context_, static_cast<cl_uint>(text.size()),
                                                       text.data(), length.data(), &status);
  check(status, "making a program");
  if (opencl().clBuildProgram(made, 1, &id_, how.c_str(), nullptr, nullptr) == CL_SUCCESS)
    return made;
  std::size_t size = 0;
  opencl().clGetProgramBuildInfo(made, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string words(size, ' ');
  opencl().clGetProgramBuildInfo(made, id_, CL_PROGRAM_BUILD_LOG, size, words.data(), nullptr);
  opencl().clReleaseProgram(made);
  log += words;
  return nullptr;
}

/// A compiler that refuses the hints to unroll loops gets the text without them.
cl_program OpenDevice::build(const ProgramKey& key) const {
  const std::string how = options(key);
  std::string log;
  for (const char* more : {"", " -DNO_UNROLL"})
    if (cl_program made = compiled(key, how + more, log)) return made;
  constexpr std::size_t kShown = 2000;
  fail(ErrorCode::unavailable,
       "gpu: the compiler of {} ({}) refuses {}.cl with {}; update the driver. It says: {}",
       facts_.name, facts_.model, key.file, how, log.substr(0, kShown));
}

cl_program OpenDevice::program(const ProgramKey& key) {
  const std::lock_guard lock(mutex_);
  cl_program& made = programs_[key];
  if (!made) made = build(key);
  return made;
}

cl_kernel OpenDevice::make_kernel(const ProgramKey& key, const char* name) {
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = opencl().clCreateKernel(program(key), name, &status);
  check(status, name);
  return kernel;
}

void OpenDevice::set_bytes(cl_kernel kernel, const char* name, cl_uint number, const void* value,
                           std::size_t bytes) {
  if (opencl().clSetKernelArg(kernel, number, bytes, value) == CL_SUCCESS) return;
  opencl().clReleaseKernel(kernel);
  fail(ErrorCode::internal, "gpu: argument {} of {} does not fit; please report it", number, name);
}

void OpenDevice::enqueue(cl_kernel kernel, const char* name, std::size_t threads) {
  const std::size_t global = (threads + kGroupSize - 1) / kGroupSize * kGroupSize;
  cl_event event = nullptr;
  const bool is_measured = measures_;
  const cl_int status = opencl().clEnqueueNDRangeKernel(
      queue_, kernel, 1, nullptr, &global, &kGroupSize, 0, nullptr, is_measured ? &event : nullptr);
  opencl().clReleaseKernel(kernel);
  if (status != CL_SUCCESS) empty_pool();  // some drivers look for memory here
  check(status, name);
  ++launches_;
  if (!is_measured) return;
  const std::lock_guard lock(events_mutex_);
  events_.push_back({name, event});
  if (events_.size() >= kMostEvents) collect_events();
}

// ---- times by events

void OpenDevice::make_queue(cl_command_queue_properties properties) {
  cl_int status = CL_SUCCESS;
  cl_command_queue made = opencl().clCreateCommandQueue(context_, id_, properties, &status);
  check(status, "making a queue");
  if (queue_) opencl().clReleaseCommandQueue(queue_);
  queue_ = made;
}

/// Queues that measure are slower with some drivers, so there is one only while it is wanted.
void OpenDevice::measure_kernels(bool is_on) {
  finish();
  const std::lock_guard lock(events_mutex_);
  collect_events();
  if (is_on) kernel_times_.clear();
  if (measures_ == is_on) return;
  make_queue(is_on ? CL_QUEUE_PROFILING_ENABLE : 0);
  measures_ = is_on;
}

void OpenDevice::collect_events() {
  if (!events_.empty()) finish();
  for (const Launch& launch : events_) {
    cl_ulong begin = 0, end = 0;
    opencl().clGetEventProfilingInfo(launch.event, CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                     nullptr);
    opencl().clGetEventProfilingInfo(launch.event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                     nullptr);
    opencl().clReleaseEvent(launch.event);
    KernelTime& sum = kernel_times_[launch.kernel];
    sum.kernel = launch.kernel;
    ++sum.launches;
    sum.seconds += 1e-9 * static_cast<double>(end - begin);
  }
  events_.clear();
}

std::vector<KernelTime> OpenDevice::kernel_times() {
  const std::lock_guard lock(events_mutex_);
  collect_events();
  std::vector<KernelTime> times;
  for (const auto& [name, time] : kernel_times_) times.push_back(time);
  std::stable_sort(times.begin(), times.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
  return times;
}

}  // namespace kith::gpu
