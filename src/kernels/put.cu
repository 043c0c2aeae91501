#include "put.h"

#include "each.cuh"

namespace kernels {

LaunchError launch(const PutArgs& args, std::int64_t count, Stream stream) {
  return with_body(args, OnDevice{count, stream});
}

LaunchError launch_in_order(const PutArgs& args, Order order, Stream stream) {
  return with_body(args, [&](const auto& body) {
    return OnDevice{order.count, stream}(InOrder<decltype(body)>{body, order});
  });
}

}  // namespace kernels
