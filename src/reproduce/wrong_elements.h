#pragma once
// What is wrong with the elements of a result, for a line of text.

#include <string>

#include "case/case.h"
#include "judge/verdict.h"

namespace indexfuzz {

/// "2 wrong elements, the first at (1, 0): 1., expected 3."; empty if the verdict names no element.
std::string wrong_elements(const Verdict& verdict, const Case& c);

}  // namespace indexfuzz
