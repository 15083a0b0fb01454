#include "interrupt.hpp"

#include <csignal>

#include <kith/error.hpp>

namespace kith::cli {
namespace {

const CancelToken* token_of_handler = nullptr;

/// A store to a lock-free atomic is all that happens: safe in a signal handler.
void on_signal(int) { token_of_handler->cancel(); }

void handle(int number) {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
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
  }
  return token;
}

void stop_if_interrupted() {
  if (interrupt_token().is_cancelled()) throw Error(ErrorCode::cancelled, "stopped");
}

}  // namespace kith::cli
