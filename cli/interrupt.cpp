#include "interrupt.hpp"

#include <csignal>
#include <cstring>
#include <unistd.h>

#include <kith/detail/temporary_files.hpp>
#include <kith/error.hpp>

#include "faults.hpp"

namespace kith::cli {
namespace {

const CancelToken* token_of_handler = nullptr;

constexpr unsigned kGraceSeconds = 2;  // commands stop within 0.25

void print(const char* words) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words, std::strlen(words));
}

/// Calls into other libraries may never end: HDF5's on a damaged heap.
void on_alarm(int) { end_now("kith: stopped\n"); }

/// The HDF5 library crashes on some damaged files, about one of 10,000 with random changes: an
/// error like others. Any other fault ends the program as it would have without this handler
/// (SA_RESETHAND): with its own status and a core dump, so that a bug is not mistaken for a wrong
/// argument.
void on_fault(int number) {
  if (is_inside_hdf5())
    end_now("kith: an HDF5 file is damaged: the HDF5 library failed with a memory fault on it\n");
  remove_temporary_files();
  print("kith: stopped by a memory fault; this is a bug in kith, please report it\n");
  raise(number);
}

/// A store to a lock-free atomic, and a clock: safe in a signal handler.
void on_signal(int) {
  token_of_handler->cancel();
  alarm(kGraceSeconds);
}

void handle(int number) {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(number, &action, nullptr);
}

/// On a separate stack, since that of the program may be full. Tools that watch memory have
/// handlers that say more: those stay.
void handle_fault(int number) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = &on_fault;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
  sigaction(number, &action, nullptr);
}

}  // namespace

void end_now(const char* words) {
  remove_temporary_files();
  print(words);
  _exit(1);
}

void survive_faults() {
  static char memory[1 << 16];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle_fault(number);
  signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of its size is an error like a full disk
}

const CancelToken& interrupt_token() {
  static const CancelToken token;
  if (!token_of_handler) {
    token_of_handler = &token;
    handle(SIGINT);
    handle(SIGTERM);
    handle(SIGHUP);
    struct sigaction action {};
    action.sa_handler = &on_alarm;
    sigaction(SIGALRM, &action, nullptr);
  }
  return token;
}

void stop_if_interrupted() {
  if (interrupt_token().is_cancelled()) throw Error(ErrorCode::cancelled, "stopped");
}

}  // namespace kith::cli
