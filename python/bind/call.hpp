// How Python calls the library: without the lock of the interpreter, with Ctrl-C, progress and
// cancelling.
#pragma once

#include <functional>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <kith/execution.hpp>
#include <kith/tree.hpp>

namespace kith::python {

namespace nb = nanobind;

/// The options of carrying out a call, as Python gives them.
struct Call {
  int threads = 0;
  nb::object progress = nb::none();  ///< called with (stage, done, total)
  std::optional<CancelToken> cancel;
  std::string device = "cpu";
  bool is_short = false;  ///< certainly done before you could press Ctrl-C: no separate thread
};

/// The call for a search of `rows` points in the tree: short if looking at every pair would be.
Call for_search(const Call& call, std::size_t rows, const AnyTree& tree);

/// Runs the work with the interpreter's lock released. On the main thread, the work goes to a
/// separate thread while this one checks for signals every 20 ms: a handler that raises (Ctrl-C)
/// stops the work, and its exception is what the caller sees. An exception of the progress callback
/// does the same.
void run_work(const Call& call, const std::function<void(const Execution&)>& work);

/// The same with a result.
template <class Work>
auto run(const Call& call, Work work) {
  using Result = std::invoke_result_t<Work, const Execution&>;
  std::optional<Result> result;
  run_work(call, [&](const Execution& execution) { result.emplace(work(execution)); });
  return std::move(*result);
}

/// Releases the interpreter's lock while it lives. A thread that would take the lock back after the
/// interpreter has ended sleeps for ever instead, as Python's own calls do from 3.14 on: before, it
/// is unwound by force, which ends the process with an error if there is C++ on the stack.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

void bind_call(nb::module_& module);

}  // namespace kith::python
