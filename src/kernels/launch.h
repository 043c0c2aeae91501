#pragma once
// The host's side of a launch. Without CUDA's headers, as the .cpp files include it.

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace kernels {

/// cudaStream_t, by the name that needs no header.
using Stream = CUstream_st*;

/// What a launch returns: null, or CUDA's words for why it failed.
using LaunchError = const char*;

/// Device memory that stays until the work enqueued so far is done.
struct Scratch {
  void* context;
  void* (*allocate)(void* context, std::size_t bytes);

  void* operator()(std::size_t bytes) const { return allocate(context, bytes); }
};

}  // namespace kernels
