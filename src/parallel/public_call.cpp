#include "parallel/public_call.hpp"

#include <new>
#include <stdexcept>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "parallel/device_name.hpp"

namespace kith {
namespace {

[[noreturn]] void fail_for_memory(const char* call, std::size_t bytes) {
  constexpr const char* kRemedy = "use fewer points or threads, ask for less, or add memory";
  if (bytes > 0)
    fail(ErrorCode::out_of_memory, "{}: {} bytes of memory are not available; {}", call, bytes,
         kRemedy);
  fail(ErrorCode::out_of_memory, "{}: out of memory; {}", call, kRemedy);
}

}  // namespace

void refuse_device(const char* call, const std::string& device) {
  if (may_name_device(device))
    fail(ErrorCode::unavailable, "{}: no code for device = {}; leave device = cpu", call, device);
  refuse(
      "{}: device = {}; give cpu, gpu, or gpu:N for the one with number N, cuda:N, hip:N or "
      "opencl:N, or the PCI address or the UUID of one",
      call, device);
}

int& library_depth() noexcept {
  static thread_local int depth = 0;
  return depth;
}

void rethrow_as_error(const char* call) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const CallerException& exception) {
    if (library_depth() > 0) throw;  // passed on to the call around this one
    std::rethrow_exception(exception.thrown);
  } catch (const NoMemory& exception) {
    fail_for_memory(call, exception.bytes);
  } catch (const std::bad_alloc&) {
    fail_for_memory(call, 0);
  } catch (const std::length_error&) {  // a container larger than an address space
    fail_for_memory(call, 0);
  } catch (const std::exception& exception) {
    fail(ErrorCode::internal, "{}: unexpected exception: {}; please report it", call,
         exception.what());
  } catch (...) {
    fail(ErrorCode::internal, "{}: unexpected exception of unknown type; please report it", call);
  }
}

}  // namespace kith
