#pragma once
// What the libFuzzer targets share: one operator, every implementation that works here, no
// supervisor. A new failure aborts, as libFuzzer wants it.

#include <cstddef>
#include <cstdint>

namespace indexfuzz {

/// For LLVMFuzzerInitialize. What fails on the cases of corpus/ledger.toml is known and passed
/// over. Ends the program, exit code 1, where torch cannot be used. Returns 0.
int begin_fuzz_target(const char* op);

/// For LLVMFuzzerTestOneInput: judges the case that the bytes stand for, byte form or text form,
/// through every implementation. Prints the case and aborts where one of them fails in a new way.
/// -1 for what is no case of the operator, or shows nothing.
int judge_fuzz_input(const std::uint8_t* data, std::size_t size);

}  // namespace indexfuzz
