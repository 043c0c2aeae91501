#include "select.h"

#include "each.cuh"

namespace kernels {

LaunchError launch(const SelectArgs& args, std::int64_t count, Stream stream) {
  return with_body(args, OnDevice{count, stream});
}

}  // namespace kernels
