#pragma once
// Which basic blocks of LibTorch the children of a zygote have reached, a part of the mapping of
// protocol.h: the zygote describes the blocks, its children mark them, the supervisor counts.

#include <atomic>
#include <cstdint>

namespace indexfuzz {

inline constexpr std::uint32_t kMaxNativeBlocks = 1 << 18;
inline constexpr std::uint32_t kMaxNativeFunctions = 1 << 11;

/// All instantiations of one function (run/native/native_names.h) together.
struct NativeFunction {
  char name[120];            ///< truncated if it is longer; zero-terminated
  std::uint32_t parts;       ///< how many pieces of code it consists of
  std::uint32_t under_test;  ///< 1: it is code of one of the operators asked for
};

struct NativeCoverageMap {
  char error[256];  ///< one sentence if blocks cannot be observed here; zero-terminated
  std::uint32_t functions;
  std::uint32_t blocks;   ///< how many there are; 0 if native coverage is off
  std::uint32_t skipped;  ///< pieces of code without a block: not disassembled, or no room
  NativeFunction function[kMaxNativeFunctions];
  std::uint16_t function_of[kMaxNativeBlocks];
  std::uint8_t begins_part[kMaxNativeBlocks];           ///< 1: the first block of a piece of code
  std::atomic<std::uint8_t> reached[kMaxNativeBlocks];  ///< 1 once any child has
};

}  // namespace indexfuzz
