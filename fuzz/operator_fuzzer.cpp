// libFuzzer on the operator that the program is named after: build/gather_fuzzer CORPUS_FOLDER...
// See fuzz_target.h.

#include "fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  return indexfuzz::begin_fuzz_target((*arguments)[0]);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return indexfuzz::judge_fuzz_input(data, size);
}
