#include "run/watch/guarded_allocator.h"

#include <c10/core/CPUAllocator.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "memory/guarded_heap.h"

namespace indexfuzz {
namespace {

void release(void* pointer) {
  GuardedHeap::instance().release(pointer);
}

class GuardedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &release, cpu};
    void* const pointer = GuardedHeap::instance().allocate(bytes);
    return {pointer, pointer, &release, cpu};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

}  // namespace

c10::Allocator* guarded_allocator() {
  static auto* const allocator = new GuardedAllocator;
  return allocator;
}

void install_guarded_allocator() {
  c10::SetAllocator(c10::DeviceType::CPU, guarded_allocator(),
                    std::numeric_limits<std::uint8_t>::max());
  if (c10::GetCPUAllocator() != guarded_allocator()) {
    std::fputs("indexfuzz: LibTorch kept its own CPU allocator\n", stderr);
    std::abort();
  }
}

}  // namespace indexfuzz
