// How a worker hands its failures to the supervisor.

#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ops/definition/operator.h"
#include "run/call/implementation.h"
#include "run/process/worker.h"

namespace indexfuzz {
namespace {

/// Is wrong for every case.
at::Tensor of_another_shape(const at::Tensor& self, int64_t, const at::Tensor&) {
  return at::empty({0, 1, 2, 3, 4, 5, 6, 7}, self.options());
}

TORCH_LIBRARY(report_test, m) {
  for (const char* name : {"select_one", "select_two"})
    m.def((std::string(name) + "(Tensor self, int dim, Tensor index) -> Tensor").c_str(),
          torch::dispatch(c10::DispatchKey::CPU, of_another_shape));
}

TEST(Report, WaitsForTheSupervisorAlsoAfterAStop) {
  const OperatorInfo* const op = find_operator("index_select");
  const std::vector<std::string> names{"report_test::select_one", "report_test::select_two"};
  const Resolved resolved = resolve(names, std::vector{op});
  ASSERT_EQ(resolved.error, "");
  const auto free_memory = [](SharedMemory* memory) { std::free(memory); };
  std::unique_ptr<SharedMemory, decltype(free_memory)> memory(
      static_cast<SharedMemory*>(std::calloc(1, shared_memory_bytes(1))), free_memory);
  Slot& slot = memory->slots[0];
  slot.job = Job{};
  slot.job.type = Job::Type::kCampaign;
  slot.job.end_case = 1000;
  slot.job.target_count = 1;
  slot.job.targets[0] = {op->number, 0, Variant::kFunctional};

  std::vector<std::uint32_t> reported;
  std::jthread supervisor([&](std::stop_token token) {
    while (!token.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (slot.waiting.load(std::memory_order_acquire) == 0) continue;
      slot.stop = 1;
      // A worker that does not wait would report the next failure meanwhile.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      reported.push_back(slot.pending.implementation);
      slot.waiting.store(0, std::memory_order_release);
    }
  });
  carry_out(resolved.implementations, *memory, slot);
  supervisor.request_stop();
  supervisor.join();
  EXPECT_EQ(slot.finished.load(), 1u);
  EXPECT_EQ(reported, (std::vector<std::uint32_t>{0, 1})) << "both fail on the first case";
}

}  // namespace
}  // namespace indexfuzz
