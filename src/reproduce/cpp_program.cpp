// The stand-alone C++ program: LibTorch, nothing of ours.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "memory/placement.h"
#include "reproduce/cpp_operand_parts.h"
#include "reproduce/cpp_operands.h"
#include "reproduce/cpp_parts.h"
#include "reproduce/cpp_watch_parts.h"
#include "reproduce/program_plan.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

bool is_host(const Case& c, std::size_t k) {
  return std::ranges::any_of(
      c.operands, [&](const Operand& o) { return o.shares_memory_with == static_cast<int>(k); });
}

/// Behind the call; a GPU tells of an error in a kernel only when somebody waits for it.
std::string wait_for(const ProgramPlan& plan) {
  return plan.on_gpu ? ";\n      wait_for_gpu()" : "";
}

std::string demand_refusal(const ProgramPlan& plan, const std::string& call) {
  std::string text =
      "    printf(\"expected: an ordinary error\\n\");\n    try {\n      const at::Tensor "
      "actual = " +
      call + wait_for(plan) + std::string(kCppRefusal);
  if (plan.on_gpu) text += kCppGpuRefusal;
  return text + "    }\n";
}

std::string demand_result(const ProgramPlan& plan, Kind kind, const std::string& call) {
  const Expectation& e = plan.expected;
  const std::string written =
      plan.written >= 0 ? plan.variables[static_cast<std::size_t>(plan.written)] : "";
  std::string text;
  // What the call does to the tensor object does not change which memory its caller reads.
  if (!written.empty() && !plan.resized)
    text += fmt::format("    const at::Tensor {0}_memory = {0}.detach();\n", written);
  text += "    at::Tensor actual;\n    try {\n      actual = " + call + wait_for(plan) +
          ";\n    } catch (const std::exception& error) {\n      printf(\"expected: a "
          "result\\nactual:   %s\\n\", "
          "first_line(error.what()).c_str());\n";
  std::string is_wrong = plan.any_refusal
                             ? "strstr(error.what(), \"not implemented for\") == nullptr"
                             : "strstr(error.what(), \"INTERNAL ASSERT\") != nullptr";
  if (plan.on_gpu) is_wrong += " || strstr(error.what(), \"CUDA error\") != nullptr";
  const std::string watched = std::string(plan.watch_state ? kCppStateCheck : "") +
                              std::string(plan.watch_form ? kCppFormCheck : "");
  text += fmt::format("      if (!({})) {{\n{}        return 125;\n      }}\n", is_wrong,
                      watched.empty()
                          ? ""
                          : watched +
                                "        if (!wrong.empty()) {\n          printf(\"WRONG: "
                                "%s\\n\", wrong.c_str());\n          return 1;\n        }\n");
  text += "      printf(\"WRONG: the call ended with this error\\n\");\n      return 1;\n    }\n";
  if (!written.empty()) {
    text += fmt::format(
        "    if (!actual.is_same({0})) wrong = \"it returned another tensor than {0}\";\n    "
        "actual = {0}{1};\n",
        written, plan.resized ? "" : "_memory");
  }
  // Conjugation may be put off: the elements are what they stand for.
  if (info(e.result.dtype).family == DtypeFamily::kComplex)
    text += "    if (actual.defined()) actual = actual.resolve_conj().resolve_neg();\n";
  text += fmt::format("    const Ints sizes = {};\n", cpp_ints(e.result.shape));
  text += fmt::format(
      "    if (actual.scalar_type() != {} || actual.sizes() != at::IntArrayRef(sizes){}) {{\n",
      info(e.result.dtype).cpp, plan.on_gpu ? " || actual.device() != kDevice" : "");
  text += kCppElements;
  if (kind == Kind::kMetadata && written.empty()) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(e.c)) inputs.push_back(plan.variables[k]);
    text += fmt::format(
        "    for (const at::Tensor& operand : std::vector<at::Tensor>{{{}}}) {{\n"
        "      if (actual.defined() && actual.has_storage() && operand.numel() > 0 &&\n"
        "          actual.storage().nbytes() > 0 &&\n"
        "          actual.storage().data() == operand.storage().data()) {{\n"
        "        wrong = \"the result shares memory with an operand\";\n      }}\n    }}\n",
        fmt::join(inputs, ", "));
  }
  if (plan.watch_flags)
    text += fmt::format(fmt::runtime(kCppFlagsCheck), written.empty() ? "actual" : written);
  if (plan.watch_overlap && (written.empty() || plan.resized)) text += kCppOverlapCheck;
  if (plan.watch_earlier) text += kCppEarlierCheck;
  // What still differs after the elements are put back lies beside them.
  if (!written.empty() && !plan.resized)
    text += fmt::format("    {0}_operand.put({0}_values);\n", written);
  if (plan.watch_heap) {
    text +=
        "    for (const auto& block : blocks) heap_damaged |= damaged(block.second);\n"
        "    if (heap_damaged) wrong = \"bytes beside an allocation of the call were changed\";\n";
  }
  return text;
}

/// A namespace for each different call that comes before the judged one: its values, and `call()`.
std::string define_earlier_calls(const EarlierCalls& earlier, bool keep_results) {
  std::string text;
  for (std::size_t i = 0; i < earlier.different.size(); ++i) {
    const EarlierCall& one = earlier.different[i];
    const ProgramPlan plan = program_plan(one);
    text +=
        fmt::format("\nnamespace earlier_{} {{\n{}void call() {{\n", i, cpp_operand_values(plan));
    for (const std::size_t k : build_order(plan.expected.c)) text += cpp_operand(plan, k);
    const std::string call = write_call(one.call.cpp, plan, cpp_call_writer());
    text += fmt::format(
        "    try {{\n      {};\n    }} catch (const std::exception&) {{\n    }}\n}}\n}}  // "
        "namespace "
        "earlier_{}\n",
        keep_results ? "earlier_results.push_back(" + call + ")" : call, i);
  }
  return text;
}

std::string set_threads(int threads) {
  return fmt::format("  at::set_num_threads({});\n", threads);
}

std::string make_earlier_calls(const EarlierCalls& earlier, const ProgramPlan& judged) {
  std::string text;
  if (!earlier.rows.empty())
    text += "  // The call under test fails only after these, in the same process.\n";
  return text + write_rows(earlier, judged, set_threads, [](const EarlierCalls::Row& row) {
           return fmt::format("  for (int i = 0; i < {}; ++i) earlier_{}::call();\n", row.times,
                              row.call);
         });
}

std::string demand_no_leak(const std::string& call) {
  return "    const auto call = [&] {\n      try {\n        " + call +
         ";\n      } catch (const std::exception&) {\n      }\n    };\n" +
         std::string(kCppLeakCheck);
}

/// `main`, which waits for the process that makes the call.
std::string wait_for_child(const ProgramPlan& plan) {
  std::string text(kCppChild);
  replace_all(text, "NO_ANSWER_CODE", plan.must_answer ? "1" : "125");
  replace_all(text, "NO_ANSWER", plan.must_answer ? "WRONG" : "cannot tell");
  if (plan.look_closer)
    replace_all(text, "'x') return WEXITSTATUS(status)",
                "'x') return look_closer(WEXITSTATUS(status), argv)");
  return text;
}

std::string run_function(const Reproduction& r, const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  std::string text = "\nint run([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {\n";
  if (r.call.cpp.empty()) {
    return text +
           "  printf(\"cannot tell: the composite form is written in Python, in the Python "
           "program\\n\");\n  return 125;\n}\n";
  }
  const bool is_plain = c.gpu == GpuSettings{.deterministic = c.gpu.deterministic} &&
                        std::ranges::none_of(c.operands, [](const Operand& o) {
                          return o.on_host || o.slices != Slices::kNear;
                        });
  if (plan.on_gpu && !is_plain) {
    return text +
           "  printf(\"cannot tell: streams, several devices and huge strides are shown by the "
           "Python "
           "program\\n\");\n  return 125;\n}\n";
  }
  if (loads_python_file(r.call)) {
    return text +
           "  printf(\"cannot tell: a kernel written in Python is called by the Python "
           "program\\n\");\n  return 125;\n}\n";
  }
  if (plan.on_gpu) text += kCppNeedsGpu;
  if (r.call.custom) {
    const auto list = [](const std::vector<std::string>& paths) {
      std::vector<std::string> all;
      for (const std::string& path : paths) all.push_back(quoted(path));
      return fmt::format("{}", fmt::join(all, ", "));
    };
    if (!r.call.python_libraries.empty())
      text += fmt::format(fmt::runtime(kCppLoadPython), list(r.call.python_libraries));
    text += fmt::format("  std::vector<std::string> libraries = {{{}}};\n", list(r.call.libraries));
    text += kCppLoad;
  }
  if (const Capability capability = r.c.environment.capability; capability != Capability::kNative)
    text += fmt::format("  setenv(\"ATEN_CPU_CAPABILITY\", \"{}\", 1);\n", name(capability));
  text += set_threads(plan.threads);
  if (plan.watch_heap) text += "  c10::SetCPUAllocator(&guarded_allocator, 255);\n";
  if (plan.limit_memory) text += "  limit_memory();\n";
  if (plan.fill_new_memory) text += plan.on_gpu ? kCppGpuNewMemory : kCppNewMemory;
  if (plan.set_grad_mode)
    text += fmt::format("  c10::GradMode::set_enabled({});\n", plan.grad_mode);
  if (plan.watch_state) text += "  handle_signals();\n";
  if (plan.deterministic)
    text += "  at::globalContext().setDeterministicAlgorithms(true, false);\n";
  text += "  tell('.');\n";
  text += make_earlier_calls(earlier_calls(r.before), plan);
  text += fmt::format("  for (int attempt = 0; attempt < {}; ++attempt) {{\n    tell('.');\n",
                      plan.attempts);
  std::vector<std::string> watched, read_only;
  for (const std::size_t k : build_order(c)) {
    text += cpp_operand(plan, k);
    const bool is_written = static_cast<int>(k) == plan.written;
    if (is_written && (plan.expected.must_refuse || plan.resized)) continue;
    if (c.operands[k].shares_memory_with >= 0 || is_host(c, k)) continue;
    watched.push_back("&" + plan.variables[k] + "_operand");
    if (plan.read_only && !is_written) read_only.push_back("&" + plan.variables[k] + "_operand");
  }
  text += "    std::string wrong;\n";
  const std::string call = write_call(r.call.cpp, plan, cpp_call_writer());
  if (!read_only.empty()) {
    text += fmt::format(
        "    // Writing to an input faults.\n    for (const Operand* operand : "
        "std::vector<const Operand*>{{{}}})\n      operand->protect(PROT_READ);\n",
        fmt::join(read_only, ", "));
  }
  if (plan.watch_state) text += "    const State before = State::now();\n";
  if (plan.watch_form) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(c)) {
      if (keeps_form(r, static_cast<int>(k)))
        inputs.push_back(fmt::format("{{\"{0}\", {0}}}", plan.variables[k]));
    }
    text += fmt::format("    const std::vector<Form> forms = {{{}}};\n", fmt::join(inputs, ", "));
  }
  if (plan.watch_leak) {
    text += demand_no_leak(call);
  } else {
    text += plan.expected.must_refuse ? demand_refusal(plan, call)
                                      : demand_result(plan, r.verdict.kind, call);
  }
  if (plan.watch_change) text += kCppChangeCheck;
  if (plan.watch_state) text += kCppStateCheck;
  if (plan.watch_form) text += kCppFormCheck;
  text += fmt::format("    for (const Operand* operand : std::vector<const Operand*>{{{}}}) {{\n",
                      fmt::join(watched, ", "));
  return text + std::string(kCppVerdict);
}

bool has_number(const Case& c) {
  return std::ranges::any_of(overload_of(c).operands,
                             [](const OperandSpec& spec) { return spec.role == Role::kScalar; });
}

/// ATen's headers of the operators that the program calls.
std::string operator_includes(const Reproduction& r) {
  if (r.call.custom) return "#include <ATen/core/dispatch/Dispatcher.h>\n#include <dlfcn.h>\n";
  std::set<std::string_view> names{operator_of(r.c).name};
  for (const EarlierCall& earlier : r.before) names.insert(operator_of(earlier.c).name);
  std::string text;
  for (const std::string_view name : names) text += fmt::format("#include <ATen/ops/{}.h>\n", name);
  return text;
}

}  // namespace

std::string cpp_program(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  std::string text = fmt::format(kCppHowToCompile, plan.on_gpu ? " -ltorch_cuda -lc10_cuda" : "");
  text += fmt::format("// {}\n// {}\n", headline(r), one_line(r.signature));
  if (const std::string message = one_line(r.verdict.message.data()); !message.empty())
    text += fmt::format("// {}\n", message);
  text += fmt::format(
      "// Seen with PyTorch {}, in {} runs. Exits with 0 where the result is right, 1 where it is "
      "wrong, 125 where that\n"
      "// cannot be told.\n",
      one_line(r.torch_version), one_line(r.reruns));
  text +=
      "#include <ATen/core/Tensor.h>\n#include <ATen/ops/empty.h>\n#include "
      "<ATen/ops/from_blob.h>\n";
  text += "#include <ATen/Parallel.h>\n";
  if (plan.set_grad_mode) text += "#include <c10/core/GradMode.h>\n";
  if (plan.watch_state) {
    for (const char* header :
         {"ATen/CPUGeneratorImpl.h", "ATen/Context.h", "c10/core/DefaultDtype.h",
          "c10/core/impl/LocalDispatchKeySet.h", "c10/util/Exception.h", "cfenv", "clocale",
          "sched.h", "sys/resource.h"})
      text += fmt::format("#include <{}>\n", header);
  }
  if ((plan.deterministic || plan.on_gpu) && !plan.watch_state)
    text += "#include <ATen/Context.h>\n";
  if (plan.on_gpu) text += "#include <c10/core/impl/VirtualGuardImpl.h>\n";
  if (plan.watch_leak || (plan.fill_new_memory && !plan.on_gpu)) text += "#include <malloc.h>\n";
  if (plan.limit_memory) text += "#include <sys/resource.h>\n";
  if (plan.watch_overlap) text += "#include <algorithm>\n";
  text += operator_includes(r);
  if (plan.watch_heap) text += "#include <c10/core/CPUAllocator.h>\n";
  text += kCppIncludes;
  text += cpp_values_and_result(plan);
  text += "\n";
  text += kCppEach;
  if (plan.on_gpu) text += fmt::format("\nconst at::Device kDevice(\"{}\");\n", r.call.device);
  text += plan.on_gpu ? kCppGpuOperand : kCppOperand;
  bool number_passed = has_number(r.c);
  for (const EarlierCall& earlier : r.before) number_passed |= has_number(earlier.c);
  if (number_passed) text += kCppNumber;
  if (!plan.expected.must_refuse) text += kCppCompare;
  if (plan.watch_heap) {
    text += fmt::format("\nconstexpr bool kHeapFlushLeft = {};\n", heap_flush_left(r.c));
    text += kCppHeap;
  }
  if (plan.limit_memory) text += kCppMemoryLimit;
  if (plan.watch_state) text += kCppState;
  if (plan.watch_leak) text += kCppHeld;
  if (plan.watch_form) text += kCppForm;
  if (plan.watch_earlier) text += "\nstd::vector<at::Tensor> earlier_results;\n";
  if (!r.call.cpp.empty())
    text += define_earlier_calls(earlier_calls(r.before), plan.watch_earlier);
  text += kCppTell;
  text += run_function(r, plan);
  if (plan.look_closer) text += kCppLookCloser;
  return text + wait_for_child(plan);
}

}  // namespace indexfuzz
