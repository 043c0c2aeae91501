#include "run/watch/state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/verdict.h"
#include "run/watch/process_state.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace indexfuzz {
namespace {

/// Drops warnings, which would go to the terminal otherwise.
class SilentHandler final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};
SilentHandler silent_handler;

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// An open file, distinguished from another one under the same number.
struct Descriptor {
  int number;
  dev_t device;
  ino_t inode;
};
std::optional<Descriptor> descriptor(int number) {
  struct stat status {};
  if (fstat(number, &status) != 0) return std::nullopt;
  return Descriptor{number, status.st_dev, status.st_ino};
}

std::vector<Descriptor> open_descriptors() {
  std::vector<int> numbers;
  if (DIR* const folder = opendir("/proc/self/fd")) {
    while (const dirent* const entry = readdir(folder)) {
      const int number = std::atoi(entry->d_name);
      if (entry->d_name[0] != '.' && number != dirfd(folder)) numbers.push_back(number);
    }
    closedir(folder);
  }
  std::vector<Descriptor> all;
  for (const int number : numbers) {
    if (const auto open = descriptor(number)) all.push_back(*open);
  }
  return all;
}

/// Whether a file that was open at the start has been closed. /dev/null takes its place, so that
/// nothing else is opened under its number.
bool take_closed_descriptors(std::vector<Descriptor>& at_start) {
  bool closed = false;
  for (Descriptor& then : at_start) {
    const auto now = descriptor(then.number);
    if (now && now->device == then.device && now->inode == then.inode) continue;
    closed = true;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && null != then.number) {
      dup2(null, then.number);
      close(null);
    }
    then = descriptor(then.number).value_or(then);
  }
  return closed;
}

// A setting that is one number and can be put back.
struct Setting {
  std::string_view name;
  std::int64_t (*get)();
  void (*set)(std::int64_t);
};
at::Context& context() {
  return at::globalContext();
}
constexpr const char* kPrecisions[] = {"highest", "high", "medium"};

/// The precision of matrix products; -1 if the old setting and the newer ones by device disagree,
/// in which case PyTorch throws.
std::int64_t matmul_precision() {
  try {
    return static_cast<std::int64_t>(context().float32MatmulPrecision());
  } catch (const c10::Error&) {
    return -1;
  }
}

void set_matmul_precision(std::int64_t precision) {
  if (precision >= 0) context().setFloat32MatmulPrecision(kPrecisions[precision]);
}

constexpr std::size_t kThreads = 0;
constexpr Setting kSettings[] = {
    {"the number of threads", [] { return std::int64_t{at::get_num_threads()}; },
     [](std::int64_t n) { at::set_num_threads(static_cast<int>(n)); }},
    {"the rounding mode", [] { return std::int64_t{std::fegetround()}; },
     [](std::int64_t mode) { std::fesetround(static_cast<int>(mode)); }},
    {"the treatment of denormals or floating-point exceptions",
     [] { return std::int64_t{float_control()}; },
     [](std::int64_t control) { set_float_control(static_cast<unsigned>(control)); }},
    {"the deterministic flag", [] { return std::int64_t{context().deterministicAlgorithms()}; },
     [](std::int64_t on) { context().setDeterministicAlgorithms(on != 0, false); }},
    {"the default dtype",
     [] { return static_cast<std::int64_t>(c10::get_default_dtype_as_scalartype()); },
     [](std::int64_t dtype) {
       c10::set_default_dtype(c10::scalarTypeToTypeMeta(static_cast<c10::ScalarType>(dtype)));
     }},
    {"the precision of matrix products", matmul_precision, set_matmul_precision},
    {"whether oneDNN is used", [] { return std::int64_t{context().userEnabledMkldnn()}; },
     [](std::int64_t on) { context().setUserEnabledMkldnn(on != 0); }},
    {"how often warnings come", [] { return std::int64_t{c10::WarningUtils::get_warnAlways()}; },
     [](std::int64_t always) { c10::WarningUtils::set_warnAlways(always != 0); }},
};

/// The default source of random numbers.
at::CPUGeneratorImpl& random_generator() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();  // another handle to the same one
  return *at::check_generator<at::CPUGeneratorImpl>(generator);
}

bool same(const at::mt19937& a, const at::mt19937& b) {
  const at::mt19937_data_pod x = a.data(), y = b.data();
  return x.seed_ == y.seed_ && x.left_ == y.left_ && x.next_ == y.next_ && x.state_ == y.state_;
}

bool grad_mode = false;
std::array<std::int64_t, std::size(kSettings)> settings_at_start;
at::mt19937 random_at_start;
std::vector<Descriptor> descriptors_at_start;
std::optional<c10::impl::LocalDispatchKeySet> keys_at_start;

}  // namespace

unsigned float_control() {
#if defined(__SSE__)
  return _mm_getcsr() & ~0x3Fu;
#else
  return 0;
#endif
}

void set_float_control([[maybe_unused]] unsigned control) {
#if defined(__SSE__)
  _mm_setcsr(control);
#endif
}

void set_global_state(const Environment& environment) {
  // PyTorch reads it at its first call of a kernel that comes in several capabilities, and trusts
  // it without a look at the processor.
  if (environment.capability != Capability::kNative) {
    const bool possible = environment.capability != Capability::kAvx2 || has_avx2();
    setenv("ATEN_CPU_CAPABILITY",
           name(possible ? environment.capability : Capability::kDefault).data(), 1);
  }
  // For the whole process: never undone, so no guard object.
  grad_mode = false;
  c10::GradMode::set_enabled(grad_mode);
  at::set_num_threads(environment.threads);
  c10::SetStackTraceFetcher([]() -> std::string { return {}; });
  c10::WarningUtils::set_warning_handler(&silent_handler);
  std::fesetround(FE_TONEAREST);
  keys_at_start = c10::impl::tls_local_dispatch_key_set();
  for (std::size_t i = 0; i < std::size(kSettings); ++i) settings_at_start[i] = kSettings[i].get();
  random_at_start = random_generator().engine();
  note_process_state();
  descriptors_at_start = open_descriptors();
}

void set_threads(int threads) {
  std::int64_t& now = settings_at_start[kThreads];
  if (now == threads) return;
  at::set_num_threads(threads);
  now = threads;
}

void alternate_grad_mode() {
  grad_mode = !grad_mode;
  c10::GradMode::set_enabled(grad_mode);
}

std::string take_global_state_change() {
  std::string changed;
  const auto note = [&](std::string_view what) {
    if (!changed.empty()) changed += ", ";
    changed += what;
  };
  if (c10::GradMode::is_enabled() != grad_mode) {
    note(grad_mode ? kGradModeToOff : "grad mode to on");
    c10::GradMode::set_enabled(grad_mode);
  }
  for (std::size_t i = 0; i < std::size(kSettings); ++i) {
    if (kSettings[i].get() == settings_at_start[i]) continue;
    note(kSettings[i].name);
    kSettings[i].set(settings_at_start[i]);
  }
  const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  if (keys.included_ != keys_at_start->included_ || keys.excluded_ != keys_at_start->excluded_) {
    note("the thread's dispatch keys");
    c10::impl::_force_tls_local_dispatch_key_set(*keys_at_start);
  }
  if (!same(random_generator().engine(), random_at_start)) {
    note("the state of the random generator");
    random_generator().set_engine(random_at_start);
  }
  if (c10::WarningUtils::get_warning_handler() != &silent_handler) {
    note(kWarningHandler);
    c10::WarningUtils::set_warning_handler(&silent_handler);
  }
  take_process_state_change(note);
  if (take_closed_descriptors(descriptors_at_start)) note("which files are open");
  return changed;
}

}  // namespace indexfuzz
