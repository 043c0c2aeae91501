#pragma once
// The parts of the Python programs that only a case on a GPU needs.

#include <string>
#include <string_view>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// Behind `import torch`: the device of all tensors (`device`: "cuda:0"), and what the settings ask
/// for.
std::string python_gpu(const ProgramPlan& plan, const std::string& device);
/// Lines before the call, which is an expression: makes a busy stream current.
std::string python_before_gpu_call(const Reproduction& r, const ProgramPlan& plan,
                                   const std::string& call);
/// Behind the call, indented as it is: on a busy stream others; then a wait, since a GPU tells of
/// an error in a kernel only when somebody waits for it.
std::string python_behind_gpu_call(const Reproduction& r, const ProgramPlan& plan);
/// At the end, where nothing was wrong so far: the whole program once more under compute-sanitizer.
extern const std::string_view kPythonLookCloser;
/// `grows_by(calls)` of the GPU's memory, and what the calls must not show.
std::string python_gpu_leak_check();

/// The operand whose slices lie far apart, without values: a view of a storage of many GiB.
std::string python_far_view(const ProgramPlan& plan, std::size_t operand);

}  // namespace indexfuzz
