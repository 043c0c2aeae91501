#pragma once
// How a command can fail for reasons that are not findings.

#include <exception>
#include <stdexcept>
#include <string>

namespace indexfuzz {

/// Usage or set-up: ends the command with exit code 1. The text is one whole sentence.
struct SetupError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A GPU that was asked for is missing or was lost: exit code 69.
struct DeviceMissing : SetupError {
  using SetupError::SetupError;
};

/// A finding or a report could not be stored: exit code 75.
struct StorageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user wants the command to end: exit code 72.
struct Interruption : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace indexfuzz
