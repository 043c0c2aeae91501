#pragma once
// The body of the libFuzzer targets. Each is the same program under another name, and tests the
// operator of that name through every implementation that works here, without a supervisor. A new
// failure aborts, which libFuzzer reports.

#include <cstddef>
#include <cstdint>

namespace indexfuzz {

/// To be called by LLVMFuzzerInitialize with the program's path, "build/gather_fuzzer". Failures
/// that corpus/ledger.toml lists are known and do not abort. Exits with code 1 if the program is
/// not named after an operator, or torch or the ledger cannot be used; else returns 0.
int begin_fuzz_target(const char* program);

/// To be called by LLVMFuzzerTestOneInput. Judges the case that the bytes encode, in byte form or
/// text form, through every implementation. Prints the case and aborts if one of them fails in a
/// new way. Returns -1 if the bytes are no case of the operator or the case shows nothing, else 0.
int judge_fuzz_input(const std::uint8_t* data, std::size_t size);

}  // namespace indexfuzz
