// Batching rules that are wrong only for a batch in a certain place, or under one vmap in another,
// are seen as such.

#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/ops/gather.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <memory>
#include <string>

#include "../written_case.h"
#include "judge/judge.h"
#include "ops/fills/table.h"
#include "run/call/derived.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/vmap.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

at::Tensor gather(const at::Tensor& self, std::int64_t dim, const at::Tensor& index) {
  return at::gather(self, dim, index);
}

enum class Mistake {
  kNone,
  kTakesAnyLevel,   ///< a batch of the outer vmap is taken for one of the inner vmap
  kFirstOrLastDim,  ///< a batch that is not in front is taken to be behind
};

/// gather's batching rule, for operands with dimensions.
template <Mistake kMistake>
at::Tensor gather_batched(const at::Tensor& self, std::int64_t dim, const at::Tensor& index) {
  const auto layer = at::functorch::maybeCurrentDynamicLayer();
  const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::FuncTorchBatched);
  const auto with_batch = [&](const at::Tensor& tensor) {
    const auto* const batched = at::functorch::maybeGetBatchedImpl(tensor);
    if (batched != nullptr &&
        (kMistake == Mistake::kTakesAnyLevel || batched->level() == layer->layerId())) {
      const bool behind = kMistake == Mistake::kFirstOrLastDim && batched->bdim() > 0;
      return batched->value().movedim(behind ? -1 : batched->bdim(), 0);
    }
    auto shape = tensor.sizes().vec();
    shape.insert(shape.begin(), layer->batchSize().expect_int());
    return tensor.unsqueeze(0).expand(shape);
  };
  const at::Tensor result = at::gather(with_batch(self), c10::maybe_wrap_dim(dim, self.dim()) + 1,
                                       with_batch(index).contiguous());
  return at::functorch::makeBatched(result, 0, layer->layerId());
}

TORCH_LIBRARY(indexfuzz_vmap_test, m) {
  const auto define = [&](const char* name, auto* rule) {
    m.def((std::string(name) + "(Tensor self, int dim, Tensor index) -> Tensor").c_str());
    m.impl(name, torch::dispatch(c10::DispatchKey::CPU, gather));
    m.impl(name, torch::dispatch(c10::DispatchKey::FuncTorchBatched, rule));
  };
  define("right", gather_batched<Mistake::kNone>);
  define("takes_any_level", gather_batched<Mistake::kTakesAnyLevel>);
  define("first_or_last_dim", gather_batched<Mistake::kFirstOrLastDim>);
}

using Call = void(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// How many of some cases of gather are wrong if the kernel of this name is called in this way.
int count_wrong(const std::string& kernel, Call* call) {
  const OperatorInfo& op = *find_operator("gather");
  const auto called = c10::Dispatcher::singleton().findSchemaOrThrow(
      ("indexfuzz_vmap_test::" + kernel).c_str(), "");
  const std::string way = call == call_under_vmap ? "_under_vmap" : "_under_nested_vmap";
  const auto plan =
      bind(register_derived({"indexfuzz_vmap_test_of::" + kernel + way, ""}, called.schema(),
                            [called, call](torch::jit::Stack& stack) { call(called, stack); }),
           op, 0);
  if (!plan) return -1;
  const std::vector<Target> targets{{op.number, 0, Variant::kFunctional}};
  Limits limits;
  limits.illegal = false;
  const auto arena = std::make_unique<Arena>();
  Executor executor;
  Observation observation;
  Case c;
  int agreed = 0, wrong = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    draw_case(3, 0, i, targets, limits, c);
    // PyTorch's own gather is wrong about some indices of int32.
    if (c.operands[0].shape.empty() || c.operands[1].shape.empty() ||
        c.operands[1].dtype != Dtype::kInt64 || has_table(c))
      continue;
    arena->prepare(c);
    executor.run(*plan, *arena, observation);
    const Status status = judge(*arena, observation, {}).status;
    executor.release();
    agreed += status == Status::kAgreed;
    wrong += status == Status::kFinding;
  }
  EXPECT_GT(agreed, 50) << kernel << way;
  return wrong;
}

TEST(Vmap, OneInAnotherShowsARuleThatTakesOneLevelForTheOther) {
  install_guarded_allocator();
  set_global_state();
  EXPECT_EQ(count_wrong("right", call_under_vmap), 0);
  EXPECT_EQ(count_wrong("right", call_under_nested_vmap), 0);
  EXPECT_EQ(count_wrong("takes_any_level", call_under_vmap), 0);
  EXPECT_GT(count_wrong("takes_any_level", call_under_nested_vmap), 50);
}

TEST(Vmap, ABatchInTheMiddleShowsARuleForTheEndsAlone) {
  install_guarded_allocator();
  set_global_state();
  EXPECT_GT(count_wrong("first_or_last_dim", call_under_vmap), 20);
}

}  // namespace
}  // namespace indexfuzz
