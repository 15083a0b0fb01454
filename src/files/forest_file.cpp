#include <kith/error.hpp>
#include <kith/io/forest_file.hpp>

#include "base/fail.hpp"
#include "files/atomic_file.hpp"
#include "files/mapped_file.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// The result of f, which reads the bytes of a file; its errors name the file.
template <class Read>
auto read_bytes(const std::string& path, const Read& read) {
  const io::MappedBytes mapped = io::map_file(path);
  try {
    return read(mapped.bytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    fail(ErrorCode::io, "{}: {}", path, error.what());
  }
}

}  // namespace

template <Coordinate T>
void save(const Forest<T>& forest, const std::string& path, const Execution& execution) {
  public_call("save", execution, [&](Workers& workers) {
    io::AtomicFile file(path);
    const std::vector<std::byte> bytes = forest.bytes();
    workers.check_cancelled();
    file.write(bytes.data(), bytes.size());
    file.commit();
  });
}

template <Coordinate T>
Forest<T> load_forest(const std::string& path, const Execution& execution) {
  return public_call("load_forest", execution, [&] {
    return read_bytes(path, [&](std::span<const std::byte> bytes) {
      return Forest<T>::from_bytes(bytes, execution);
    });
  });
}

Scalar forest_scalar(const std::string& path) {
  return public_call("forest_scalar", [&] {
    return read_bytes(path, [](std::span<const std::byte> bytes) { return forest_scalar(bytes); });
  });
}

template void save(const Forest<float>&, const std::string&, const Execution&);
template void save(const Forest<double>&, const std::string&, const Execution&);
template Forest<float> load_forest(const std::string&, const Execution&);
template Forest<double> load_forest(const std::string&, const Execution&);

}  // namespace kith
