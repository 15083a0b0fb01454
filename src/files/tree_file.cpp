#include <cstring>

#include <kith/error.hpp>
#include <kith/io/tree_file.hpp>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "files/atomic_file.hpp"
#include "files/mapped_file.hpp"
#include "parallel/public_call.hpp"
#include "tree/saved.hpp"

namespace kith {
namespace {

SavedBytes map(const std::string& path) {
  const io::MappedBytes mapped = io::map_file(path);
  return {path, mapped.bytes, mapped.owner};
}

AnyTree adopt(const SavedBytes& saved, const LoadOptions& options, const Execution& execution) {
  return public_call("load", execution, [&](Workers& workers) {
    try {
      return wrap_impl<AnyTree>(adopt_saved(saved, options.verify, workers));
    } catch (const Error& error) {  // a box that no tree can have, for one
      if (error.code() != ErrorCode::invalid_argument) throw;
      fail(ErrorCode::io, "{}: damaged: {}; make the file again", saved.name, error.what());
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::out_of_memory, "{}: no memory to verify it; load it with verify = false",
           saved.name);
    }
  });
}

}  // namespace

void save(const AnyTree& tree, const std::string& path, const Execution& execution) {
  public_call("save", execution, [&](Workers& workers) {
    io::AtomicFile file(path);
    write_saved(impl_of(tree), workers, [&](const void* data, std::size_t bytes) {
      file.write(data, bytes);
      if (bytes >= (std::size_t{1} << 20)) file.sync();
    });
    workers.check_cancelled();
    file.commit();
  });
}

void save(const AnyTree& tree, std::span<std::byte> bytes, const Execution& execution) {
  public_call("save", execution, [&](Workers& workers) {
    if (bytes.size() != saved_size(tree))
      refuse("save: room for {} bytes, but the tree takes {}; give saved_size bytes", bytes.size(),
             saved_size(tree));
    std::byte* to = bytes.data();
    write_saved(impl_of(tree), workers, [&](const void* data, std::size_t count) {
      std::memcpy(to, data, count);
      to += count;
    });
  });
}

std::size_t saved_size(const AnyTree& tree) { return saved_bytes(impl_of(tree)); }

AnyTree load(const std::string& path, const LoadOptions& options, const Execution& execution) {
  return public_call("load", execution, [&] { return adopt(map(path), options, execution); });
}

AnyTree load(std::span<const std::byte> bytes, const LoadOptions& options,
             const Execution& execution) {
  return public_call("load", execution, [&] {
    const auto copy = std::make_shared<Memory>(bytes.size(), pool_of(execution));
    if (!bytes.empty()) std::memcpy(copy->data(), bytes.data(), bytes.size());
    return adopt({"tree", {static_cast<const std::byte*>(copy->data()), bytes.size()}, copy},
                 options, execution);
  });
}

}  // namespace kith
