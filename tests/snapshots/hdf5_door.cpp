// Mutated HDF5 files: each is opened and read to its end in a separate process, which
// may find nothing worse than a kith::Error. Usage: hdf5_door FOLDER FIRST CASES SEED_FILE...
//
// A case that ends otherwise (a signal, or no end within ten seconds) is kept in the folder and
// named; the exit code is then 1. Cases are numbered, and a number is the same file on every
// machine.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <kith/detail/sorted_snapshot.hpp>
#include <kith/error.hpp>
#include <kith/io/results.hpp>
#include <kith/io/snapshot.hpp>

namespace {

using Bytes = std::vector<char>;

Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Mutation {
 public:
  explicit Mutation(std::uint64_t number) : random_(number) {}

  Bytes apply(const std::vector<Bytes>& seeds) {
    Bytes bytes = seeds[below(seeds.size())];
    constexpr std::size_t kTimes[] = {1, 1, 2, 4, 16};
    for (std::size_t left = kTimes[below(5)]; left > 0; --left) change(bytes);
    if (below(20) == 0) bytes.resize(below(bytes.size()));
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void change(Bytes& bytes) {
    const std::size_t at = below(bytes.size());
    constexpr char kOdd[] = {0, -1, 127, -128, 1};
    switch (below(5)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 1: bytes[at] = kOdd[below(5)]; break;
      case 2: bytes[at] = static_cast<char>(below(256)); break;
      case 3: fill(bytes, at); break;
      default: copy(bytes, at); break;
    }
  }
  void fill(Bytes& bytes, std::size_t at) {
    const std::size_t width = std::size_t{2} << below(3);
    const std::size_t kind = below(3);
    for (std::size_t i = at; i < std::min(bytes.size(), at + width); ++i)
      bytes[i] = kind == 0 ? static_cast<char>(-1) : kind == 1 ? 0 : static_cast<char>(below(256));
  }
  void copy(Bytes& bytes, std::size_t to) {
    const std::size_t from = below(bytes.size()), width = 1 + below(63);
    for (std::size_t i = 0; i < width && to + i < bytes.size() && from + i < bytes.size(); ++i)
      bytes[to + i] = bytes[from + i];
  }

  std::mt19937_64 random_;
};

/// All that a stranger's file is asked for.
void use(const std::string& path) {
  try {
    const kith::Snapshot snapshot(path);
    const auto width = static_cast<std::size_t>(snapshot.info().dimension);
    std::vector<double> numbers(snapshot.size() * width);
    for (const kith::Field field : {kith::Field::position, kith::Field::velocity})
      if (snapshot.has(field)) snapshot.read(field, numbers, {}, {.threads = 1});
    numbers.resize(snapshot.size());
    if (snapshot.has(kith::Field::mass))
      snapshot.read(kith::Field::mass, numbers, {}, {.threads = 1});
    kith::write_sorted_snapshot(path + ".sorted.hdf5", snapshot, {}, {.threads = 1});
  } catch (const kith::Error&) {
  }
  try {
    const kith::ResultFile result(path);
    for (const std::string& name : result.names()) static_cast<void>(result.rows(name));
  } catch (const kith::Error&) {
  }
}

/// In a child, with little memory and time.
int status_of(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit memory{std::size_t{4} << 30, std::size_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit core{0, 0};
    setrlimit(RLIMIT_CORE, &core);
    const rlimit time{10, 10};  // of the processor: a busy machine is no failure
    setrlimit(RLIMIT_CPU, &time);
    use(path);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string folder = argv[1];
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t cases = std::strtoull(argv[3], nullptr, 10);
  std::vector<Bytes> seeds;
  for (int i = 4; i < argc; ++i) seeds.push_back(bytes_of(argv[i]));
  std::uint64_t bad = 0;
  for (std::uint64_t number = first; number < first + cases; ++number) {
    const std::string path = folder + "/case_" + std::to_string(number) + ".hdf5";
    const Bytes bytes = Mutation(number).apply(seeds);
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const int status = status_of(path);
    std::filesystem::remove(path + ".sorted.hdf5");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      std::filesystem::remove(path);
      continue;
    }
    std::printf("%s: %s %d\n", path.c_str(), WIFSIGNALED(status) ? "signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    ++bad;
  }
  std::printf("%llu of %llu cases ended badly\n", static_cast<unsigned long long>(bad),
              static_cast<unsigned long long>(cases));
  return bad == 0 ? 0 : 1;
}
