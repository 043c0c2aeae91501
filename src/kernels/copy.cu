#include "copy.h"

#include "each.cuh"

namespace kernels {

LaunchError launch(const CopyArgs& args, std::int64_t count, Stream stream) {
  return with_body(args, OnDevice{count, stream});
}

}  // namespace kernels
