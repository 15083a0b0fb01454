// Trees as files and as bytes.
#include <cstddef>
#include <nanobind/stl/string.h>
#include <span>
#include <string>

#include <kith/io/tree_file.hpp>

#include "call.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

nb::bytes to_bytes(const AnyTree& tree, const Call& call) {
  const std::size_t size = saved_size(tree);
  nb::object bytes = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes.is_valid()) throw nb::python_error();
  // No other thread has the new object yet: its memory may be written without the lock.
  auto* memory = reinterpret_cast<std::byte*>(PyBytes_AsString(bytes.ptr()));
  run_work(call, [&](const Execution& e) { save(tree, std::span(memory, size), e); });
  return nb::borrow<nb::bytes>(bytes);
}

AnyTree from_bytes(const nb::bytes& bytes, const Call& call) {
  const std::span memory(static_cast<const std::byte*>(bytes.data()), bytes.size());
  return run(call, [&](const Execution& e) { return load(memory, {}, e); });
}

void to_file(const AnyTree& tree, const std::string& path, const Call& call) {
  run_work(call, [&](const Execution& e) { save(tree, path, e); });
}

AnyTree from_file(const std::string& path, bool verify, const Call& call) {
  return run(call, [&](const Execution& e) { return load(path, {.verify = verify}, e); });
}

}  // namespace

void bind_tree_file(nb::module_& module) {
  module.def("tree_to_bytes", &to_bytes);
  module.def("tree_from_bytes", &from_bytes);
  module.def("save_tree", &to_file);
  module.def("load_tree", &from_file);
}

}  // namespace kith::python
