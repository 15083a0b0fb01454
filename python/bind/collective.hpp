// Collective calls on the thread that makes them, since MPI may accept no other.
#pragma once

#include <exception>
#include <nanobind/nanobind.h>
#include <optional>
#include <type_traits>
#include <utility>

#include <kith/mpi.hpp>

#include "call.hpp"

namespace kith::python {

inline thread_local PyThreadState* unlocked_state = nullptr;

/// Runs the handlers of signals. An exception of one of them stays set.
inline int raised_by_a_signal() {
  PyEval_RestoreThread(unlocked_state);
  const int raised = PyErr_CheckSignals();
  unlocked_state = PyEval_SaveThread();
  return raised;
}

template <class Work>
auto run_collective(const Call& call, Work work) {
  const CancelToken cancel = call.cancel.value_or(CancelToken());
  const Execution execution{.threads = call.threads, .cancel = &cancel};
  std::optional<std::invoke_result_t<Work, const Execution&>> result;
  std::exception_ptr failure;
  unlocked_state = PyEval_SaveThread();
  {
    const mpi::InterruptCheck check(&raised_by_a_signal);
    try {
      result.emplace(work(execution));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  PyEval_RestoreThread(unlocked_state);
  if (PyErr_Occurred()) throw nb::python_error();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace kith::python
