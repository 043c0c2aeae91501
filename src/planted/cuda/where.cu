#include "where.h"

#include "device.cuh"

namespace planted_cuda {
namespace {

__device__ void choose(const WhereCall& call, int64_t number) {
  const Position position = position_of(call.to, number);
  const bool set = *element_at(call.condition, position) != 0;
  move(element_at(call.to, position), element_at(set ? call.self : call.other, position),
       call.to.item);
}

__global__ void choose_elements(int64_t n, WhereCall call) {
  if (thread_number() < n) choose(call, thread_number());
}

__global__ void choose_by_table(int64_t n, const WhereCall* table) {
  if (thread_number() < n) choose(*table, thread_number());
}

}  // namespace

void launch_where(const WhereCall& call, cudaStream_t stream) {
  launch(choose_elements, count_of(call.to), stream, call);
}

void launch_where_by_table(int64_t n, const void* table, cudaStream_t stream) {
  launch(choose_by_table, n, stream, static_cast<const WhereCall*>(table));
}

}  // namespace planted_cuda
