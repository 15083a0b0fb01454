// A driver of CUDA or HIP over the kernels as C++: three cards whose memory is that of the host.
//
// Streams are queues: copies and launches wait there until the caller waits for the stream, so a
// caller that forgets to wait reads old bytes. The faults that a real driver refuses are errors
// here too: a call without a current context, memory of another card, addresses outside of arrays.
//
// KITH_FAKE_FAIL injects errors: "allocate=2@3,run=700" lets the third allocation and every kernel
// fail, with these numbers; "launch=2@5+" all launches from the fifth on. A new text counts anew.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace kith::host {

using Handle = void*;

enum Status {
  kSuccess = 0,
  kInvalidValue = 1,
  kNoContext = 201,
  kBadImage = 209,
  kBadHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchFailed = 719
};

/// The number of an environment variable, or another one without it.
int number_of(const char* variable, int otherwise);

/// The error that KITH_FAKE_FAIL injects into this call of a function; 0 for none.
int injected(const std::string& function);

class FakedDriver {
 public:
  explicit FakedDriver(bool is_hip) : is_hip_(is_hip) {}

  int init(unsigned flags);
  int driver_version(int* version);
  int error_text(int status, const char** text);
  int device_count(int* count);
  int device(int* device, int number);
  int device_name(char* name, int room, int device);
  int total_memory(std::size_t* bytes, int device);
  int attribute(int* value, int what, int device);
  int pci_address(char* text, int room, int device);
  int uuid(unsigned char* bytes, int device);

  int retain_context(Handle* context, int device);
  int push_context(Handle context);
  int pop_context(Handle* context);
  int current_context(Handle* context);
  int current_device(int* device);
  int use_device(int device);

  int make_stream(Handle* stream, unsigned flags);
  int wait_for_stream(Handle stream);
  int make_event(Handle* event, unsigned flags);
  int record_event(Handle event, Handle stream);
  int wait_for_event(Handle event);
  int elapsed(float* milliseconds, Handle begin, Handle end);
  int drop_event(Handle event);

  int allocate(void** memory, std::size_t bytes);
  int release(void* memory);
  int allocate_pinned(void** memory, std::size_t bytes, unsigned flags);
  int memory_info(std::size_t* free, std::size_t* total);
  int write(void* to, const void* from, std::size_t bytes, Handle stream);
  int read(void* to, void* from, std::size_t bytes, Handle stream);

  int copy(void* to, void* from, std::size_t bytes, Handle stream);
  int pointer(void* value, int attribute, void* place);
  int wait_for_all();

  int load_module(Handle* module, const void* image);
  int function(Handle* function, Handle module, const char* name);
  int parameter(Handle function, std::size_t number, std::size_t* at, std::size_t* size);
  int launch(Handle function, unsigned groups, unsigned, unsigned, unsigned size, unsigned,
             unsigned, unsigned shared, Handle stream, void** arguments, void** extra);

 private:
  static constexpr int kCards = 3;

  struct Card {
    int number = 0;
  };
  struct Stream {
    const Card* card;
    std::deque<std::function<int()>> work;
  };
  struct Event {
    double seconds = -1;
    Stream* stream = nullptr;  ///< where it was recorded last
    std::size_t pending = 0;   ///< records that are not reached
  };
  struct Module {
    Variant variant;
  };
  struct Array {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
    const Card* card;
  };

  int begin(const char* function, bool needs_card = true);
  const Card* current();
  int enqueue(Handle stream, std::function<int()> work);
  void run_next(Stream& stream);
  int run(Stream& stream);
  bool is_inside(const void* place, std::size_t bytes, const Card* card) const;
  std::size_t in_use(const Card* card) const;
  int run_kernel(const Kernel& kernel, unsigned groups, std::vector<std::vector<std::byte>>& values,
                 const Card* card) const;

  bool is_hip_;
  bool is_ready_ = false;
  int lost_ = 0;  ///< an error of a kernel: every call fails from then on
  std::string injected_;
  std::recursive_mutex mutex_;
  Card cards_[kCards] = {{0}, {1}, {2}};
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<const void*, Array> arrays_;
  std::vector<std::unique_ptr<std::byte[]>> pinned_;
};

}  // namespace kith::host
