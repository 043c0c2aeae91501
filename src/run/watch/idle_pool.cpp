// at::set_num_threads also gives XNNPACK a pool of as many threads, which spin for some 40 ms
// before they sleep: each worker that begins with four threads kept three cores busy with nothing.
// No indexing operator uses that pool, so it gets no thread beside its caller. Shared libraries
// find this function of the program before LibTorch's own.

#include <dlfcn.h>

#include <cstddef>

struct pthreadpool;

extern "C" pthreadpool* pthreadpool_create(std::size_t) {
  using Create = pthreadpool* (*)(std::size_t);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthreadpool_create"));
  return create == nullptr ? nullptr : create(1);
}
