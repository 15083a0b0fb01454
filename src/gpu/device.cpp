#include "gpu/device.hpp"

#include <algorithm>

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
  queue_ = opencl().clCreateCommandQueue(context_, id_, 0, &status);
  check(status, "making a queue");
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
  if (const auto free = free_memory(id_, facts_)) within_free_ = allocated_ + *free / 16 * 15;
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
  cl_int status = CL_SUCCESS;
  cl_mem memory = opencl().clCreateBuffer(context_, CL_MEM_READ_WRITE, room, nullptr, &status);
  check(status, "taking memory");
  const std::size_t now = allocated_ += bytes;
  for (std::size_t seen = peak_; seen < now && !peak_.compare_exchange_weak(seen, now);) {
  }
  return memory;
}

void OpenDevice::release(cl_mem memory, std::size_t bytes) noexcept {
  opencl().clReleaseMemObject(memory);
  allocated_ -= bytes;
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
  const cl_int status = opencl().clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global,
                                                        &kGroupSize, 0, nullptr, nullptr);
  opencl().clReleaseKernel(kernel);
  check(status, name);
  ++launches_;
}

}  // namespace kith::gpu
