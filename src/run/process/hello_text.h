#pragma once
// What a zygote says about itself: the JSON in SharedMemory::hello.

#include <memory>
#include <string>
#include <vector>

#include "ops/definition/operator.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// The outcome of a zygote's set-up.
struct ZygoteSetUp {
  std::vector<Implementation> implementations;
  std::unique_ptr<const Contract> contract;    ///< of the custom ones; null: none
  std::vector<const OperatorInfo*> operators;  ///< asked for
  /// For each kernel that is not run, a sentence without a full stop.
  std::vector<std::string> left_out;
  std::vector<std::string> notes;  ///< likewise, for what a library does as it is loaded
  std::string error;               ///< empty, or the sentence that says why it cannot serve
  bool device_missing = false;
  std::vector<std::string> gpus;  ///< the names of the GPUs that CUDA shows
  std::string no_gpu;             ///< why no GPU is used, if one may be needed
};

/// The JSON text of SharedMemory::hello, as parse_hello() reads it.
std::string hello_text(const ZygoteSetUp& set_up);

}  // namespace indexfuzz
