#pragma once
// What a process holds, and what a call should have given back when it returns.

#include <array>
#include <cstdint>
#include <string_view>

namespace indexfuzz {

enum class Resource : std::uint8_t { kTensors, kHeap, kThreads, kProcesses, kDescriptors };
inline constexpr int kResources = 5;

/// Indexed by Resource: live allocations of PyTorch's CPU allocator, bytes given out by malloc,
/// threads, child processes (ended ones too, until they are waited for), and the lowest free file
/// descriptor.
using Held = std::array<std::int64_t, kResources>;
Held held_now();
std::int64_t held_now(Resource resource);

/// Makes counting the heap cheaper for a while.
void join_free_memory();

/// "memory of tensors", "file descriptors".
std::string_view name(Resource resource);

}  // namespace indexfuzz
