#include "add.h"

#include "each.cuh"

namespace kernels {

LaunchError launch(const AddArgs& args, std::int64_t count, Stream stream) {
  return with_number(args.number, [&](auto element) {
    return OnDevice{count, stream}(Add<decltype(element), false>{args});
  });
}

LaunchError launch_in_order(const AddArgs& args, Order order, Stream stream) {
  return with_body(args, [&](const auto& body) {
    return OnDevice{order.count, stream}(InOrder<decltype(body)>{body, order});
  });
}

}  // namespace kernels
