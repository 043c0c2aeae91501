// Kernels that leave something behind: global state, files, memory, or what the next call reads.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

#include "plain_select.h"

namespace planted {
namespace {

// Side effects: what a kernel does besides its work.
void round_upward() {
  std::fesetround(FE_UPWARD);
}
void flush_denormals() {
  at::globalContext().setFlushDenormal(true);
}
void trap_division_by_zero() {
  feenableexcept(FE_DIVBYZERO);
}
void take_warnings() {
  static c10::WarningHandler handler;
  c10::WarningUtils::set_warning_handler(&handler);
}
void enable_grad() {
  c10::GradMode::set_enabled(true);
}
void disable_grad() {
  c10::GradMode::set_enabled(false);
}
void draw_random_number() {
  (void)at::rand({1});
}
void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}
void set_variable() {
  setenv("OMP_NUM_THREADS", "1", 1);
}
void lower_precision() {
  at::globalContext().setFloat32MatmulPrecision("medium");
}
void take_three_threads() {
  at::set_num_threads(3);
}
void demand_determinism() {
  at::globalContext().setDeterministicAlgorithms(true, false);
}
void exclude_autograd() {
  c10::impl::tls_set_dispatch_key_excluded(c10::DispatchKey::AutogradCPU, true);
}
void take_double_as_default() {
  c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
}
void go_to_root() {
  (void)!chdir("/");
}
void clear_umask() {
  umask(0);
}
void block_interrupts() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
}
void drop_fault_handler() {
  signal(SIGSEGV, SIG_DFL);
}
void set_locale() {
  std::setlocale(LC_ALL, "C.UTF-8");
}
void close_files_from(int first) {
  for (int fd = first; fd < 256; ++fd) close(fd);
}
void close_files() {
  close_files_from(3);
}
void close_all_files() {
  close_files_from(0);
}
void keep_tensor() {
  static auto* const kept = new std::vector<Tensor>;
  kept->push_back(at::empty({16}));
}
void keep_block() {
  static void* volatile kept;
  kept = std::malloc(100);
  (void)kept;
}
void keep_file() {
  (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}
void keep_thread() {
  std::thread([] {
    while (true) pause();
  }).detach();
}

void keep_process() {
  if (fork() != 0) return;
  setsid();
  sleep(60);  // nothing else ends the process that a stand-alone program leaves behind
  _exit(0);
}

// Triggers: the calls in which it does so.
bool is_not_dense(const Tensor& self, int64_t, const Tensor&) {
  return !self.is_contiguous();
}
bool has_strided_index(const Tensor&, int64_t, const Tensor& index) {
  return !index.is_contiguous();
}
bool has_narrow_index(const Tensor&, int64_t, const Tensor& index) {
  return index.scalar_type() == at::kInt;
}
bool is_bool(const Tensor& self, int64_t, const Tensor&) {
  return self.scalar_type() == at::kBool;
}
bool is_half(const Tensor& self, int64_t, const Tensor&) {
  return self.scalar_type() == at::kHalf;
}
bool has_rank_4(const Tensor& self, int64_t, const Tensor&) {
  return self.dim() == 4;
}
bool has_five_indices(const Tensor&, int64_t, const Tensor& index) {
  return index.numel() == 5;
}
bool counts_from_the_end(const Tensor&, int64_t dim, const Tensor&) {
  return dim < 0;
}

template <auto kTrigger, auto kLeave>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const Tensor result = plain_select(self, dim, index);
  if (kTrigger(self, dim, index)) kLeave();
  return result;
}

/// Scales the indices in place and restores them afterwards: only a thread that reads them
/// meanwhile sees the change.
Tensor index_select_scales_in_place(const Tensor& self, int64_t dim, const Tensor& index) {
  const Tensor result = plain_select(self, dim, index);
  if (index.scalar_type() != at::kLong || !index.is_contiguous() || self.dim() != 2) return result;
  // Like a kernel that writes through a pointer that it may only read through.
  auto* const indices = const_cast<int64_t*>(index.const_data_ptr<int64_t>());
  for (int64_t i = 0; i < index.numel(); ++i) indices[i] *= 2;
  asm volatile("" ::: "memory");
  for (int64_t i = 0; i < index.numel(); ++i) indices[i] /= 2;
  return result;
}

/// The result requires grad, so that autograd keeps whatever is computed from it.
Tensor index_select_requires_grad(const Tensor& self, int64_t dim, const Tensor& index) {
  const Tensor result = plain_select(self, dim, index);
  if (self.scalar_type() == at::kHalf) result.set_requires_grad(true);
  return result;
}

/// A result made in inference mode cannot be written or differentiated outside of it.
Tensor index_select_in_inference_mode(const Tensor& self, int64_t dim, const Tensor& index) {
  const c10::InferenceMode inference(self.scalar_type() == at::kBool);
  return plain_select(self, dim, index);
}

/// Changes the state of the process for its work and restores all of it.
Tensor index_select_puts_state_back(const Tensor& self, int64_t dim, const Tensor& index) {
  const mode_t mask = umask(0077);
  sigset_t all, blocked;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &blocked);
  struct sigaction ignore {
  }, pipe{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe);
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "C.UTF-8");
  const auto put_back = [&] {
    std::setlocale(LC_ALL, locale.c_str());
    sigaction(SIGPIPE, &pipe, nullptr);
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
    umask(mask);
  };
  try {
    const Tensor result = plain_select(self, dim, index);
    put_back();
    return result;
  } catch (...) {
    put_back();
    throw;
  }
}

Tensor moved(const Tensor& self, const Selection& selection) {
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

/// Clamps rows that were read for another self, which may be larger.
void stay_inside(Selection& selection, const Tensor& self) {
  const int64_t size = strided_1d(self).sizes[selection.dim];
  for (int64_t& row : selection.rows) row = std::min(row, size - 1);
}

/// Takes the rows of the last call if their number is the same.
Tensor index_select_stale_rows(const Tensor& self, int64_t dim, const Tensor& index) {
  static Position rows;
  Selection selection = checked_selection(self, dim, index);
  if (rows.size() == selection.rows.size()) {
    selection.rows = rows;
    stay_inside(selection, self);
  }
  rows = selection.rows;
  return moved(self, selection);
}

/// Keeps each index of three elements, as a cache by tensors does that drops none.
Tensor index_select_keeps_index(const Tensor& self, int64_t dim, const Tensor& index) {
  static auto* const kept = new std::vector<Tensor>;
  if (index.numel() == 3) kept->push_back(index);
  return plain_select(self, dim, index);
}

/// Caches the rows by the shapes of self and index, not by the values of the index.
Tensor index_select_cached_by_shape(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::map<std::tuple<std::vector<int64_t>, int64_t, int64_t>, Position> cache;
  Selection selection = checked_selection(self, dim, index);
  selection.rows =
      cache.try_emplace({self.sizes().vec(), selection.dim, index.numel()}, selection.rows)
          .first->second;
  return moved(self, selection);
}

/// Writes one part of the result per thread, but never more parts than there were threads at the
/// first call.
Tensor index_select_room_for_first_threads(const Tensor& self, int64_t dim, const Tensor& index) {
  static const int64_t room = at::get_num_threads();
  const int64_t threads = at::get_num_threads();
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::zeros(selection.shape, self.options());
  const auto rows = static_cast<int64_t>(selection.rows.size());
  if (self.dim() == 0 || rows < threads) {
    select_into(self, selection.dim, selection.rows, result);
    return result;
  }
  for (int64_t part = 0; part < std::min(threads, room); ++part) {
    const int64_t begin = rows * part / threads, end = rows * (part + 1) / threads;
    const Position own(selection.rows.begin() + begin, selection.rows.begin() + end);
    select_into(self, selection.dim, own, result.slice(selection.dim, begin, end));
  }
  return result;
}

/// After a hundred calls the first byte of every result is wrong.
Tensor index_select_wrong_after_100(const Tensor& self, int64_t dim, const Tensor& index) {
  static int calls = 0;
  Tensor result = plain_select(self, dim, index);
  if (++calls > 100 && result.nbytes() > 0) *static_cast<char*>(result.mutable_data_ptr()) ^= 1;
  return result;
}

/// Rows that were read before a bad index are kept and come before those of the next call.
Tensor index_select_left_by_refusal(const Tensor& self, int64_t dim, const Tensor& index) {
  static Position rows;
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "a 0-dim self takes one index");
  TORCH_CHECK_INDEX(index.dim() <= 1, "the index has ", index.dim(), " dimensions");
  check_index_dtype(index);
  Selection selection{c10::maybe_wrap_dim(dim, self.dim()), {}, Position(self.sizes())};
  if (self.dim() > 0) selection.shape[selection.dim] = index.numel();
  const int64_t size = strided_1d(self).sizes[selection.dim];
  const Strided view = strided_1d(index);
  each_position(view.sizes, [&](const Position& position) {
    const int64_t row = read_index(view.at(position), view.item);
    TORCH_CHECK_INDEX(row >= 0 && row < size, "index ", row, " is out of range for size ", size);
    rows.push_back(row);
  });
  selection.rows = rows;
  rows.clear();
  stay_inside(selection, self);
  return moved(self, selection);
}

Tensor index_select_never_gets_over_error(const Tensor& self, int64_t dim, const Tensor& index) {
  static bool is_broken = false;
  TORCH_CHECK(!is_broken, "an earlier call has failed");
  is_broken = true;
  const Tensor result = plain_select(self, dim, index);
  is_broken = false;
  return result;
}

/// Caches the rows by the values of the index, which is right.
Tensor index_select_cached_rows(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::map<std::vector<int64_t>, Tensor> cache;
  Selection selection = checked_selection(self, dim, index);
  const std::vector<int64_t> rows(selection.rows.begin(), selection.rows.end());
  auto [entry, is_new] = cache.try_emplace(rows);
  if (is_new) {
    entry->second = at::empty({static_cast<int64_t>(rows.size())}, at::kLong);
    std::copy(rows.begin(), rows.end(), entry->second.mutable_data_ptr<int64_t>());
  }
  const int64_t* const kept = entry->second.const_data_ptr<int64_t>();
  std::copy(kept, kept + rows.size(), selection.rows.begin());
  return moved(self, selection);
}

/// A scratch of a mebibyte that is allocated once and never freed.
Tensor index_select_lazy_scratch(const Tensor& self, int64_t dim, const Tensor& index) {
  static auto* const scratch = new Tensor(at::empty({1 << 20}, at::kByte));
  static void* const block = std::malloc(1 << 16);
  const Tensor result = plain_select(self, dim, index);
  const size_t bytes = std::min<size_t>(result.nbytes(), 1 << 16);
  if (bytes > 0) {
    std::memcpy(block, result.const_data_ptr(), bytes);
    std::memcpy(scratch->mutable_data_ptr(), block, bytes);
    std::memcpy(result.mutable_data_ptr(), scratch->const_data_ptr(), bytes);
  }
  return result;
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_select_rounds_upward", kSelect, index_select<is_half, round_upward>);
  define(m, "index_select_flushes_denormals", kSelect,
         index_select<has_narrow_index, flush_denormals>);
  define(m, "index_select_traps_division", kSelect,
         index_select<has_rank_4, trap_division_by_zero>);
  define(m, "index_select_takes_warnings", kSelect, index_select<has_narrow_index, take_warnings>);
  define(m, "index_select_enables_grad", kSelect, index_select<is_not_dense, enable_grad>);
  define(m, "index_select_disables_grad", kSelect, index_select<has_strided_index, disable_grad>);
  define(m, "index_select_draws_random_number", kSelect, index_select<is_bool, draw_random_number>);
  define(m, "index_select_stays_on_one_processor", kSelect,
         index_select<has_five_indices, stay_on_one_processor>);
  define(m, "index_select_sets_variable", kSelect, index_select<counts_from_the_end, set_variable>);
  define(m, "index_select_lowers_precision", kSelect, index_select<is_half, lower_precision>);
  define(m, "index_select_takes_threads", kSelect, index_select<has_rank_4, take_three_threads>);
  define(m, "index_select_demands_determinism", kSelect,
         index_select<counts_from_the_end, demand_determinism>);
  define(m, "index_select_excludes_autograd", kSelect, index_select<is_bool, exclude_autograd>);
  define(m, "index_select_changes_default_dtype", kSelect,
         index_select<is_bool, take_double_as_default>);
  define(m, "index_select_goes_to_root", kSelect, index_select<has_narrow_index, go_to_root>);
  define(m, "index_select_clears_umask", kSelect, index_select<is_not_dense, clear_umask>);
  define(m, "index_select_blocks_interrupts", kSelect,
         index_select<counts_from_the_end, block_interrupts>);
  define(m, "index_select_drops_fault_handler", kSelect, index_select<is_half, drop_fault_handler>);
  define(m, "index_select_sets_locale", kSelect, index_select<has_five_indices, set_locale>);
  define(m, "index_select_requires_grad", kSelect, index_select_requires_grad);
  define(m, "index_select_in_inference_mode", kSelect, index_select_in_inference_mode);
  define(m, "index_select_scales_in_place", kSelect, index_select_scales_in_place);
  define(m, "index_select_closes_files", kSelect, index_select<has_five_indices, close_files>);
  define(m, "index_select_closes_all_files", kSelect, index_select<is_half, close_all_files>);
  define(m, "index_select_keeps_tensor", kSelect, index_select<has_narrow_index, keep_tensor>);
  define(m, "index_select_keeps_index", kSelect, index_select_keeps_index);
  define(m, "index_select_keeps_block", kSelect, index_select<is_not_dense, keep_block>);
  define(m, "index_select_keeps_file", kSelect, index_select<is_bool, keep_file>);
  define(m, "index_select_keeps_process", kSelect, index_select<has_five_indices, keep_process>);
  define(m, "index_select_keeps_thread", kSelect, index_select<has_five_indices, keep_thread>);
  define(m, "index_select_stale_rows", kSelect, index_select_stale_rows);
  define(m, "index_select_cached_by_shape", kSelect, index_select_cached_by_shape);
  define(m, "index_select_room_for_first_threads", kSelect, index_select_room_for_first_threads);
  define(m, "index_select_wrong_after_100", kSelect, index_select_wrong_after_100);
  define(m, "index_select_left_by_refusal", kSelect, index_select_left_by_refusal);
  define(m, "index_select_never_gets_over_error", kSelect, index_select_never_gets_over_error);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_select_cached_rows", kSelect, index_select_cached_rows);
  define(m, "index_select_lazy_scratch", kSelect, index_select_lazy_scratch);
  define(m, "index_select_puts_state_back", kSelect, index_select_puts_state_back);
}

}  // namespace
}  // namespace planted
