#pragma once
// What debuggers and memory checkers wrote about a program, read from their logs.

#include <string>
#include <string_view>
#include <vector>

#include "campaign/programs/program_outcome.h"

namespace indexfuzz {

struct ToolLog {
  /// kWrong: it saw a fault. kRight: it watched the program to its end and saw none.
  Shown shown = Shown::kCannotTell;
  /// The faults in the tool's words, each place once, in order; if the tool did not watch the
  /// program, why. Empty if it saw none.
  std::vector<std::string> says;
};

/// The signal that stopped the program, and the topmost function that is not the C library's.
ToolLog read_gdb(std::string_view log);
/// Invalid accesses of memcheck, and the signal that ended the program. Left out are those of the
/// dynamic loader, which reads strings by whole words.
ToolLog read_valgrind(std::string_view log);
/// Errors of kernels, by any tool of compute-sanitizer; not those of calls to CUDA's API.
ToolLog read_sanitizer(std::string_view log);

/// A function's name without what it takes and returns, and with "<...>" for what stands in angle
/// brackets.
std::string short_name(std::string_view function);

}  // namespace indexfuzz
