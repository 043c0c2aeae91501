#include "reproduce/python_parts.h"

#include <fmt/format.h>

#include <vector>

#include "case/dim_set.h"
#include "case/strings/replace_all.h"
#include "reproduce/quoting.h"
#include "reproduce/values_code.h"

namespace indexfuzz {

CallWriter python_call_writer() {
  return {[](const OperandSpec&, const std::vector<std::string>& variables) {
            std::vector<std::string> items;
            for (const std::string& variable : variables)
              items.push_back(variable.empty() ? "None" : variable);
            return fmt::format("[{}]", fmt::join(items, ", "));
          },
          [](const std::string&, Dtype dtype, const std::byte* value) {
            // A scalar argument does not keep a NaN's payload.
            return python_literal(dtype, value).value_or("torch.nan");
          },
          [](const AttributeSpec& spec, std::int64_t value) -> std::string {
            if (spec.type == AttributeType::kBool) return value != 0 ? "True" : "False";
            if (spec.type == AttributeType::kChoice)
              return fmt::format("\"{}\"", choice_of(spec, value));
            if (spec.type == AttributeType::kDims)
              return fmt::format("[{}]", fmt::join(dims_of(value), ", "));
            if (is_optional(spec.type) && value == kNoInt) return "None";
            return fmt::to_string(value);
          }};
}

bool uses(std::string_view text, std::string_view function) {
  return text.find(fmt::format("{}(", function)) != std::string_view::npos;
}

std::string python_set_threads(int threads) {
  return fmt::format("torch.set_num_threads({})\n", threads);
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text[at] != '\n') result += "    ";
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

std::string python_cannot_tell(bool in_child) {
  return std::string(R"(

def cannot_tell(*error):
    sys.__excepthook__(*error)
    sys.stdout.flush()
)") +
         (in_child ? R"(    if "REPRO_CHILD" in os.environ:
        os.write(int(os.environ["REPRO_CHILD"]), b"x")
)"
                   : "") +
         R"(    os._exit(125)


sys.excepthook = cannot_tell
)";
}

std::string python_child(bool watch_heap, bool must_answer) {
  std::string text = R"(
if "REPRO_CHILD" not in os.environ:
    hear, say = os.pipe()
    os.set_blocking(hear, False)
    environment = dict(os.environ, REPRO_CHILD=str(say)ENVIRONMENT)
    child = subprocess.Popen([sys.executable] + sys.argv, env=environment, pass_fds=[say])
    heard, since, code = b"", time.monotonic(), None
    while code is None:
        time.sleep(0.01)
        code = child.poll()
        try:
            heard, since = os.read(hear, 1 << 20), time.monotonic()
        except BlockingIOError:
            if code is None and heard and time.monotonic() - since > 20:
                child.kill()
                print("NO_ANSWER: no answer within 20 seconds")
                sys.exit(NO_CODE)
    if not heard:
        print("cannot tell: the process ended before the call")
        sys.exit(125)
    if code < 0 or not heard.endswith(b"x"):
        print(f"WRONG: the call ended the process, by {f'signal {-code}' if code < 0 else f'exit code {code}'}")
        sys.exit(1)
    if heard.endswith(b"wx"):
        print("WRONG: it changed what all calls share")
    sys.exit(code)


def tell(mark):
    """To the process that waits: "." before each call, "x" behind the last."""
    os.write(int(os.environ["REPRO_CHILD"]), mark)


atexit.register(tell, b"x")

)";
  replace_all(text, "ENVIRONMENT",
              watch_heap ? ", LD_PRELOAD=\"libc_malloc_debug.so.0\", MALLOC_CHECK_=\"3\"" : "");
  replace_all(text, "NO_ANSWER", must_answer ? "WRONG" : "cannot tell");
  replace_all(text, "NO_CODE", must_answer ? "1" : "125");
  return text;
}

std::string python_same(DtypeFamily family) {
  std::string text = R"(

def same(actual, expected):
    """Elementwise: the same bits)";
  const bool floating = family == DtypeFamily::kFloating;
  const bool complex = family == DtypeFamily::kComplex;
  text += floating || complex ? ", or both NaN.\"\"\"\n" : ".\"\"\"\n";
  if (complex) {
    text +=
        "    if actual.is_complex():\n"
        "        actual = torch.view_as_real(actual.resolve_conj().resolve_neg())\n"
        "        return same(actual, torch.view_as_real(expected)).all(-1)\n";
  }
  text +=
      "    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: "
      "torch.int64}[actual.element_size()]\n";
  text += "    equal = actual.resolve_neg().view(bits) == expected.view(bits)\n";
  text += floating || complex
              ? "    return equal | (actual.double().isnan() & expected.double().isnan())\n"
              : "    return equal\n";
  return text;
}

std::string python_guarded(std::int64_t largest) {
  std::string text = R"(

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def tensor_at(address, size, dtype):
    return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=dtype)


def guarded(size, first, extent, side, dtype, slices=1, apart=0, canary=0xFENAME):
    """A storage of which the bytes [first, first + extent) lie against an inaccessible page, and the accessible bytes
    around it, all of them a number that shows. The rest of the storage may lie in that page: nobody may touch it. So
    lies each of several slices, so many bytes apart, with nothing between them."""
    page, between = mmap.PAGESIZE, (slices - 1) * apart
    room = (size - between + extent) // page * page + 2 * page
ROOM    without_reserve = 0x4000 | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    begin = KNOWNlibc.mmap(None, between + room + 2 * page, 0, without_reserve, -1, 0) + page
KEEP    for window in range(begin, begin + between + 1, apart or 1):
        libc.mprotect(window, room, mmap.PROT_READ | mmap.PROT_WRITE)
        ctypes.memset(window, canary, room)
    start = begin + first % 64 if side == "left" else begin + room - extent
    start -= (start - first) % 64  # the storage begins at a multiple of 64, as storages do
    around = tensor_at(begin, between + room, torch.uint8).as_strided((slices, room), (apart, 1))
    return around, tensor_at(start - first, size, dtype)
)";
  const bool in_one_place = largest > 0;
  replace_all(text, "NAME", in_one_place ? ", name=None" : "");
  replace_all(text, "ROOM",
              in_one_place ? fmt::format("    if name:  # where those of the same name lay before\n"
                                         "        room = {} // page * page + 2 * page\n",
                                         2 * largest)
                           : "");
  replace_all(text, "KNOWN", in_one_place ? "regions.get(name) or " : "");
  replace_all(text, "KEEP", in_one_place ? "    if name:\n        regions[name] = begin\n" : "");
  return (in_one_place ? "\nregions = {}\n" : "") + text;
}

}  // namespace indexfuzz
