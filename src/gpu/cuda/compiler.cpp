#include "gpu/cuda/compiler.hpp"

#include <algorithm>
#include <sstream>

#include "base/fail.hpp"
#include "gpu/cuda/code_cache.hpp"

namespace kith::gpu::cuda {
namespace {

/// The newest card that the compiler knows and whose code runs on `capability`; 0 if none does.
/// Compilers that do not say are taken to know it.
int known_capability(const CompilerApi& compiler, int capability) {
  int count = 0;
  if (!compiler.architecture_count || !compiler.architectures ||
      compiler.architecture_count(&count) != 0)
    return capability;
  std::vector<int> known(static_cast<std::size_t>(count));
  if (compiler.architectures(known.data()) != 0) return capability;
  int best = 0;
  for (const int one : known)
    if (one <= capability) best = std::max(best, one);
  return best;
}

std::vector<std::string> options_for(const CompilerApi& compiler, const ProgramKey& key,
                                     int capability, int known) {
  std::istringstream words(program_options(key));
  std::vector<std::string> options;
  for (std::string word; words >> word;) options.push_back(word);
  // One distance: products and sums are rounded one by one, and nothing is flushed to zero.
  if (compiler.is_hip) {
    options.insert(options.end(), {"-O3", "-ffp-contract=off", "-fno-fast-math"});
    return options;
  }
  options.insert(options.end(), {"--fmad=false", "--ftz=false", "--prec-div=true",
                                 "--prec-sqrt=true", "--std=c++14"});
  options.push_back("--gpu-architecture=" + std::string(known == capability ? "sm_" : "compute_") +
                    std::to_string(known));
  return options;
}

/// All that the code depends on.
std::string cache_key(const CompilerApi& compiler, const ProgramKey& key, const Device& card,
                      const std::vector<std::string>& options) {
  std::string text = std::string(compiler.name()) + ' ' + std::to_string(compiler.major) + '.' +
                     std::to_string(compiler.minor) + '\n' + card.model + '\n' + card.version;
  for (const std::string& option : options) text += '\n' + option;
  return text + '\n' + program_text(key);
}

/// A program of the compiler, for as long as it is needed.
class Source {
 public:
  Source(const CompilerApi& compiler, const ProgramKey& key) : compiler_(compiler) {
    const std::string text = program_text(key), name = std::string(key.file) + ".cl";
    if (const int status =
            compiler.create(&program_, text.c_str(), name.c_str(), 0, nullptr, nullptr))
      fail(ErrorCode::unavailable, "gpu: {} fails with error {}", compiler.name(), status);
  }
  ~Source() { compiler_.destroy(&program_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Whether the compiler took it.
  bool compile(const std::vector<std::string>& options) {
    std::vector<Name> words;
    words.reserve(options.size());
    for (const std::string& option : options) words.push_back(option.c_str());
    return compiler_.compile(program_, static_cast<int>(words.size()), words.data()) == 0;
  }
  std::string log() const { return read(compiler_.log_size, compiler_.log); }
  std::string code() const { return read(compiler_.code_size, compiler_.code); }
  std::string ptx() const { return read(compiler_.ptx_size, compiler_.ptx); }

 private:
  std::string read(int (*size_of)(Handle, std::size_t*), int (*get)(Handle, char*)) const {
    std::size_t size = 0;
    if (size_of(program_, &size) != 0) return "";
    std::string text(size, '\0');
    return size > 0 && get(program_, text.data()) == 0 ? text : "";
  }

  const CompilerApi& compiler_;
  Handle program_ = nullptr;
};

}  // namespace

std::string compiled(const CompilerApi& compiler, const ProgramKey& key, const Target& target) {
  const int capability = target.capability;
  const int known = compiler.is_hip ? 0 : known_capability(compiler, capability);
  if (!compiler.is_hip && known == 0)
    fail(ErrorCode::unavailable,
         "gpu: {} {}.{} has no code for {} (compute capability {}.{}); install an older {}, or use "
         "device = opencl",
         compiler.name(), compiler.major, compiler.minor, target.facts.model, capability / 10,
         capability % 10, compiler.name());
  const auto options = options_for(compiler, key, capability, known);
  const std::string in_cache = cache_key(compiler, key, target.facts, options);
  if (auto stored = stored_code(in_cache)) return *std::move(stored);
  Source source(compiler, key);
  if (!source.compile(options)) {
    constexpr std::size_t kShown = 2000;
    fail(ErrorCode::unavailable,
         "gpu: the compiler of {} ({}) refuses {}.cl with {}; install another {}. It says: {}",
         target.facts.name, target.facts.model, key.file, program_options(key), compiler.name(),
         source.log().substr(0, kShown));
  }
  std::string code = known == capability ? source.code() : source.ptx();
  if (code.empty())
    fail(ErrorCode::unavailable, "gpu: {} made no code of {}.cl; install another {}",
         compiler.name(), key.file, compiler.name());
  store_code(in_cache, code);
  return code;
}

}  // namespace kith::gpu::cuda
