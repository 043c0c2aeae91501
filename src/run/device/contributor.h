#pragma once
// One of several right values of an element; nvcc reads this too.

#include <cstdint>

namespace indexfuzz {

struct Contributor {
  std::int64_t element = 0;      ///< logical row-major index
  unsigned char value[16] = {};  ///< as many bytes of it as the element has
};

}  // namespace indexfuzz
