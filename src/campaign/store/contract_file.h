#pragma once
// A contract (case/contract.h) as a user keeps it.

#include <filesystem>
#include <string>
#include <vector>

#include "case/contract.h"

namespace indexfuzz {

struct ContractFile {
  std::string text;  ///< as it was read, for the workers, which read it again
  Contract contract;
};

/// Reads a contract about the arguments of these operators (of all, if none are named). Throws
/// SetupError: what was found where, and what was expected.
ContractFile read_contract(const std::filesystem::path& file,
                           const std::vector<std::string>& operators);

}  // namespace indexfuzz
