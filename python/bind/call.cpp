#include "call.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <string>
#include <thread>

#include <kith/error.hpp>

namespace kith::python {
namespace {

constexpr std::chrono::milliseconds kSignalInterval{20};

/// Calls the Python function from whichever thread the library reports on. Its first exception is
/// kept, and stops the work.
class ProgressCaller {
 public:
  ProgressCaller(const nb::object& function, CancelToken cancel)
      : function_(function), cancel_(std::move(cancel)) {}

  void operator()(const Progress& progress) {
    const nb::gil_scoped_acquire lock;
    if (failure_) return;
    try {
      function_(nb::str(progress.stage.data(), progress.stage.size()), progress.done,
                progress.total);
    } catch (...) {
      failure_ = std::current_exception();
      cancel_.cancel();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const nb::object& function_;
  CancelToken cancel_;
  std::exception_ptr failure_;
};

/// The main thread, which handles signals and ends the interpreter. Asking Python each time would
/// cost more than a small search. Set when the module is imported.
unsigned long main_thread = 0;

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }

/// Set at the exit of the interpreter, before it takes its lock from other threads.
std::atomic<bool> is_ending = false;

void watch_interpreter() {
  main_thread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { is_ending = true; }));
}

/// The work on a separate thread, and how it ended.
class Background {
 public:
  explicit Background(const std::function<void()>& work) : thread_([this, &work] { run(work); }) {}

  bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_done_; });
  }

  /// Waits for the end, then throws what the work threw.
  void finish() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

/// Returns whether a signal handler raised; its exception then is set.
bool wait_for_end_or_signal(Background& background) {
  for (;;) {
    {
      const Unlocked unlocked;
      if (background.wait_for(kSignalInterval)) return false;
    }
    if (PyErr_CheckSignals() != 0) return true;
  }
}

void run_watched(const std::function<void()>& work, const CancelToken& cancel) {
  Background background(work);
  if (wait_for_end_or_signal(background)) {
    nb::python_error raised;  // takes what the handler has set
    cancel.cancel();
    try {
      const Unlocked unlocked;
      background.finish();
    } catch (const Error&) {
      // The work was cancelled, or failed on its own: the signal came first.
    }
    throw std::move(raised);
  }
  const Unlocked unlocked;
  background.finish();
}

void run_plain(const std::function<void()>& work) {
  const Unlocked unlocked;
  work();
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    const nb::object raised =
        nb::module_::import_("kith._errors").attr("error_of")(name(error.code()), error.what());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  }
}

}  // namespace

Unlocked::~Unlocked() {
  while (is_ending && !is_main_thread()) std::this_thread::sleep_for(std::chrono::hours(1));
  PyEval_RestoreThread(state_);
}

Call for_search(const Call& call, std::size_t rows, const AnyTree& tree) {
  constexpr double kMostSteps = 1 << 28;  // a tenth of a second, at the very worst
  Call chosen = call;
  const auto pairs = static_cast<double>(rows) * static_cast<double>(tree.size());
  chosen.is_short = call.device == "cpu" && pairs * tree.dimension() <= kMostSteps;
  return chosen;
}

void run_work(const Call& call, const std::function<void(const Execution&)>& work) {
  const CancelToken cancel = call.cancel.value_or(CancelToken());
  ProgressCaller progress(call.progress, cancel);
  Execution execution{.threads = call.threads, .cancel = &cancel, .device = call.device};
  if (!call.progress.is_none()) execution.progress = std::ref(progress);
  const std::function<void()> task = [&] { work(execution); };
  try {
    if (!call.is_short && is_main_thread()) {
      run_watched(task, cancel);
    } else {
      run_plain(task);
    }
  } catch (const Error&) {
    progress.rethrow();
    throw;
  }
  progress.rethrow();
}

void bind_call(nb::module_& module) {
  watch_interpreter();
  nb::register_exception_translator(translate);
  nb::class_<CancelToken>(module, "CancelToken",
                          "A switch that stops running calls from another thread.\n\n"
                          "Give it to a call as ``cancel``; the call then raises "
                          "kith.Cancelled within 0.25 s of ``cancel()``.")
      .def(nb::init<>())
      .def("cancel", &CancelToken::cancel, "Stops every call that was given this token.")
      .def_prop_ro("is_cancelled", &CancelToken::is_cancelled);
  nb::class_<Call>(module, "Call", "How a call is carried out; never changes a result.")
      .def(
          "__init__",
          [](Call* self, int threads, nb::object progress, std::optional<CancelToken> cancel,
             std::string device) {
            new (self) Call{threads, std::move(progress), std::move(cancel), std::move(device)};
          },
          nb::arg("threads") = 0, nb::arg("progress") = nb::none(), nb::arg("cancel") = nb::none(),
          nb::arg("device") = "cpu");
}

}  // namespace kith::python
