#pragma once
// The fixed parts of the Python programs.

#include <string>
#include <string_view>

#include "case/dtype.h"
#include "reproduce/program_plan.h"

namespace indexfuzz {

/// How a call's lists and attributes are written in Python.
CallWriter python_call_writer();

/// Runs the rest of the program in a child and turns its death into exit code 1. `watch_heap`:
/// under glibc's checking allocator, which notices a write beside an allocation.
std::string python_child(bool watch_heap);
/// `same(actual, expected)` for a family of dtypes.
std::string python_same(DtypeFamily family);

/// An exception outside the call under test says nothing about it.
inline constexpr std::string_view kPythonCannotTell = R"(

def cannot_tell(*error):
    sys.__excepthook__(*error)
    sys.stdout.flush()
    os._exit(125)


sys.excepthook = cannot_tell
)";

/// The body of a loop over `library`.
inline constexpr std::string_view kPythonLoad = R"(    if library.endswith(".py"):
        import runpy
        runpy.run_path(library)
    else:
        torch.ops.load_library(library)
)";

inline constexpr std::string_view kPythonData = R"(

def data(tensor):
    """A copy of the bytes of a dense tensor."""
    return tensor.detach().reshape(-1).view(torch.uint8).clone()
)";

inline constexpr std::string_view kPythonCanaries = R"(

def canaries(size, dtype):
    """A storage of so many bytes, all of them 0xFE."""
    return torch.full((size,), 0xFE, dtype=torch.uint8).view(dtype)
)";

inline constexpr std::string_view kPythonGuarded = R"(

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def tensor_at(address, size, dtype):
    return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=dtype)


def guarded(size, first, extent, side, dtype):
    """A storage of which the bytes [first, first + extent) lie against an inaccessible page, and the accessible bytes
    around it, all of them 0xFE. The rest of the storage may lie in that page: nobody may touch it."""
    page = mmap.PAGESIZE
    room = (size + extent) // page * page + 2 * page
    begin = libc.mmap(None, room + 2 * page, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0) + page
    libc.mprotect(begin - page, page, 0)
    libc.mprotect(begin + room, page, 0)
    ctypes.memset(begin, 0xFE, room)
    start = begin if side == "left" else begin + room - extent
    return tensor_at(begin, room, torch.uint8), tensor_at(start - first, size, dtype)
)";

/// After the checks, where the kernel's own allocations were watched.
inline constexpr std::string_view kPythonHeapWatched =
    R"(if "libc_malloc_debug" not in open("/proc/self/maps").read():
    print("cannot tell: without glibc's libc_malloc_debug.so nobody sees a write beside the result")
    sys.exit(125)
)";

}  // namespace indexfuzz
