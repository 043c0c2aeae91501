#pragma once
// The fixed parts of the Python programs.

#include <string>
#include <string_view>

#include "case/dtype.h"
#include "reproduce/write_call.h"

namespace indexfuzz {

/// How a call's lists and attributes are written in Python.
CallWriter python_call_writer();

/// Indents every line by four blanks, those within a bytes literal included, which is harmless.
std::string indented(const std::string& text);

/// Exits with 125 on any exception that is not caught, since it says nothing about the call under
/// test. Goes before `import torch`, which may raise one. `in_child`: the child of python_child()
/// then tells its parent that the call did not end it.
std::string python_cannot_tell(bool in_child);
std::string python_set_threads(int threads);
/// Runs the rest of the program in a child, defines `tell`, and exits with 1 if the child dies
/// after a call has begun. `watch_heap`: under glibc's checking allocator, which notices a write
/// beside an allocation. `must_answer`: a call that does not return is wrong, else inconclusive.
std::string python_child(bool watch_heap, bool must_answer);
/// `same(actual, expected)` for a family of dtypes; not needed beside kPythonMeta.
std::string python_same(DtypeFamily family);

/// Whether a program's text calls a function.
bool uses(std::string_view text, std::string_view function);

/// The body of a loop over `library`.
inline constexpr std::string_view kPythonLoad = "    torch.ops.load_library(library)\n";
/// As kPythonLoad, if some of the libraries are Python files.
inline constexpr std::string_view kPythonImport = R"(    if library.endswith(".py"):
        folder, file = os.path.split(library)
        sys.path.insert(0, folder)
        importlib.import_module(os.path.splitext(file)[0])
    else:
        torch.ops.load_library(library)
)";

/// Ends the program: after these errors the GPU's context is unusable.
inline constexpr std::string_view kPythonGpuRefusal = R"(    if is_device_assertion(error):
        print("right")
        sys.exit(0)
    if is_fault(error):
        print("WRONG: a fault on the GPU")
        sys.exit(1)
)";

/// Option -6 is glibc's M_PERTURB: each new byte is the complement of its value.
inline constexpr std::string_view kPythonNewMemory = R"(
# What is never written shows: malloc fills new memory with 0x42.
ctypes.CDLL(None).mallopt(-6, 0xFF ^ 0x42)
)";
/// PyTorch's allocator keeps freed blocks, small and large ones apart, and hands them out again.
inline constexpr std::string_view kPythonGpuNewMemory = R"(
# What is never written shows: new memory is taken from blocks that were full of 0x42.
for size in 1 << 20, 20 << 20:
    blocks = [torch.full((size,), 0x42, dtype=torch.uint8) for _ in range(4)]
    del blocks
)";

inline constexpr std::string_view kPythonBytes = R"(

def bytes_of(tensor):
    """A copy of the bytes of all elements."""
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).clone()
)";

inline constexpr std::string_view kPythonTable = R"(

def table(size, dtype):
    """A tensor most of whose elements are never touched, so that they take hardly any memory on the CPU."""
    try:
        return torch.empty(size, dtype=dtype)
    except (RuntimeError, MemoryError) as error:
        print(f"cannot tell: {error}")
        sys.exit(125)
)";

inline constexpr std::string_view kPythonForm = R"(

def form(tensor):
    """What a tensor says of itself."""
    flags = tensor.is_conj(), tensor.is_neg(), tensor.requires_grad
    return tensor.shape, tensor.stride(), tensor.data_ptr(), tensor.dtype, *flags
)";

/// Goes after a definition of `forms`.
inline constexpr std::string_view kPythonFormCheck =
    R"(for name, (tensor, before_call) in forms.items():
    if form(tensor) != before_call:
        wrong.append(f"{name} has other sizes, strides, memory or flags after the call")
)";

/// {0} is the tensor that came back.
inline constexpr std::string_view kPythonFlagsCheck = R"(if {0}.requires_grad:
    wrong.append("the result requires a gradient")
if {0}.is_inference():
    wrong.append("the result is an inference tensor")
)";

inline constexpr std::string_view kPythonOverlapCheck = R"(reach = 0
for stride, size in sorted((s, n) for s, n in zip(actual.stride(), actual.shape) if n > 1 and actual.numel()):
    if stride <= reach:
        wrong.append("elements of the result share memory")
    reach += stride * (size - 1)
)";

/// Goes after earlier calls that append their results to `earlier_results`.
inline constexpr std::string_view kPythonEarlierCheck = R"(for earlier in earlier_results:
    if actual.numel() and earlier.numel() and actual.untyped_storage().data_ptr() == earlier.untyped_storage().data_ptr():
        wrong.append("the result shares memory with an earlier result")
)";

inline constexpr std::string_view kPythonCanaries = R"(

def canaries(size, dtype, canary=0xFE):
    """A storage of so many bytes, all of them a number that shows."""
    return torch.full((size,), canary, dtype=torch.uint8).view(dtype)
)";

/// As kPythonCanaries, with all operands of a name at one address; "{}" is the size of the largest
/// storage in bytes.
inline constexpr std::string_view kPythonPlaces = R"(

places = {{}}


def canaries(size, dtype, canary=0xFE, name=None):
    """A storage of so many bytes, all of them a number that shows, where those of the same name lay before."""
    place = places.setdefault(name, torch.empty({}, dtype=torch.uint8))
    place[:size] = canary
    return place[:size].view(dtype)
)";

/// Defines `guarded(…)`. If `largest` is not 0, all operands of a name lie between the same pages,
/// with room for a storage of `largest` bytes.
std::string python_guarded(std::int64_t largest);

/// {} are the regions of the inputs.
inline constexpr std::string_view kPythonReadOnly = R"(for region in [{}]:
    for window in region:
        libc.mprotect(window.data_ptr(), window.nbytes, mmap.PROT_READ)  # writing to an input faults
)";

/// Limits the process to 2 GiB more than it holds before the call.
inline constexpr std::string_view kPythonMemoryLimit = R"(
held = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (held + (2 << 30), resource.getrlimit(resource.RLIMIT_DATA)[1]))
)";

/// `state()`: the global state that every call depends on, as far as a program can see it.
inline constexpr std::string_view kPythonState = R"(
libm = ctypes.CDLL("libm.so.6")


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


open_files = [descriptor for descriptor in range(256) if is_open(descriptor)]
# A handler that is nobody's default: also what sets the default then shows.
libc = ctypes.CDLL(None)
signals = [getattr(signal, "SIG" + name) for name in "INT TERM SEGV BUS FPE ILL ABRT PIPE USR1 USR2 ALRM".split()]
for number in signals:
    libc.signal(number, libc._exit)


def handling(number):
    action = ctypes.create_string_buffer(256)
    libc.sigaction(number, None, action)
    return action.raw[:ctypes.sizeof(ctypes.c_void_p)]


def float_control():
    """Which exceptions of floating-point numbers are masked, and whether denormals are 0, on x86-64: of C's fenv_t the last 4 bytes."""
    environment = ctypes.create_string_buffer(32)
    libm.fegetenv(environment)
    return int.from_bytes(environment.raw[28:], "little") & ~0x603F


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def environment():
    """As C sees it."""
    at, variables = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ"), []
    while at[len(variables)] is not None:
        variables.append(at[len(variables)])
    return variables


def state():
    return {
        "grad mode": torch.is_grad_enabled(),
        "the number of threads": torch.get_num_threads(),
        "the deterministic flag": torch.are_deterministic_algorithms_enabled(),
        "the rounding mode": libm.fegetround(),
        "the treatment of denormals or floating-point exceptions": float_control(),
        "the dispatch keys": str(torch._C._dispatch_tls_local_exclude_set()) + str(torch._C._dispatch_tls_local_include_set()),
        "the default dtype": torch.get_default_dtype(),
        "the precision of matrix products": torch.get_float32_matmul_precision(),
        "whether oneDNN is used": torch.backends.mkldnn.enabled,
        "how often warnings come": torch.is_warn_always_enabled(),
        "the state of the random generator": torch.get_rng_state().tolist(),
        "the current folder": os.getcwd(),
        "the umask": umask(),
        "which signals are blocked": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "how signals are handled": [handling(number) for number in signals + [signal.SIGCHLD]],
        "the locale": locale.setlocale(locale.LC_ALL, None),
        "on which processors it may run": os.sched_getaffinity(0),
        "its priority": os.getpriority(os.PRIO_PROCESS, 0),
        "environment variables": environment(),
        "which files are open": [is_open(descriptor) for descriptor in open_files],
    }
)";

/// Goes after the call, which may have closed standard output.
inline constexpr std::string_view kPythonStateCheck = R"(state_after = state()
changed = [what for what in state_before if state_before[what] != state_after[what]]
if changed:
    try:
        print("WRONG: it changed " + ", ".join(changed), flush=True)
    except OSError:
        tell(b"w")
    finally:
        tell(b"x")
        os._exit(1)
)";

/// `held()`: the resources that the process holds.
inline constexpr std::string_view kPythonHeld = R"(

class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo


def held():
    info = libc.mallinfo2()
    children = [open(f"/proc/self/task/{task}/children").read().split() for task in os.listdir("/proc/self/task")]
    return {"processes": sum(map(len, children)), "threads": len(os.listdir("/proc/self/task")), "files": len(os.listdir("/proc/self/fd")), "memory": info.uordblks + info.hblkhd}


def grows_by(calls):
    before = held()
    for _ in range(calls):
        call()
    after = held()
    return {what: after[what] - before[what] for what in before}
)";

/// A leak grows in each of several rounds, which a cache does not.
inline constexpr std::string_view kPythonLeakCheck = R"(grows_by(64)
few = [grows_by(32) for _ in range(3)]
for what in ("processes", "threads", "files"):
    if all(growth[what] >= 8 for growth in few):
        print(f"expected: nothing kept\nactual:   {few[-1][what]} more {what} after 32 calls\nWRONG: it does not give back {what}")
        sys.exit(1)
many = {calls: grows_by(calls)["memory"] for calls in (64, 256, 1024, 4096)}
if all(growth >= 8 * calls for calls, growth in many.items()):
    print(f"expected: nothing kept\nactual:   {many[4096]} bytes more after 4096 calls\nWRONG: it does not give back memory")
    sys.exit(1)
)";
/// A Python program cannot see a changed warning handler: Python installs its own for each call.
inline constexpr std::string_view kPythonOwnHandler =
    R"(print("cannot tell: which handler of warnings a call leaves behind shows in the C++ program only")
sys.exit(125)
)";
/// For a finding that is a fault beside one of the kernel's own allocations.
inline constexpr std::string_view kPythonNothingOverwritten =
    R"(print("cannot tell: nothing beside the result was overwritten for good; a read there, and a write that is taken back, shows in the C++ program only")
sys.exit(125)
)";

/// Goes after the checks if the kernel's own allocations were watched.
inline constexpr std::string_view kPythonHeapWatched =
    R"(if "libc_malloc_debug" not in open("/proc/self/maps").read():
    print("cannot tell: without glibc's libc_malloc_debug.so nobody sees a write beside the result")
    sys.exit(125)
)";

inline constexpr std::string_view kPythonVerdict = R"(for name, tensor in memory.items():
    if not torch.equal(bytes_of(tensor), before[name]):
        wrong.append(f"the memory of {name} was changed")
if wrong:
    print("WRONG: " + "; ".join(wrong))
    sys.exit(1)
)";

}  // namespace indexfuzz
