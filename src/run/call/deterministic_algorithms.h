#pragma once

#include <ATen/Context.h>

namespace indexfuzz {

/// Turns PyTorch's deterministic flag on, if asked, and puts it back when this is destroyed.
class DeterministicAlgorithms {
 public:
  explicit DeterministicAlgorithms(bool asked)
      : turns_on_(asked && !at::globalContext().deterministicAlgorithms()) {
    if (turns_on_) at::globalContext().setDeterministicAlgorithms(true, false);
  }
  DeterministicAlgorithms(const DeterministicAlgorithms&) = delete;
  DeterministicAlgorithms& operator=(const DeterministicAlgorithms&) = delete;
  ~DeterministicAlgorithms() {
    if (turns_on_) at::globalContext().setDeterministicAlgorithms(false, false);
  }

 private:
  bool turns_on_;
};

}  // namespace indexfuzz
