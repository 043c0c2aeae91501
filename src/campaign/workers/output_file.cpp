#include "campaign/workers/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace indexfuzz {

int make_output_file() {
  const int fd = memfd_create("indexfuzz-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  // Where the system limits files to fewer bytes, that limit stands in for the seal.
  if (ftruncate(fd, kOutputBytes) == 0) fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
  return fd;
}

}  // namespace indexfuzz
