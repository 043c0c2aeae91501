#pragma once
// The parts of the Python programs that only a case on a GPU needs.

#include <string>
#include <string_view>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// Goes after `import torch`: sets the default device (`device`: "cuda:0") and defines what the
/// case's GPU settings need.
std::string python_gpu(const ProgramPlan& plan, const std::string& device);
/// The lines before the call, an expression: they keep another stream at work and make a busy
/// stream current, as the case's settings ask. Empty on a CPU.
std::string python_before_gpu_call(const Reproduction& r, const ProgramPlan& plan,
                                   const std::string& call);
/// The lines after the call, indented as it is: on a busy stream, further calls; then a
/// synchronization, since a GPU reports an error in a kernel only then. Empty on a CPU.
std::string python_behind_gpu_call(const Reproduction& r, const ProgramPlan& plan);
/// Goes at the end of the program, which is reached only if nothing was wrong: runs the whole
/// program again under compute-sanitizer.
extern const std::string_view kPythonLookCloser;
/// Defines `grows_by(calls)` for the GPU's memory, and checks by it that the calls keep none.
std::string python_gpu_leak_check();

/// The lines that create an operand whose slices lie far apart, without its values: a view of a
/// storage of many GiB.
std::string python_far_view(const ProgramPlan& plan, std::size_t operand);

}  // namespace indexfuzz
