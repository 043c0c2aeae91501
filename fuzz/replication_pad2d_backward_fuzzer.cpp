// libFuzzer on replication_pad2d_backward: build/replication_pad2d_backward_fuzzer
// CORPUS_FOLDER... See fuzz_target.h.

#include "fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return indexfuzz::begin_fuzz_target("replication_pad2d_backward");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return indexfuzz::judge_fuzz_input(data, size);
}
