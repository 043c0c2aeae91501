#include "masked_scatter.h"

#include "selected.cuh"

namespace planted_cuda {
namespace {

template <class Rank>
struct TakeNext {
  View to, from;
  __device__ void operator()(int64_t number, int64_t rank) const {
    move(element_of(to, number), element_of(from, static_cast<Rank>(rank)), to.item);
  }
};

}  // namespace

void launch_count(const MaskedScatterCall& call, cudaStream_t stream) {
  launch_begins(count_of(call.mask), MaskIsSet{call.mask}, call.begins, true, stream);
}

void launch_masked_scatter(MaskedScatter make, const MaskedScatterCall& call, cudaStream_t stream) {
  const int64_t n = count_of(call.mask);
  const MaskIsSet selects{call.mask};
  switch (make) {
    case MaskedScatter::kReference:
      return launch_each_selected(n, selects, call.begins, TakeNext<int64_t>{call.to, call.from},
                                  stream);
    case MaskedScatter::kRankInByte:
      return launch_each_selected(n, selects, call.begins, TakeNext<uint8_t>{call.to, call.from},
                                  stream);
  }
}

}  // namespace planted_cuda
