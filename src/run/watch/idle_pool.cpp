// at::set_num_threads also gives XNNPACK a pool of that many threads, which spin for some 40 ms
// before they sleep: a worker that begins with four threads would keep three cores busy for
// nothing. No indexing operator uses that pool, so it gets no thread beside its caller. Shared
// libraries find this function in the program before they find LibTorch's own.

#include <dlfcn.h>

#include <cstddef>

struct pthreadpool;

extern "C" pthreadpool* pthreadpool_create(std::size_t) {
  using Create = pthreadpool* (*)(std::size_t);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthreadpool_create"));
  return create == nullptr ? nullptr : create(1);
}
