// A device of OpenCL.
#include <atomic>
#include <map>
#include <mutex>

#include "base/fail.hpp"
#include "gpu/opencl/free_memory.hpp"
#include "gpu/opencl/open.hpp"

namespace kith::gpu {
namespace {

cl_mem object(Memory memory) { return static_cast<cl_mem>(memory); }

/// Devices stay open until the program ends: drivers may be gone before static objects are, so
/// nothing is freed.
class OpenClDriver : public Driver {
 public:
  OpenClDriver(const Device& facts, cl_platform_id platform, cl_device_id id)
      : facts_(facts), id_(id) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    cl_int status = CL_SUCCESS;
    context_ = opencl().clCreateContext(properties, 1, &id_, nullptr, nullptr, &status);
    check(status, "opening a device");
    make_queue(0);
    divides_exactly_ = (opencl_value<cl_device_fp_config>(id_, CL_DEVICE_SINGLE_FP_CONFIG) &
                        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  }

  Memory allocate(std::size_t bytes) override {
    cl_int status = CL_SUCCESS;
    cl_mem made = opencl().clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "taking memory");
    return made;
  }
  void release(Memory memory) noexcept override { opencl().clReleaseMemObject(object(memory)); }

  void write(Memory to, std::size_t at, const void* from, std::size_t bytes) override {
    check(opencl().clEnqueueWriteBuffer(queue_, object(to), CL_TRUE, at, bytes, from, 0, nullptr,
                                        nullptr),
          "copying to the device");
  }
  void read(Memory from, std::size_t at, void* to, std::size_t bytes) override {
    check(opencl().clEnqueueReadBuffer(queue_, object(from), CL_TRUE, at, bytes, to, 0, nullptr,
                                       nullptr),
          "copying from the device");
  }

  bool has(const void*) const override { return false; }
  void copy(Memory, const void*, std::size_t) override {
    fail(ErrorCode::internal, "gpu: a copy of an array that is not on the device");
  }
  void wait_for_others() override {}

  void launch(const Launch& launch) override {
    cl_kernel kernel = prepared(launch);
    const std::size_t global = launch.groups * kGroupSize;
    cl_event event = nullptr;
    const cl_int status = opencl().clEnqueueNDRangeKernel(
        queue_, kernel, 1, nullptr, &global, &kGroupSize, 0, nullptr, measures_ ? &event : nullptr);
    opencl().clReleaseKernel(kernel);
    check(status, launch.kernel);
    if (!measures_) return;
    const std::lock_guard lock(mutex_);
    events_.push_back({launch.kernel, event});
  }
  void finish() override { check(opencl().clFinish(queue_), "waiting for the device"); }

  std::size_t largest_piece() const override {
    return opencl_value<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  }
  std::optional<std::size_t> free_memory() const override { return gpu::free_memory(id_, facts_); }

  /// Queues that measure are slower with some drivers, so there is one only while it is wanted.
  void measure(bool is_measured) override {
    make_queue(is_measured ? CL_QUEUE_PROFILING_ENABLE : 0);
    measures_ = is_measured;
  }

  void take_times(FunctionRef<void(const char*, double)> take) override {
    const std::lock_guard lock(mutex_);
    for (const Measured& launch : events_) {
      cl_ulong begin = 0, end = 0;
      opencl().clGetEventProfilingInfo(launch.event, CL_PROFILING_COMMAND_START, sizeof begin,
                                       &begin, nullptr);
      opencl().clGetEventProfilingInfo(launch.event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                       nullptr);
      opencl().clReleaseEvent(launch.event);
      take(launch.kernel, 1e-9 * static_cast<double>(end - begin));
    }
    events_.clear();
  }

 private:
  struct Measured {
    const char* kernel;
    cl_event event;
  };

  void make_queue(cl_command_queue_properties properties) {
    cl_int status = CL_SUCCESS;
    cl_command_queue made = opencl().clCreateCommandQueue(context_, id_, properties, &status);
    check(status, "making a queue");
    if (queue_) opencl().clReleaseCommandQueue(queue_);
    queue_ = made;
  }

  /// A kernel of its own for each launch, with its arguments.
  cl_kernel prepared(const Launch& launch) {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = opencl().clCreateKernel(program(launch.program), launch.kernel, &status);
    check(status, launch.kernel);
    cl_uint number = 0;
    for (const Argument& argument : launch.arguments) {
      if (opencl().clSetKernelArg(kernel, number, argument.bytes, argument.value) != CL_SUCCESS) {
        opencl().clReleaseKernel(kernel);
        fail(ErrorCode::internal, "gpu: argument {} of {} does not fit; please report it", number,
             launch.kernel);
      }
      ++number;
    }
    return kernel;
  }

  cl_program program(const ProgramKey& key) {
    const std::lock_guard lock(mutex_);
    cl_program& made = programs_[key];
    if (!made) made = build(key);
    return made;
  }

  std::string options(const ProgramKey& key) const {
    std::string text = "-cl-std=CL1.2 " + program_options(key);
    if (facts_.is_gpu) text += " -DFOR_GPU";
    if (divides_exactly_)
      text += " -cl-fp32-correctly-rounded-divide-sqrt";
    else if (!key.is_double)
      text += " -DDIVIDE_IN_DOUBLE";
    return text;
  }

  /// A compiler that refuses the hints to unroll loops gets the text without them.
  cl_program build(const ProgramKey& key) const {
    const std::string how = options(key);
    std::string log;
    for (const char* more : {"", " -DNO_UNROLL"})
      if (cl_program made = compiled(key, how + more, log)) return made;
    constexpr std::size_t kShown = 2000;
    fail(ErrorCode::unavailable,
         "gpu: the compiler of {} ({}) refuses {}.cl with {}; update the driver. It says: {}",
         facts_.name, facts_.model, key.file, how, log.substr(0, kShown));
  }

  /// Null if the compiler refuses it; its messages are then added to `log`.
  cl_program compiled(const ProgramKey& key, const std::string& how, std::string& log) const {
    const std::string text = program_text(key);
    const char* source = text.c_str();
    const std::size_t length = text.size();
    cl_int status = CL_SUCCESS;
    cl_program made = opencl().clCreateProgramWithSource(context_, 1, &source, &length, &status);
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

  Device facts_;
  cl_device_id id_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  bool divides_exactly_ = false;
  std::mutex mutex_;
  std::map<ProgramKey, cl_program> programs_;
  std::atomic<bool> measures_{false};
  std::vector<Measured> events_;
};

}  // namespace

std::unique_ptr<Driver> open_opencl(const Device& facts, cl_platform_id platform, cl_device_id id) {
  return std::make_unique<OpenClDriver>(facts, platform, id);
}

}  // namespace kith::gpu
