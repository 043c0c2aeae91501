#include "checks.h"
#include "found.h"
#include "masks.h"
#include "operands.h"
#include "register.h"

namespace kernels {
namespace {

void check_source(const Tensor& self, const Tensor& source) {
  check_same_device(self, source, "source");
  check_same_dtype(self, source, "source");
}

/// On the CPU, throws if source has too few elements. On a GPU that would have to wait for the
/// mask: there the body checks.
void check_enough(const Tensor& mask, const Tensor& before, const Tensor& source,
                  IntArrayRef sizes) {
  if (!mask.is_cpu() || before.numel() == 0) return;
  const int64_t last = before.numel() - 1;
  const int64_t needed =
      before.const_data_ptr<int64_t>()[last] + (truth_of(mask, sizes)(last) ? 1 : 0);
  TORCH_CHECK(needed <= source.numel(), "masked_scatter: ", needed,
              " elements are set, but source has ", source.numel());
}

/// Writes the elements of source into `result`, which holds the broadcast self.
void scatter_elements(const Tensor& result, const Tensor& mask, const Tensor& source) {
  const Tensor before = set_before(mask, result.sizes());
  check_enough(mask, before, source, result.sizes());
  if (result.numel() == 0) return;
  View to = view(result), from = view(source);
  DimVector truths = broadcast_strides(mask, to.sizes);
  ScatterArgs args{};
  args.shape = join(to.sizes, {&to.strides, &truths});
  args.to_strides = packed(to.strides);
  args.mask_strides = packed(truths);
  args.to = written_data(result);
  args.mask = read_data(mask);
  args.before = before.const_data_ptr<int64_t>();
  args.source_shape = join(from.sizes, {&from.strides});
  args.source_strides = packed(from.strides);
  args.source = read_data(source);
  args.source_count = source.numel();
  args.item = item_size(result);
  run(args, result.numel(), result.device());
}

Tensor scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const c10::DeviceGuard guard(self.device());
  check_source(self, source);
  const Tensor result = fresh_copy(self, masked_sizes(self, mask));
  scatter_elements(result, mask, source);
  return result;
}

Tensor& scatter_in_place(Tensor& self, const Tensor& mask, const Tensor& source) {
  const c10::DeviceGuard guard(self.device());
  check_source(self, source);
  check_mask_fits(self, mask);
  at::assert_no_internal_overlap(self);
  scatter_elements(self, mask, source);
  return self;
}

/// As in ATen, the result is complete before `out` is written, so that out may be an input.
Tensor& scatter_out(const Tensor& self, const Tensor& mask, const Tensor& source, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  const Tensor result = scatter(self, mask, source);
  start_out(self, result.sizes(), {}, out);
  copy_elements(result, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", scatter);
  define(m, "masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)",
         scatter_in_place);
  define(m,
         "masked_scatter.out(Tensor self, Tensor mask, Tensor source, *, Tensor(a!) out) -> "
         "Tensor(a!)",
         scatter_out);
}

}  // namespace
}  // namespace kernels
