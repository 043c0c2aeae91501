#pragma once

#include <string>

#include "reproduce/reproduction.h"

namespace indexfuzz {

/// All of python_program() but the comment at its head. It may be indented under a condition of the
/// module, but is no function's body; it runs itself again by `sys.argv`.
std::string python_statements(const Reproduction& reproduction);

}  // namespace indexfuzz
