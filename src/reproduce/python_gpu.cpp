#include "reproduce/python_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "case/far_slices.h"
#include "ops/repair/other_calls.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"

namespace indexfuzz {
namespace {

constexpr std::string_view kOnGpu = R"(
if not torch.cuda.is_available():
    print("cannot tell: this PyTorch sees no GPU")
    sys.exit(125)
torch.set_default_device("{}")


def on_gpu(buffer, dtype):
    return torch.frombuffer(buffer, dtype=dtype).to(torch.get_default_device())


def says(error, texts):
    return any(text in str(error) for text in texts)


def is_device_assertion(error):
    """Whether a kernel ended by an assertion or a trap, as kernels refuse arguments."""
    return says(error, ["device-side assert triggered", "illegal instruction", "unspecified launch failure"])


def is_fault(error):
    return says(error, ["illegal memory access", "misaligned address", "address space", "program counter", "stack error"])

)";

constexpr std::string_view kOtherDevice = R"(
if torch.cuda.device_count() < 2:
    print("cannot tell: it takes two GPUs")
    sys.exit(125)
torch.cuda.set_device((torch.zeros(1).device.index + 1) % torch.cuda.device_count())
)";

constexpr std::string_view kBusyStream = R"(

def quietly(call):
    """For calls whose outcome does not matter."""
    try:
        call()
    except Exception:
        pass


def busy_stream(tensors, call):
    """Makes a stream current that is still writing the tensors, and will be for a while."""
    values = [tensor.clone() for tensor in tensors]
    for tensor in tensors:
        tensor.zero_()
    torch.cuda.synchronize()
    torch.cuda.set_stream(torch.cuda.Stream())
    quietly(call)  # what a first call loads and allocates would wait for the GPU
    torch.cuda.synchronize()
{}    torch.cuda._sleep(1 << 30)
    for tensor, value in zip(tensors, values):
        tensor.copy_(value)

)";

constexpr std::string_view kBusyOthers =
    R"(    # What is handed to another stream waits longer: whoever does not wait for that comes too early.
    for other in [torch.cuda.default_stream()] + [torch.cuda.Stream() for _ in range(32)]:
        if other != torch.cuda.current_stream():
            with torch.cuda.stream(other):
                torch.cuda._sleep(3 << 29)
)";
constexpr std::string_view kIdleOthers =
    R"(    # Other streams are idle: what is handed to one of them and does not wait comes too early.
)";

constexpr std::string_view kBusyMemory = R"(
much_memory, its_stream = torch.zeros(1 << 27, dtype=torch.uint8), torch.cuda.Stream()


def busy_memory():
    """Keeps another stream at work on much memory for some milliseconds: loads take longer, each as it comes."""
    with torch.cuda.stream(its_stream):
        for _ in range(64):
            much_memory.add_(1)

)";

constexpr std::string_view kLeakCheck = R"(
def held():
    torch.cuda.synchronize()
    available, total = torch.cuda.mem_get_info()
    return {"allocated by PyTorch": torch.cuda.memory_allocated(), "of the GPU": total - available}


def grows_by(calls):
    before = held()
    for _ in range(calls):
        call()
    after = held()
    return {what: after[what] - before[what] for what in before}


grows_by(64)
for calls in (64, 1024):
    rounds = [grows_by(calls) for _ in range(3)]
    for what in rounds[0]:
        if all(growth[what] >= 8 * calls for growth in rounds):
            print(f"expected: nothing kept\nactual:   {rounds[-1][what]} more bytes {what} after {calls} calls\nWRONG: it does not give back memory")
            sys.exit(1)
)";

ProgramPlan with_suffix(ProgramPlan plan, std::string_view suffix) {
  for (std::string& variable : plan.variables) variable += suffix;
  return plan;
}

/// The plans of the calls that follow the one under test on other operands: its case with_zeros()
/// and with_one_element().
struct LaterPlans {
  ProgramPlan zeros, small;
};
LaterPlans later_plans(const Reproduction& r, const ProgramPlan& plan) {
  return {with_suffix(plan, "_zeros"),
          with_suffix(program_plan(EarlierCall{with_one_element(r.c), r.call}), "_small")};
}

bool stays_on_host(const ProgramPlan& plan, std::size_t k) {
  return plan.on_gpu && plan.expected.c.operands[k].on_host;
}

}  // namespace

const std::string_view kPythonLookCloser = R"(
# PyTorch's allocator hands out parts of larger blocks: an access beyond one of them shows only where each is an
# allocation of its own and compute-sanitizer looks on.
if "UNDER_SANITIZER" not in os.environ:
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.access(sanitizer, os.X_OK):
        print("cannot tell: there is no compute-sanitizer")
        sys.exit(125)
    os.environ.update(UNDER_SANITIZER="1", PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    options = ["--error-exitcode", "86", "--report-api-errors", "no", "--target-processes", "all"]
    ended = subprocess.run([sanitizer, *options, sys.executable, *sys.argv], capture_output=True, text=True)
    print(ended.stdout[-4000:])
    if ended.returncode == 86 or "WRONG: " in ended.stdout:
        print("WRONG: memory was touched beside an allocation")
        sys.exit(1)
    sys.exit(0 if ended.returncode == 0 else 125)
)";

std::string python_gpu(const ProgramPlan& plan, const std::string& device) {
  const GpuSettings& settings = plan.expected.c.gpu;
  const bool has_number = device.find(':') != std::string::npos;
  std::string text = fmt::format(kOnGpu, has_number ? device : device + ":0");
  if (settings.other_device) text += kOtherDevice;
  if (settings.side_stream)
    text += fmt::format(kBusyStream, settings.idle_others ? kIdleOthers : kBusyOthers);
  if (settings.busy_memory) text += kBusyMemory;
  return text;
}

std::string python_before_gpu_call(const Reproduction& r, const ProgramPlan& plan,
                                   const std::string& call) {
  if (!plan.on_gpu) return "";
  const std::string load = plan.expected.c.gpu.busy_memory ? "busy_memory()\n" : "";
  if (!plan.expected.c.gpu.side_stream) return load;
  std::vector<std::string> memory;
  for (const std::size_t k : build_order(plan.expected.c)) {
    const bool is_guest = plan.expected.c.operands[k].shares_memory_with >= 0;
    if (!is_guest && !stays_on_host(plan, k)) memory.push_back(memory_of(plan, k));
  }
  const LaterPlans later = later_plans(r, plan);
  std::string text;
  for (const std::size_t k : build_order(plan.expected.c))
    text += fmt::format("{} = torch.zeros_like({})\n", later.zeros.variables[k], plan.variables[k]);
  for (const std::size_t k : build_order(later.small.expected.c))
    text += python_operand(later.small, k);
  text += load + fmt::format("busy_stream([{}], lambda: {})\n", fmt::join(memory, ", "), call);
  if (plan.resized) text += python_operand(plan, static_cast<std::size_t>(plan.written));
  return text;
}

std::string python_behind_gpu_call(const Reproduction& r, const ProgramPlan& plan) {
  if (!plan.on_gpu) return "";
  std::string text, back;
  // The later calls reuse the memory that the first one gave back and overwrite what the kernel
  // keeps, perhaps too early.
  if (plan.expected.c.gpu.side_stream) {
    if (!plan.expected.must_refuse) {
      const std::string result =
          plan.written >= 0 ? elements_of(plan, static_cast<std::size_t>(plan.written)) : "actual";
      text +=
          fmt::format("\n    there = {}.clone()  # as it is in the order of the stream", result);
    }
    const LaterPlans later = later_plans(r, plan);
    for (const ProgramPlan* const p : {&later.zeros, &later.small}) {
      text += fmt::format("\n    quietly(lambda: {})",
                          write_call(r.call.python, *p, python_call_writer()));
    }
  }
  for (const std::size_t k : build_order(plan.expected.c)) {
    if (!stays_on_host(plan, k) || numel(plan.expected.c.operands[k].shape) == 0) continue;
    const std::string& name = plan.variables[k];
    // After the call its owner may free it: overwriting it shows whether it is still read.
    text += fmt::format(
        "\n    {0}_value = {0}.clone()\n    {0}.reshape(-1).view(torch.uint8).fill_(0xFE)", name);
    back += fmt::format("\n    {0}.copy_({0}_value)", name);
  }
  text += plan.expected.c.gpu.other_device
              ? "\n    for gpu in range(torch.cuda.device_count()):\n        "
                "torch.cuda.synchronize(gpu)"
              : "\n    torch.cuda.synchronize()";
  // An error that a launch left behind is reported by the next launch.
  return text + "\n    torch.ones(1)" + back;
}

std::string python_gpu_leak_check() {
  return std::string(kLeakCheck);
}

std::string python_far_view(const ProgramPlan& plan, std::size_t operand) {
  const Operand& o = plan.expected.c.operands[operand];
  const Strided view = far_view(o);
  const auto size = static_cast<std::int64_t>(item_size(o.dtype));
  const std::int64_t bytes = (view.storage_offset + view.extent) * size;
  return fmt::format(
      "{0}_storage = torch.empty({1}, dtype=torch.uint8).view(torch.{2})\n"
      "{0} = {3}\n",
      plan.variables[operand], bytes, info(o.dtype).name,
      python_as_strided(o.shape, view, plan.variables[operand] + "_storage"));
}

}  // namespace indexfuzz
