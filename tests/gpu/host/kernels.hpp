// The kernels of src/gpu as C++: what the third branch of portable.h is made of.
//
// A work-item is a fiber, and a barrier a switch to another one. One fiber runs at a time, so the
// result of a kernel depends on the order in which fibers run and on nothing else:
//
//   in_order  lane after lane, from barrier to barrier; COUNT() notes which lanes of a warp work
//   random    any fiber of several groups, changed at each access that races (racing_uint, atomics)
//
// Local memory is one section of the library, filled with a pattern before a group begins.
//
// With KITH_HOST_RACES, for ThreadSanitizer, groups run at once on threads, each with separate
// local memory, and a work-item is a thread for the sanitizer: it finds every pair of accesses of
// one place that no barrier, no launch and no atomic operation orders, in whatever order they ran.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#define KITH_HOST_API __attribute__((visibility("default")))
#if defined(KITH_HOST_RACES)
#define KITH_HOST_OF_GROUP thread_local
#else
#define KITH_HOST_OF_GROUP
#endif

namespace kith::host {

inline constexpr unsigned kGroupSize = 64;

/// The UUID of a card that CUDA's driver and OpenCL's both have.
inline constexpr std::array<unsigned char, 16> kSharedCard = {0xab, 1, 2,  3,  4,  5,  6,  7,
                                                              8,    9, 10, 11, 12, 13, 14, 0xff};

/// The work-item that runs.
struct Item {
  unsigned lane = 0;
  unsigned group = 0, groups = 0;
  bool yields = false;  ///< at each access that races
  bool counts = false;
};
extern KITH_HOST_API KITH_HOST_OF_GROUP Item item;

KITH_HOST_API void barrier(int line);
KITH_HOST_API void yield();

inline void access() {
  if (item.yields) yield();
}

/// The sections that kernels count. A section is executed by a warp if one of its lanes is in it.
enum class Section {
  box,
  pair,
  accept,
  insert,
  node,
  entry,
  compare,
  candidate,
  load,
  link,
  kCount
};
KITH_HOST_API void count(Section section, std::size_t key);

/// Relaxed, which costs nothing; the sanitizer knows that they are atomic.
inline unsigned load(const unsigned* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
inline void store(unsigned* p, unsigned value) { __atomic_store_n(p, value, __ATOMIC_RELAXED); }

/// An integer that work-items read and write without waiting for each other: `volatile` elsewhere.
struct racing_uint {
  unsigned value;
  operator unsigned() const {
    access();
    return load(&value);
  }
  unsigned operator=(unsigned other) {
    access();
    store(&value, other);
    return other;
  }
};

inline unsigned& cell(unsigned* p) { return *p; }
inline unsigned& cell(racing_uint* p) { return p->value; }

/// The old value; `change` makes the new one of it.
template <class Change>
unsigned exchange(unsigned* p, Change change) {
  access();
  unsigned seen = load(p);
  while (!__atomic_compare_exchange_n(p, &seen, change(seen), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return seen;
}

template <class Cell>
unsigned atomic_add(Cell* p, unsigned by) {
  return exchange(&cell(p), [by](unsigned seen) { return seen + by; });
}
template <class Cell>
unsigned atomic_min(Cell* p, unsigned value) {
  return exchange(&cell(p), [value](unsigned seen) { return seen < value ? seen : value; });
}
template <class Cell>
unsigned atomic_or(Cell* p, unsigned value) {
  return exchange(&cell(p), [value](unsigned seen) { return seen | value; });
}
template <class Cell>
unsigned atomic_cas(Cell* p, unsigned expected, unsigned value) {
  return exchange(&cell(p), [=](unsigned seen) { return seen == expected ? value : seen; });
}

/// Local memory of the kernels of a translation unit; empty if it cannot be saved (sanitizers).
struct LocalMemory {
  char *begin = nullptr, *end = nullptr;
};

/// A kernel that can be launched: it takes the addresses of its arguments.
struct Kernel {
  std::string name;
  std::vector<std::size_t> sizes;  ///< of the arguments; 0: a pointer
  void (*call)(void* const* arguments) = nullptr;
  LocalMemory local;
};

template <auto Function>
struct Call;
template <class... Args, void (*Function)(Args...)>
struct Call<Function> {
  template <std::size_t... I>
  static void unpack(void* const* from, std::index_sequence<I...>) {
    Function(*static_cast<Args*>(from[I])...);
  }
  static void call(void* const* from) { unpack(from, std::index_sequence_for<Args...>{}); }
  static Kernel kernel(const char* name, const LocalMemory& local) {
    return {name, {(std::is_pointer_v<Args> ? 0 : sizeof(Args))...}, &call, local};
  }
};

/// The options for the compiler of a device.
struct Variant {
  bool is_double = false;
  int dimension = 1;
  int k = 0;
  auto operator<=>(const Variant&) const = default;
};

/// Adds kernels of a variant to those that programs find. k = 0: for all k.
KITH_HOST_API void add(const Variant& variant, std::vector<Kernel> kernels);

/// Whether kernels are compiled for its scalar type and dimension.
bool has(const Variant& variant);
/// Null if there is no such kernel.
const Kernel* find(const Variant& variant, const std::string& name);
/// From the definitions in the options: -DUSE_DOUBLE -DDIM=3 -DK=16.
Variant variant_of(const std::string& options);

struct Settings {
  bool is_random = false;
  std::uint64_t seed = 1;
  unsigned groups_at_once = 4;  ///< of a random order
  bool counts = false;
};
/// Read by every launch. The environment (KITH_HOST_SEED, KITH_HOST_COUNTS) gives the first values.
KITH_HOST_API Settings& settings();

/// Throws std::runtime_error if a barrier is not reached by all.
KITH_HOST_API void run(const Kernel& kernel, std::size_t groups, void* const* arguments);

/// Warps of 32 and of 64 that executed a section, and the lanes that worked in it.
struct Counts {
  std::uint64_t warps32 = 0, warps64 = 0, lanes = 0;
};
struct KernelCounts {
  std::uint64_t launches = 0, groups = 0, barriers = 0;
  std::array<Counts, static_cast<std::size_t>(Section::kCount)> sections;
  const Counts& of(Section section) const { return sections[static_cast<std::size_t>(section)]; }
};
/// By kernel, of all launches with Settings::counts.
KITH_HOST_API std::map<std::string, KernelCounts>& counts();

}  // namespace kith::host
