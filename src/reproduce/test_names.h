#pragma once
// What an exported test is called: by operator, implementation and what is checked.

#include <string>

#include "reproduce/reproduction.h"

namespace indexfuzz {

/// An identifier of at most 100 characters: "test_index_select_aten_cpu_wrong_elements".
std::string pytest_name(const Reproduction& reproduction);

/// Identifiers without underscores, as GoogleTest wants them.
struct GtestName {
  std::string suite;  ///< "IndexSelectWithOut"
  std::string test;   ///< "AtenCpuWrongElements"
};
GtestName gtest_name(const Reproduction& reproduction);

}  // namespace indexfuzz
