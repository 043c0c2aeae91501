#pragma once
// The part of an issue's text that a reader runs.

#include <string>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// The lines that fail, as a block of Markdown, or the call alone if they are too long for a
/// tracker.
std::string issue_lines(const Reproduction& reproduction, const ProgramPlan& plan);

/// Whether the call changed the elements of an input that the verdict names.
bool changes_input(const Verdict& verdict, const ProgramPlan& plan);

}  // namespace indexfuzz
