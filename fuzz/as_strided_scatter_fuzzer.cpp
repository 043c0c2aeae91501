// libFuzzer on as_strided_scatter: build/as_strided_scatter_fuzzer CORPUS_FOLDER... See fuzz_target.h.

#include "fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return indexfuzz::begin_fuzz_target("as_strided_scatter");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return indexfuzz::judge_fuzz_input(data, size);
}
