#include "fiber.hpp"

#include "kernels.hpp"

#if defined(KITH_HOST_RACES)
#include <sanitizer/tsan_interface.h>
#endif

namespace kith::host {
namespace {

KITH_HOST_OF_GROUP Fiber* current = nullptr;
void* scheduler_fake_stack = nullptr;
const void* scheduler_bottom = nullptr;
std::size_t scheduler_size = 0;

// AddressSanitizer has to know which stack is in use.
void announce([[maybe_unused]] void** fake, [[maybe_unused]] const void* bottom,
              [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake, bottom, size);
#endif
}
void arrive([[maybe_unused]] void* fake, [[maybe_unused]] bool is_fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, is_fiber ? &scheduler_bottom : nullptr,
                                  is_fiber ? &scheduler_size : nullptr);
#endif
}

#if defined(KITH_HOST_RACES)
KITH_HOST_OF_GROUP void* scheduler_thread = nullptr;
/// A switch orders nothing: for the sanitizer, fibers run at once.
void run_as(void* thread) { __tsan_switch_to_fiber(thread, __tsan_switch_to_fiber_no_sync); }
#endif

}  // namespace

#if defined(__x86_64__)

extern "C" void kith_host_switch(void** from, void* to);
asm(R"(
.text
.type kith_host_switch,@function
kith_host_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kith_host_switch,.-kith_host_switch
)");

namespace {
KITH_HOST_OF_GROUP void* scheduler_pointer = nullptr;
}

void Fiber::start(void (*body)()) {
  body_ = body;
#if defined(KITH_HOST_RACES)
  if (!thread_) thread_ = __tsan_create_fiber(0);
#endif
  auto top = reinterpret_cast<std::uintptr_t>(stack_.get() + kStack) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<void**>(top) - 8;  // six registers, where to return, and a hole
  for (int i = 0; i < 8; ++i) words[i] = nullptr;
  words[6] = reinterpret_cast<void*>(&Fiber::begin);
  pointer_ = words;
}

void Fiber::enter() {
  current = this;
#if defined(KITH_HOST_RACES)
  scheduler_thread = __tsan_get_current_fiber();
  run_as(thread_);
#endif
  announce(&scheduler_fake_stack, stack_.get(), kStack);
  kith_host_switch(&scheduler_pointer, pointer_);
  arrive(scheduler_fake_stack, false);
}

void Fiber::leave(bool is_last) {
  Fiber* self = current;
#if defined(KITH_HOST_RACES)
  run_as(scheduler_thread);
#endif
  announce(is_last ? nullptr : &self->fake_stack_, scheduler_bottom, scheduler_size);
  kith_host_switch(&self->pointer_, scheduler_pointer);
  arrive(self->fake_stack_, true);
}

#else

namespace {
ucontext_t scheduler_context;
}

void Fiber::start(void (*body)()) {
  body_ = body;
  getcontext(&context_);
  context_.uc_stack = {stack_.get(), 0, kStack};
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::begin, 0);
}

void Fiber::enter() {
  current = this;
  announce(&scheduler_fake_stack, stack_.get(), kStack);
  swapcontext(&scheduler_context, &context_);
  arrive(scheduler_fake_stack, false);
}

void Fiber::leave(bool is_last) {
  Fiber* self = current;
  announce(is_last ? nullptr : &self->fake_stack_, scheduler_bottom, scheduler_size);
  swapcontext(&self->context_, &scheduler_context);
  arrive(self->fake_stack_, true);
}

#endif

void Fiber::begin() {
  arrive(nullptr, true);
  current->body_();
}

}  // namespace kith::host
