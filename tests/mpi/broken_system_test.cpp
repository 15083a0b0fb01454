// The system below kith fails or is unusual: MPI returns errors, threads do not start, a machine
// has thousands of CPUs. The functions of the system are replaced here.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <thread>

#include <kith/detail/ranks.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "mpi/transport/communicator.hpp"
#include "parallel/arena.hpp"

extern "C" kith::Ranks* kith_mpi_start();

namespace {

std::atomic<int> probes_to_fail{0}, sends_to_fail{0}, threads_to_fail{0}, cpus{0};
constexpr int kTagOfAlarms = 2;

bool takes(std::atomic<int>& countdown) {
  int left = countdown;
  while (left > 0)
    if (countdown.compare_exchange_weak(left, left - 1)) return true;
  return false;
}

template <class F>
F next_of(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (tag == kTagOfAlarms && takes(probes_to_fail)) return MPI_ERR_OTHER;
  return PMPI_Iprobe(source, tag, comm, flag, status);
}

/// To a rank that does not exist, so that MPI itself finds the error.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  const int rank = takes(sends_to_fail) ? 1 << 20 : to;
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
  if (takes(threads_to_fail)) return EAGAIN;
  static const auto real = next_of<decltype(&pthread_create)>("pthread_create");
  return real(thread, attributes, start, argument);
}

/// A machine of as many CPUs refuses shorter masks.
extern "C" int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* mask) noexcept {
  static const auto real = next_of<decltype(&sched_getaffinity)>("sched_getaffinity");
  const int count = cpus;
  if (count == 0) return real(process, size, mask);
  if (size * 8 < static_cast<std::size_t>(count)) {
    errno = EINVAL;
    return -1;
  }
  CPU_ZERO_S(size, mask);
  for (int i = 0; i < count; ++i) CPU_SET_S(i, size, mask);
  return 0;
}

namespace kith::test {
namespace {

/// An Error of this code with these words, on all ranks.
template <class F>
void expect_error_everywhere(ErrorCode code, const std::string& words, F f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

class BrokenSystem : public ::testing::Test {
 protected:
  PointSet<float> points_ =
      scene_points<float>(Shape::uniform, 3, 200, 3 + static_cast<unsigned>(world_rank()));
  mpi::Domains domains_ = mpi::Domains::curve(MPI_COMM_WORLD, points_.view());
  bool is_last_ = world_rank() == world_size() - 1;

  void visit_slowly() const {
    mpi::for_each_neighborhood<float>(
        domains_, {.k = 2},
        [](const auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
        {.threads = 1});
  }
  void TearDown() override {
    EXPECT_EQ(mpi::knn(domains_, {.k = 1}).index(0)[0], 200 * world_rank()) << "the next call";
  }
};

TEST_F(BrokenSystem, AnErrorOfMpiWhileARankComputesIsAnError) {
  if (is_last_) probes_to_fail = 1;
  expect_error_everywhere(ErrorCode::internal, "MPI_Iprobe", [&] { visit_slowly(); });
}

TEST_F(BrokenSystem, AThreadThatDoesNotStartIsNotTheCallersFault) {
  if (is_last_) threads_to_fail = 1;
  expect_error_everywhere(ErrorCode::unavailable, "no thread could be started",
                          [&] { visit_slowly(); });
}

TEST_F(BrokenSystem, RanksShareThousandsOfCpus) {
  cpus = 3000;
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  EXPECT_EQ(communicator.threads(), 3000 / world_size());
  EXPECT_EQ(available_threads(), 3000);
  cpus = 0;
}

/// Progress is not worth a job.
TEST_F(BrokenSystem, ProgressSurvivesErrorsOfMpiAndOfDrawing) {
  Ranks* ranks = kith_mpi_start();
  ASSERT_NE(ranks, nullptr);
  const auto note =
      ranks->share_progress([](const Progress&) { throw std::runtime_error("no terminal"); });
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(150)); };
  if (is_last_) sends_to_fail = 1;
  for (std::uint64_t done = 1; done < 4; ++done) {
    if (world_rank() == 0)
      EXPECT_THROW(note({"link", done, 10}), std::runtime_error);
    else
      note({"link", done, 10});
    if (world_rank() > 0) pause();
  }
  EXPECT_EQ(sends_to_fail, 0);
  std::int64_t one = 1;
  EXPECT_NO_THROW(ranks->sum({&one, 1}));  // rank 0 draws what it hears while it waits here
  EXPECT_EQ(one, world_size());
}

}  // namespace
}  // namespace kith::test
