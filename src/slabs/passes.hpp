// Passes that are skipped if a process before has finished them.
#pragma once

#include <cstring>
#include <type_traits>

#include "base/format.hpp"
#include "slabs/pieces.hpp"
#include "slabs/scratch.hpp"

namespace kith::slabs {

/// archive(value) for all values of a state, in the same order, to write and to read them.
class StateWriter {
 public:
  template <class Value>
  void operator()(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    add(&value, sizeof value);
  }
  template <class Value>
  void operator()(const std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    (*this)(values.size());
    add(values.data(), values.size() * sizeof(Value));
  }
  std::vector<char> bytes;

 private:
  void add(const void* data, std::size_t size) {
    const auto* from = static_cast<const char*>(data);
    bytes.insert(bytes.end(), from, from + size);
  }
};

class StateReader {
 public:
  explicit StateReader(const std::vector<char>& bytes) : next_(bytes.data()) {}
  template <class Value>
  void operator()(Value& value) {
    take(&value, sizeof value);
  }
  template <class Value>
  void operator()(std::vector<Value>& values) {
    std::size_t size = 0;
    (*this)(size);
    values.resize(size);
    take(values.data(), size * sizeof(Value));
  }

 private:
  void take(void* to, std::size_t size) {
    if (size > 0) std::memcpy(to, next_, size);
    next_ += size;
  }
  const char* next_;
};

/// run(), unless that has been done; each(archive) goes through all that it leaves in memory.
template <class Each, class Run>
void run_pass(Scratch& scratch, const std::string& name, Each each, Run run) {
  if (const std::vector<char>* state = scratch.state_after(name)) {
    StateReader reader(*state);
    return each(reader);
  }
  scratch.begin();
  run();
  if (!scratch.has_name()) return;
  StateWriter writer;
  each(writer);
  scratch.finish(name, writer.bytes);
}

/// f(slab, workers) for one slab after the other, each a pass; `each` as above, after a slab.
template <class Store, class Each, class F>
void each_slab(const Store& store, const char* stage_name, const Execution& execution,
               Workers& workers, Each each, F f) {
  const Stage stage(workers, stage_name, store.total);
  const Execution inner = inside_stage(execution);
  for (std::size_t slab = 0; slab < store.slabs(); ++slab) {
    workers.check_cancelled();
    Workers inside(inner, "slabs");
    run_pass(*store.scratch, formatted("slab {}", slab), each, [&] { f(slab, inside); });
    workers.advance(store.slab_size(slab));
  }
}
inline constexpr auto kNoState = [](auto&) {};

}  // namespace kith::slabs
