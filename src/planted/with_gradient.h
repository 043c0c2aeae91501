#pragma once
// What kernels with gradients of their own share.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "strided.h"

namespace planted {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps what the gradient of a selection needs.
inline void keep(AutogradContext* context, const Tensor& self, int64_t dim, const Tensor& index) {
  context->saved_data["sizes"] = self.sizes().vec();
  context->saved_data["dim"] = dim;
  context->save_for_backward({index});
}

inline Tensor zeros_of(AutogradContext* context, const Tensor& grad) {
  return at::zeros(context->saved_data["sizes"].toIntVector(), grad.options());
}

/// Registers a kernel that calls the device's own below its gradient.
template <class Kernel>
void define_with_gradient(torch::Library& library, const char* name, const char* arguments,
                          Kernel* kernel) {
  define(library, name, arguments, kernel);
  library.impl(name, torch::dispatch(c10::DispatchKey::Autograd, kernel));
}

}  // namespace planted
