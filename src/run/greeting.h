#pragma once
// What a zygote says of itself: the JSON of SharedMemory::hello.

#include <string>
#include <vector>

#include "ops/operator.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// What a zygote has made ready.
struct SetUp {
  std::vector<Implementation> implementations;
  std::vector<const OperatorInfo*> operators;  ///< asked for
  /// For each kernel of a namespace that cannot be run, a sentence without a full stop.
  std::vector<std::string> left_out;
  std::vector<std::string> notes;  ///< of libraries, the same
  std::string error;               ///< empty, or the sentence with which it cannot serve
  bool device_missing = false;
  std::vector<std::string> gpus;  ///< the names of those that CUDA shows
  std::string no_gpu;             ///< why none is used, where that was asked
};

std::string greeting(const SetUp& set_up);

}  // namespace indexfuzz
