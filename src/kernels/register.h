#pragma once

#include <torch/library.h>

#include <string>

#include "run.h"

namespace kernels {

/// Registers one kernel for the CPU and, if this library is built with it, for CUDA. `schema`:
/// "gather.out(Tensor self, …) -> Tensor".
template <class Kernel>
void define(torch::Library& library, const std::string& schema, Kernel* kernel) {
  library.def(schema.c_str());
  const std::string name = schema.substr(0, schema.find('('));
  library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CPU, kernel));
  if (kCuda) library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CUDA, kernel));
}

}  // namespace kernels
