#pragma once
// The host's side of a launch. It needs no CUDA header, since .cpp files include it.

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace kernels {

/// cudaStream_t.
using Stream = CUstream_st*;

/// The result of a launch: null, or CUDA's message if it failed.
using LaunchError = const char*;

/// Allocates device memory that stays valid for all work that the current call enqueues.
struct Scratch {
  void* context;
  void* (*allocate)(void* context, std::size_t bytes);

  void* operator()(std::size_t bytes) const { return allocate(context, bytes); }
};

}  // namespace kernels
