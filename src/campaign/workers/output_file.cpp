#include "campaign/workers/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace indexfuzz {

int make_output_file() {
  const int fd = memfd_create("indexfuzz-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  // Where the system limits files to fewer bytes, that limit stands in for the seal.
  if (ftruncate(fd, kOutputBytes) == 0) fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
  return fd;
}

std::string end_of_output(int file, std::size_t most) {
  // The programs share the offset, so that it stands behind what was written.
  const off_t written = std::max<off_t>(lseek(file, 0, SEEK_CUR), 0);
  const off_t length = std::min(written, static_cast<off_t>(most));
  std::string text(static_cast<std::size_t>(length), '\0');
  const ssize_t size = pread(file, text.data(), text.size(), written - length);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace indexfuzz
