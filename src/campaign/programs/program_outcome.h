#pragma once
// What a stand-alone program has shown, by how it ended and what it printed.

#include <cstdint>
#include <string>
#include <string_view>

#include "campaign/programs/verified.h"
#include "campaign/stop_signals.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

/// What a stand-alone program has shown, given how it ended and its `output`. An exit code of 1
/// alone shows nothing: Python also exits with 1 if it cannot read the program.
Verified verified_by(const ProgramEnd& end, std::string_view output);

/// What the program showed a person who asks only whether the result is right.
enum class Shown : std::uint8_t { kRight, kWrong, kCannotTell };
std::string_view in_words(Shown shown);  ///< "right", "wrong", "cannot tell"

/// A signal that ends the program counts as wrong: its call may be made in no child where it
/// returns today.
Shown shown_by(const ProgramEnd& end, std::string_view output);
/// The last line that a program printed, with what it said came back; how it ended, if it did not
/// exit or print any.
std::string outcome_line(const ProgramEnd& end, const std::string& output);

/// Waits for the program's end. Throws Interruption.
ProgramEnd wait_for(Subprocess& process, const StopSignals& signals);

}  // namespace indexfuzz
