// libFuzzer on constant_pad_nd: build/constant_pad_nd_fuzzer CORPUS_FOLDER... See fuzz_target.h.

#include "fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return indexfuzz::begin_fuzz_target("constant_pad_nd");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return indexfuzz::judge_fuzz_input(data, size);
}
