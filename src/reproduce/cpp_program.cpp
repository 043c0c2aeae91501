// The stand-alone C++ program: LibTorch, nothing of ours.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "case/strings/replace_all.h"
#include "memory/placement.h"
#include "reproduce/cpp_checks.h"
#include "reproduce/cpp_operand_parts.h"
#include "reproduce/cpp_operands.h"
#include "reproduce/cpp_parts.h"
#include "reproduce/cpp_program.h"
#include "reproduce/cpp_watch_parts.h"
#include "reproduce/program_plan.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// A namespace for each distinct call before the judged one: its values, and `call()`.
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

/// The function named `entry`, which waits for the process that makes the call.
std::string wait_for_child(const ProgramPlan& plan, std::string_view entry) {
  std::string text(kCppChild);
  replace_all(text, "ENTRY", std::string(entry));
  replace_all(text, "NO_ANSWER_CODE", plan.must_answer ? "1" : "125");
  replace_all(text, "NO_ANSWER", plan.must_answer ? "WRONG" : "cannot tell");
  if (plan.look_closer)
    replace_all(text, "'x') return WEXITSTATUS(status)",
                "'x') return look_closer(WEXITSTATUS(status), argv)");
  return text;
}

/// Why only the Python program can tell; "" if this one can.
std::string_view why_only_python(const Reproduction& r, const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  const bool is_plain = c.gpu == GpuSettings{.deterministic = c.gpu.deterministic} &&
                        std::ranges::none_of(c.operands, [](const Operand& o) {
                          return o.on_host || o.slices != SlicePlacement::kByLayout;
                        });
  if (r.call.cpp.empty()) return "the composite form is written in Python, in the Python program";
  if (plan.on_gpu && !is_plain)
    return "streams, several devices and huge tensors are shown by the Python program";
  if (loads_python_file(r.call))
    return "a kernel written in Python is called by the Python program";
  return "";
}

std::string load_libraries(const CallSite& call) {
  const auto list = [](const std::vector<std::string>& paths) {
    std::vector<std::string> all;
    for (const std::string& path : paths) all.push_back(in_quotes(path));
    return fmt::format("{}", fmt::join(all, ", "));
  };
  std::string text;
  if (!call.python_libraries.empty())
    text += fmt::format(fmt::runtime(kCppLoadPython), list(call.python_libraries));
  text += fmt::format("  std::vector<std::string> libraries = {{{}}};\n", list(call.libraries));
  return text + std::string(kCppLoad);
}

/// What is set once: the libraries, PyTorch's settings, the limits of the process.
std::string set_up(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
  if (plan.on_gpu) text += kCppNeedsGpu;
  if (r.call.custom) text += load_libraries(r.call);
  if (const Capability capability = r.c.environment.capability; capability != Capability::kNative)
    text += fmt::format("  setenv(\"ATEN_CPU_CAPABILITY\", \"{}\", 1);\n", name(capability));
  text += set_threads(plan.threads);
  if (plan.watch.heap) text += "  c10::SetCPUAllocator(&guarded_allocator, 255);\n";
  if (plan.limit_memory) text += "  limit_memory();\n";
  if (plan.fill_new_memory) text += plan.on_gpu ? kCppGpuNewMemory : kCppNewMemory;
  if (plan.grad_mode) text += fmt::format("  c10::GradMode::set_enabled({});\n", *plan.grad_mode);
  if (plan.watch.state) text += "  handle_signals();\n";
  if (plan.deterministic)
    text += "  at::globalContext().setDeterministicAlgorithms(true, false);\n";
  return text;
}

/// Makes the inputs read-only if the plan asks for it.
std::string protect_inputs(const ProgramPlan& plan) {
  std::vector<std::string> inputs;
  for (const std::size_t k : watched_operands(plan)) {
    if (static_cast<int>(k) != plan.written) inputs.push_back("&" + plan.variables[k] + "_operand");
  }
  if (!plan.read_only || inputs.empty()) return "";
  return fmt::format(
      "    // Writing to an input faults.\n    for (const Operand* operand : "
      "std::vector<const Operand*>{{{}}})\n      operand->protect(PROT_READ);\n",
      fmt::join(inputs, ", "));
}

/// The part that is repeated for an intermittent finding.
std::string attempt(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
  std::vector<std::string> forms, watched;
  for (const std::size_t k : build_order(plan.expected.c)) {
    text += cpp_operand(plan, k);
    if (plan.watch.form && keeps_form(r, static_cast<int>(k)))
      forms.push_back(fmt::format("{{\"{0}\", {0}}}", plan.variables[k]));
  }
  text += "    std::string wrong;\n" + protect_inputs(plan);
  if (plan.watch.state) text += "    const State before = State::now();\n";
  if (plan.watch.form)
    text += fmt::format("    const std::vector<Form> forms = {{{}}};\n", fmt::join(forms, ", "));
  text += call_under_test(plan, r.verdict.kind, write_call(r.call.cpp, plan, cpp_call_writer()));
  if (plan.watch.state) text += kCppStateCheck;
  if (plan.watch.form) text += kCppFormCheck;
  for (const std::size_t k : watched_operands(plan))
    watched.push_back("&" + plan.variables[k] + "_operand");
  text += fmt::format("    for (const Operand* operand : std::vector<const Operand*>{{{}}}) {{\n",
                      fmt::join(watched, ", "));
  return text + std::string(kCppVerdict);
}

std::string run_function(const Reproduction& r, const ProgramPlan& plan) {
  const std::string begin =
      "\nint run([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {\n";
  if (const std::string_view why = why_only_python(r, plan); !why.empty())
    return begin + fmt::format("  printf(\"cannot tell: {}\\n\");\n  return 125;\n}}\n", why);
  return begin + set_up(r, plan) + "  tell('.');\n" +
         make_earlier_calls(earlier_calls(r.before), plan) +
         fmt::format("  for (int attempt = 0; attempt < {}; ++attempt) {{\n    tell('.');\n",
                     plan.attempts) +
         attempt(r, plan);
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

std::string includes(const Reproduction& r, const ProgramPlan& plan) {
  struct Header {
    bool is_used;
    std::string_view name;
  };
  const Header headers[] = {
      {true, "ATen/core/Tensor.h"},
      {true, "ATen/ops/empty.h"},
      {true, "ATen/ops/from_blob.h"},
      {r.call.cpp.find("at::zeros(") != std::string::npos, "ATen/ops/zeros.h"},
      {true, "ATen/Parallel.h"},
      {plan.grad_mode.has_value(), "c10/core/GradMode.h"},
      {plan.watch.state, "ATen/CPUGeneratorImpl.h"},
      {plan.watch.state || plan.deterministic || plan.on_gpu, "ATen/Context.h"},
      {plan.watch.state, "c10/core/DefaultDtype.h"},
      {plan.watch.state, "c10/core/impl/LocalDispatchKeySet.h"},
      {plan.watch.state, "c10/util/Exception.h"},
      {plan.watch.state, "cfenv"},
      {plan.watch.state, "clocale"},
      {plan.watch.state, "sched.h"},
      {plan.watch.state || plan.limit_memory, "sys/resource.h"},
      {plan.on_gpu, "c10/core/impl/VirtualGuardImpl.h"},
      {plan.watch.leak || (plan.fill_new_memory && !plan.on_gpu), "malloc.h"},
      {plan.watch.metadata, "algorithm"},
      {plan.watch.heap, "c10/core/CPUAllocator.h"}};
  std::string text;
  for (const Header& header : headers) {
    if (header.is_used) text += fmt::format("#include <{}>\n", header.name);
  }
  return text + operator_includes(r) + std::string(kCppIncludes);
}

/// The values of the operands and of the result, and what the calls use.
std::string definitions(const Reproduction& r, const ProgramPlan& plan) {
  std::string text = cpp_values_and_result(plan) + "\n" + std::string(kCppEach);
  if (plan.on_gpu) text += fmt::format("\nconst at::Device kDevice(\"{}\");\n", r.call.device);
  text += plan.on_gpu ? kCppGpuOperand : kCppOperand;
  const bool number_passed =
      has_number(r.c) || std::ranges::any_of(r.before, has_number, &EarlierCall::c);
  if (number_passed) text += kCppNumber;
  if (!plan.expected.must_refuse) text += kCppCompare;
  if (plan.watch.heap) {
    text += fmt::format("\nconstexpr bool kHeapFlushLeft = {};\n", heap_flush_left(r.c));
    text += kCppHeap;
  }
  if (plan.limit_memory) text += kCppMemoryLimit;
  if (plan.watch.state) text += kCppState;
  if (plan.watch.leak) text += kCppHeld;
  if (plan.watch.form) text += kCppForm;
  if (plan.watch.earlier) text += "\nstd::vector<at::Tensor> earlier_results;\n";
  if (!r.call.cpp.empty())
    text += define_earlier_calls(earlier_calls(r.before), plan.watch.earlier);
  return text + std::string(kCppTell);
}

}  // namespace

CppProgram cpp_parts(const Reproduction& r, std::string_view entry) {
  const ProgramPlan plan = program_plan(r);
  std::string text = definitions(r, plan) + run_function(r, plan);
  if (plan.look_closer) text += kCppLookCloser;
  return {introduction(r, "//"), includes(r, plan), text + wait_for_child(plan, entry)};
}

std::string how_to_compile(const Reproduction& r, std::string_view name,
                           std::string_view libraries) {
  return fmt::format(kCppHowToCompile, name,
                     program_plan(r).on_gpu ? " -ltorch_cuda -lc10_cuda" : "", libraries);
}

std::string cpp_program(const Reproduction& r) {
  const CppProgram program = cpp_parts(r, "main");
  return how_to_compile(r, "repro", "") + program.introduction + program.includes +
         program.definitions;
}

}  // namespace indexfuzz
