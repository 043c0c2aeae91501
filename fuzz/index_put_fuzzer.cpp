// libFuzzer on index_put: build/index_put_fuzzer CORPUS_FOLDER... See fuzz_target.h.

#include "fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return indexfuzz::begin_fuzz_target("index_put");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return indexfuzz::judge_fuzz_input(data, size);
}
