// Loads a plugin that uses kith, calls it from several threads at once, unloads it, again and
// again: reload PLUGIN ROUNDS. The results are in docs/development/campaigns.md.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Work = std::size_t (*)(int threads);

/// Whether all threads get the same answer.
bool call_from_threads(Work work) {
  constexpr std::size_t kThreads = 8;
  std::vector<std::size_t> found(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { found[i] = work(1 + static_cast<int>(i % 3)); });
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t each : found)
    if (each != found.front()) return false;
  return true;
}

/// Whether the last dlclose took the library out of memory.
bool is_loaded(const char* library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const long rounds = std::strtol(words[2], nullptr, 10);
  for (long round = 0; round < rounds; ++round) {
    void* plugin = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    const Work work = reinterpret_cast<Work>(dlsym(plugin, "work"));
    if (!work || !call_from_threads(work)) return std::fprintf(stderr, "round %ld\n", round), 1;
    dlclose(plugin);
  }
  std::printf("%ld rounds of 8 threads, all answers equal; libkith is %s\n", rounds,
              is_loaded("libkith.so") ? "still loaded" : "unloaded");
}
