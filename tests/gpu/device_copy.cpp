#include "device_copy.h"

#include <algorithm>
#include <numeric>

namespace indexfuzz {

using at::Tensor;

std::vector<int64_t> draw_sizes(Draws& draws, int64_t rank) {
  std::vector<int64_t> sizes(static_cast<size_t>(rank));
  for (int64_t& size : sizes) size = draws.one_in(24) ? 0 : 1 + draws.below(9);
  if (!sizes.empty() && draws.one_in(6)) {
    constexpr int64_t kAround[] = {31, 32, 33, 127, 255, 256, 257, 1025};
    sizes[static_cast<size_t>(draws.below(rank))] = kAround[draws.below(std::size(kAround))];
  }
  return sizes;
}

Tensor draw_tensor(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype, bool expands) {
  std::vector<int64_t> order(sizes.size()), stored(sizes.size()), steps(sizes.size(), 1);
  std::iota(order.begin(), order.end(), 0);
  for (size_t d = order.size(); d-- > 1 && draws.one_in(2);)
    std::swap(order[d], order[static_cast<size_t>(draws.below(static_cast<int64_t>(d) + 1))]);
  std::vector<bool> expanded(sizes.size(), false);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (draws.one_in(4)) steps[d] = 2 + draws.below(2);
    expanded[d] = expands && sizes[d] > 0 && draws.one_in(8);
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dim = static_cast<size_t>(order[d]);
    stored[d] = expanded[dim] ? 1 : sizes[dim] * steps[dim];
  }
  const int64_t offset = draws.one_in(2) ? draws.below(5) : 0;
  const int64_t count = c10::multiply_integers(stored);
  // A sum of a few dozen ones is exact in bfloat16, of larger numbers it need not be.
  const Tensor numbers = at::randint(dtype == at::kBFloat16 ? 2 : 7, {count + offset}, at::kInt);
  Tensor view = numbers.to(dtype).slice(0, offset).view(stored);
  std::vector<int64_t> inverse(order.size());
  for (size_t d = 0; d < order.size(); ++d)
    inverse[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  view = view.permute(inverse);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!expanded[d]) view = view.slice(static_cast<int64_t>(d), 0, std::nullopt, steps[d]);
  return view.expand(sizes);
}

Tensor draw_index(Draws& draws, at::IntArrayRef sizes, int64_t low, int64_t high) {
  Tensor index = draw_tensor(draws, sizes, draws.one_in(3) ? at::kInt : at::kLong, true);
  if (index.numel() == 0) return index;
  // Written through the storage, so that an expanded index stays one.
  Tensor all = at::empty({0}, index.options()).set_(index.storage());
  all.copy_(at::randint(low, high, all.sizes(), all.options()));
  return index;
}

Tensor with_storage_on(const Tensor& tensor, at::Device device) {
  const Tensor bytes = storage_bytes(tensor).to(device, false, true);
  return at::empty({0}, tensor.options().device(device))
      .set_(bytes.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

Tensor storage_bytes(const Tensor& tensor) {
  return at::empty({0}, tensor.options().dtype(at::kByte)).set_(tensor.storage()).cpu();
}

}  // namespace indexfuzz
