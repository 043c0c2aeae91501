#include "run/host/returned.h"

#include <algorithm>

#include "case/strided_copy.h"
#include "judge/fresh_result.h"

namespace indexfuzz {

void keep_returned(const Observation& observation, ReturnedElements& returned) {
  returned.bytes = 0;
  if (observation.outcome != Outcome::kReturned) return;
  const ReturnedTensor& tensor =
      observation.written.defined ? observation.written : observation.result;
  if (!tensor.defined || !tensor.on_device || !tensor.dtype_known) return;
  if (tensor.rank != rank(tensor.shape) || !lies_within_storage(tensor)) return;
  const std::size_t size = item_size(tensor.dtype);
  const auto count = static_cast<std::size_t>(numel(tensor.shape));
  if (count > kReturnedBytes / size) return;
  returned.dtype = tensor.dtype;
  returned.rank = static_cast<std::uint8_t>(tensor.shape.size());
  std::ranges::copy(tensor.shape, returned.sizes);
  gather_elements(tensor.shape, tensor.strides, size, tensor.data, returned.elements);
  returned.bytes = static_cast<std::uint32_t>(count * size);
}

}  // namespace indexfuzz
