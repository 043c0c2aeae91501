#include "found.h"

#include "each.cuh"

namespace kernels {

LaunchError launch(const PickArgs& args, std::int64_t count, Stream stream) {
  return with_body(args, OnDevice{count, stream});
}

LaunchError launch(const ScatterArgs& args, std::int64_t count, Stream stream) {
  return with_body(args, OnDevice{count, stream});
}

LaunchError launch(const Coordinates& body, std::int64_t count, Stream stream) {
  return with_body(body, OnDevice{count, stream});
}

}  // namespace kernels
