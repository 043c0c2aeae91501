// The stand-alone Python program: plain torch, nothing of ours.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "memory/placement.h"
#include "reproduce/program_plan.h"
#include "reproduce/python_gpu.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// Of a larger result only wrong elements are.
constexpr std::int64_t kMostPrinted = 64;

std::string tolerances(const Expectation& e) {
  std::string text;
  for (std::size_t i = 0; i < e.tolerance.size(); ++i) {
    if (e.tolerance[i] > 0) text += fmt::format("    {}: {},\n", i, e.tolerance[i]);
  }
  if (text.empty()) return text;
  return fmt::format("# {} (by row-major index).\ntolerance = {{\n{}}}\n", why_several(e.agreement),
                     text);
}

std::string admissible_values(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text;
  for (std::size_t i = 0; i < e.admissible.size(); ++i) {
    if (e.admissible[i].empty()) continue;
    std::vector<std::byte> choices;
    for (const auto& value : e.admissible[i])
      choices.insert(choices.end(), value.begin(), value.end());
    text += fmt::format(
        "    {}: {},\n", i,
        python_values(e.result.dtype, Dims{static_cast<std::int64_t>(e.admissible[i].size())},
                      choices));
  }
  if (text.empty()) return text;
  return fmt::format("# {} (by row-major index).\nadmissible = {{\n{}}}\n",
                     why_several(e.agreement), text);
}

constexpr std::string_view kPythonEndsProgram = R"(    if not isinstance(error, Exception):
        wrong.append("it ended the program")
)";

/// What is caught of a call: Python code may also end the program.
std::string_view caught(const Reproduction& r) {
  return loads_python_file(r.call) ? "BaseException" : "Exception";
}

/// The call on illegal arguments.
std::string demand_refusal(const Reproduction& r, const ProgramPlan& plan,
                           const std::string& call) {
  return "try:\n    actual = " + call + python_behind_gpu_call(r, plan) + R"(
except AttributeError:  # this PyTorch has no such operator
    raise
except )" +
         std::string(caught(r)) +
         R"( as error:
    print(f"expected: an ordinary error\nactual:   {type(error).__name__}: {error}")
    if "INTERNAL ASSERT" in str(error):
        wrong.append("an internal assertion failed")
    if "Caught an unknown exception" in str(error):
        wrong.append("something that is not a std::exception was thrown")
    if isinstance(error, MemoryError):
        wrong.append("memory ran out")
)" + std::string(loads_python_file(r.call) ? kPythonEndsProgram : "") +
         std::string(plan.on_gpu ? kPythonGpuRefusal : "") +
         R"(else:
    print(f"expected: an ordinary error\nactual:   returned {actual}")
    wrong.append("illegal arguments were accepted")
)";
}

/// Every line four blanks to the right; a bytes literal's own lines do not mind.
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

/// The call on legal arguments, and what its result is checked for.
std::string demand_result(const Reproduction& r, const ProgramPlan& plan, const std::string& call) {
  const Expectation& e = plan.expected;
  const std::string written =
      plan.written >= 0 ? plan.variables[static_cast<std::size_t>(plan.written)] : "";
  std::string text;
  const bool restores = !written.empty() && !plan.resized;
  // What the call does to the tensor object does not change which memory its caller reads.
  if (restores)
    text += fmt::format("{0}_memory = {0}.detach()\n{0}_before = {0}.clone()\n", written);
  text += "try:\n    actual = " + call + python_behind_gpu_call(r, plan) +
          "\nexcept AttributeError:  # this PyTorch has no such operator\n    raise\n";
  text += fmt::format("except {} as error:\n", caught(r));
  text += "    print(f\"expected: a result\\nactual:   {type(error).__name__}: {error}\")\n";
  std::string refused_anyway = plan.watch_state ? std::string(kPythonStateCheck) : "";
  if (plan.watch_form)
    refused_anyway += std::string(kPythonFormCheck) +
                      "if wrong:\n    print(\"WRONG: \" + \"; \".join(wrong))\n    sys.exit(1)\n";
  if (!refused_anyway.empty()) refused_anyway = indented(indented(refused_anyway));
  text += fmt::format("    if not ({}{}):\n{}        sys.exit(125)\n",
                      plan.any_refusal ? "\"not implemented for\" not in str(error)"
                                       : "\"INTERNAL ASSERT\" in str(error)",
                      plan.on_gpu ? " or \"CUDA error\" in str(error)" : "", refused_anyway);
  text += "    print(\"WRONG: the call ended with this error\")\n    sys.exit(1)\n";
  if (!written.empty()) {
    text += fmt::format(
        "if actual is not {0} and actual is not None:\n    wrong.append(\"it returned another "
        "tensor than {0}\")\n",
        written);
    // A clone of bool makes 1 of whatever is not 0.
    const std::string_view copy = e.result.dtype == Dtype::kBool
                                      ? "_memory.view(torch.uint8).clone().view(torch.bool)"
                                      : "_memory.clone()";
    text += fmt::format("actual = {}{}\n", written, restores ? copy : "");
    // What still differs after the elements are put back lies beside them.
    if (restores) text += fmt::format("{0}_memory.copy_({0}_before)\n", written);
  }
  text += fmt::format("expected = {}\n{}", python_values(e.result.dtype, e.result.shape, e.values),
                      admissible_values(plan) + tolerances(e));
  text += R"(if not isinstance(actual, torch.Tensor):
    print(f"expected: a tensor of shape {tuple(expected.shape)}\nactual:   {actual}\nWRONG: no tensor came back")
    sys.exit(1)
if actual.device != expected.device or actual.layout != expected.layout:
    print(f"expected: {expected.layout} on {expected.device}\nactual:   {actual.layout} on {actual.device}\nWRONG: another kind of tensor came back")
    sys.exit(1)
if actual.shape != expected.shape or actual.dtype != expected.dtype:
    print(f"expected: {tuple(expected.shape)} of {expected.dtype}\nactual:   {tuple(actual.shape)} of {actual.dtype}")
    wrong.append("shape or dtype")
else:
    places = [i for i, equal in enumerate(same(actual, expected).reshape(-1).tolist()) if not equal]
)";
  if (!admissible_values(plan).empty()) {
    text += R"(    flat = actual.reshape(-1)
    places = [i for i in places if not any(same(flat[i].expand_as(admissible[i]), admissible[i]).tolist() if i in admissible else [])]
)";
  }
  if (!tolerances(e).empty()) {
    text += R"(    flat, right = actual.reshape(-1), expected.reshape(-1)
    places = [i for i in places if not abs(flat[i].item() - right[i].item()) <= tolerance.get(i, 0)]
)";
  }
  // Of many attempts only the wrong one is of interest.
  if (numel(e.result.shape) <= kMostPrinted) {
    text += fmt::format(
        "    {}print(f\"expected: {{expected.tolist()}}\\nactual:   {{actual.tolist()}}\")\n",
        plan.attempts == 1 ? "" : "if places:\n        ");
    text += "    if places:\n        wrong.append(f\"elements {places} (row-major)\")\n";
  } else {
    text += R"(    if places:
        first = places[:8]
        print(f"elements {first} (row-major)\nexpected: {expected.reshape(-1)[first].tolist()}\nactual:   {actual.reshape(-1)[first].tolist()}")
        wrong.append(f"{len(places)} elements")
)";
  }
  if (e.c.gpu.side_stream && plan.on_gpu) {
    text +=
        "    if not same(there, actual).all():\n"
        "        wrong.append(\"the result was not there yet when the call returned\")\n";
  }
  if (r.verdict.kind == Kind::kMetadata && written.empty()) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(e.c)) inputs.push_back(plan.variables[k]);
    text += fmt::format(
        "for operand in [{}]:\n    if operand.numel() and actual.untyped_storage().nbytes() and "
        "actual.untyped_storage().data_ptr() == operand.untyped_storage().data_ptr():\n"
        "        wrong.append(\"the result shares memory with an operand\")\n",
        fmt::join(inputs, ", "));
  }
  if (plan.watch_flags)
    text += fmt::format(fmt::runtime(kPythonFlagsCheck), written.empty() ? "actual" : written);
  if (plan.watch_overlap && !restores) text += kPythonOverlapCheck;
  if (plan.watch_earlier) text += kPythonEarlierCheck;
  if (plan.watch_heap) text += "del actual  # checked by the allocator as it is given back\n";
  return text;
}

std::string demand_no_leak(const ProgramPlan& plan, const std::string& call) {
  return fmt::format(
      "def call():\n    try:\n        {}\n    except Exception:\n        pass\n\n\n{}", call,
      plan.on_gpu ? python_gpu_leak_check() : std::string(kPythonLeakCheck));
}

/// Functions of the calls that come before the judged one, and lines that call them.
std::string make_earlier_calls(const Reproduction& r, const ProgramPlan& judged) {
  const EarlierCalls earlier = earlier_calls(r.before);
  std::string text;
  for (std::size_t i = 0; i < earlier.different.size(); ++i) {
    const EarlierCall& one = earlier.different[i];
    ProgramPlan plan = program_plan(one);
    plan.one_place = judged.one_place;
    plan.guarded = judged.guarded;
    std::string lines;
    for (const std::size_t k : build_order(plan.expected.c)) lines += python_operand(plan, k);
    const std::string call = write_call(one.call.python, plan, python_call_writer());
    lines += fmt::format("try:\n    {}\nexcept Exception:\n    pass\n",
                         judged.watch_earlier ? "earlier_results.append(" + call + ")" : call);
    text += fmt::format("\ndef earlier_call_{}():\n{}\n", i, indented(lines));
  }
  if (!text.empty())
    text += "\n# The call under test fails only after these, in the same process.\n";
  text += write_rows(earlier, judged, python_set_threads, [](const EarlierCalls::Row& row) {
    return row.times == 1
               ? fmt::format("earlier_call_{}()\n", row.call)
               : fmt::format("for _ in range({}):\n    earlier_call_{}()\n", row.times, row.call);
  });
  return text.empty() ? text : text + "\n";
}

/// The part that is repeated where a finding is intermittent.
std::string body(const Reproduction& r, const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  std::string text;
  std::vector<std::string> watched, read_only;
  for (const std::size_t k : build_order(c)) {
    text += python_operand(plan, k);
    // A refused call may have written its own output, and a resized one has other memory.
    const bool is_written = static_cast<int>(k) == plan.written;
    if (is_written && (plan.expected.must_refuse || plan.resized)) continue;
    const int host = c.operands[k].shares_memory_with;
    const bool is_host = std::ranges::any_of(
        c.operands, [&](const Operand& o) { return o.shares_memory_with == static_cast<int>(k); });
    if (host >= 0 || is_host) continue;
    watched.push_back(fmt::format("\"{}\": {}", plan.variables[k], memory_of(plan, k)));
    if (plan.read_only && !is_written) read_only.push_back(memory_of(plan, k));
  }
  text += fmt::format(
      "\nmemory = {{{}}}\nbefore = {{name: data(tensor) for name, tensor in memory.items()}}\n",
      fmt::join(watched, ", "));
  text += "wrong = []\n";
  if (plan.watch_form) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(c)) {
      if (!keeps_form(r, static_cast<int>(k))) continue;
      inputs.push_back(fmt::format("\"{0}\": ({0}, form({0}))", plan.variables[k]));
    }
    text += fmt::format("forms = {{{}}}\n", fmt::join(inputs, ", "));
  }
  const std::string call = write_call(r.call.python, plan, python_call_writer());
  if (plan.watch_leak) return text + demand_no_leak(plan, call);
  text += python_before_gpu_call(r, plan, call);
  if (plan.watch_state) text += "state_before = state()\n";
  if (!read_only.empty())
    text += fmt::format(fmt::runtime(kPythonReadOnly), fmt::join(read_only, ", "));
  text += plan.expected.must_refuse ? demand_refusal(r, plan, call) : demand_result(r, plan, call);
  if (plan.watch_change) {
    text +=
        "first = actual.clone() if attempt == 0 else first\nif not same(actual, first).all():\n"
        "    wrong.append(\"the result differs from that of the first call\")\n";
  }
  if (plan.watch_state) text += kPythonStateCheck;
  if (plan.watch_form) text += kPythonFormCheck;
  text += R"(for name, tensor in memory.items():
    if not torch.equal(data(tensor), before[name]):
        wrong.append(f"the memory of {name} was changed")
if wrong:
    print("WRONG: " + "; ".join(wrong))
    sys.exit(1)
)";
  return text;
}

/// In bytes, over all operands of all calls.
std::int64_t largest_storage(const Reproduction& r) {
  std::vector<Case> cases{r.c};
  for (const EarlierCall& one : r.before) cases.push_back(one.c);
  std::int64_t largest = 1;
  for (const Case& c : cases) {
    for (const Operand& operand : with_placed_layouts(c).operands) {
      const std::int64_t elements = strided(operand.shape, operand.layout).storage_elements;
      largest = std::max(largest, elements * static_cast<std::int64_t>(item_size(operand.dtype)));
    }
  }
  return largest;
}

bool uses(const std::string& text, std::string_view function) {
  return text.find(fmt::format("{}(", function)) != std::string::npos;
}

}  // namespace

std::string python_program(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  const std::string checks = body(r, plan);
  const std::string earlier = make_earlier_calls(r, plan);
  std::string text = fmt::format("# {}\n# {}\n", headline(r), one_line(r.signature));
  if (const std::string message = one_line(r.verdict.message.data()); !message.empty())
    text += fmt::format("# {}\n", message);
  text += fmt::format(
      "# Seen with PyTorch {}, in {} runs. Exits with 0 where the result is right, 1 where it is "
      "wrong, 125 where that\n"
      "# cannot be told.\n",
      one_line(r.torch_version), one_line(r.reruns));
  const bool imports = loads_python_file(r.call);
  const bool guarded = plan.read_only || uses(checks + earlier, "guarded");
  const bool ctypes =
      guarded || plan.watch_state || plan.watch_leak || (plan.fill_new_memory && !plan.on_gpu);
  text += fmt::format(
      "{}{}{}{}{}import os\n{}{}{}{}import sys\n", plan.in_child ? "import atexit\n" : "",
      ctypes ? "import ctypes\n" : "", imports ? "import importlib\n" : "",
      plan.watch_state ? "import locale\n" : "", guarded ? "import mmap\n" : "",
      plan.limit_memory ? "import resource\n" : "", plan.look_closer ? "import shutil\n" : "",
      plan.watch_state ? "import signal\n" : "",
      plan.in_child || plan.look_closer ? "import subprocess\n" : "");
  if (plan.in_child) text += "import time\n";
  text += python_cannot_tell(plan.in_child);
  text += plan.in_child ? python_child(plan.watch_heap, plan.must_answer) : "\n";
  if (const Capability capability = r.c.environment.capability; capability != Capability::kNative)
    text += fmt::format("os.environ[\"ATEN_CPU_CAPABILITY\"] = \"{}\"\n", name(capability));
  text += "import torch\n";
  if (plan.on_gpu) text += python_gpu(plan, r.call.device);
  if (r.call.custom && !r.call.libraries.empty()) {
    std::vector<std::string> paths;
    for (const std::string& path : r.call.libraries) paths.push_back(python_path(path));
    text += fmt::format("for library in sys.argv[1:] or [{}]:\n", fmt::join(paths, ", "));
    text += imports ? kPythonImport : kPythonLoad;
  }
  text += python_set_threads(plan.threads);
  if (plan.deterministic) text += "torch.use_deterministic_algorithms(True)\n";
  if (plan.limit_memory) text += kPythonMemoryLimit;
  if (plan.fill_new_memory) text += plan.on_gpu ? kPythonGpuNewMemory : kPythonNewMemory;
  text += kPythonData;
  if (plan.watch_state) text += kPythonState;
  if (plan.set_grad_mode)
    text += fmt::format("\n\ntorch.set_grad_enabled({})\n", plan.grad_mode ? "True" : "False");
  if (plan.watch_leak && !plan.on_gpu) text += kPythonHeld;
  if (plan.watch_form) text += kPythonForm;
  if (plan.watch_earlier) text += "\nearlier_results = []\n";
  if (plan.one_place)
    text += fmt::format(fmt::runtime(kPythonPlaces), largest_storage(r));
  else if (uses(checks + earlier, "canaries"))
    text += kPythonCanaries;
  if (guarded) text += python_guarded(plan.one_place ? largest_storage(r) : 0);
  if (!plan.expected.must_refuse) text += python_same(info(plan.expected.result.dtype).family);
  text += "\n";
  const std::string begin = plan.in_child ? "tell(b\".\")\n" : "";
  text += earlier.empty() ? earlier : begin + earlier;
  text += plan.attempts == 1 ? begin + checks
                             : fmt::format("for attempt in range({}):\n{}", plan.attempts,
                                           indented(begin + checks));
  if (plan.watch_heap) text += kPythonHeapWatched;
  if (plan.watch_heap && r.verdict.signal != 0) text += kPythonNothingOverwritten;
  if (std::string_view(r.verdict.message.data()).find(kWarningHandler) != std::string_view::npos)
    text += kPythonOwnHandler;
  // What is made of bytes is made on the host.
  if (plan.on_gpu) replace_all(text, "torch.frombuffer(bytearray", "on_gpu(bytearray");
  if (plan.look_closer) text += kPythonLookCloser;
  return text + "print(\"right\")\n";
}

}  // namespace indexfuzz
