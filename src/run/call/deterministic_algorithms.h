#pragma once

#include <ATen/Context.h>

namespace indexfuzz {

/// PyTorch's flag: on as long as this lives, where that is asked for; then as it was before.
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
