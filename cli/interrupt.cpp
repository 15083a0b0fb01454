#include "interrupt.hpp"

#include <csignal>
#include <unistd.h>

#include <kith/error.hpp>

namespace kith::cli {
namespace {

const CancelToken* token_of_handler = nullptr;

constexpr unsigned kPatience = 2;  // seconds; commands stop within 0.25

/// Calls into other libraries may never end: HDF5's on a damaged heap.
void on_alarm(int) {
  constexpr char kWords[] = "kith: stopped\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWords, sizeof kWords - 1);
  _exit(1);
}

/// A store to a lock-free atomic, and a clock: safe in a signal handler.
void on_signal(int) {
  token_of_handler->cancel();
  alarm(kPatience);
}

void handle(int number) {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(number, &action, nullptr);
}

}  // namespace

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
