#pragma once
// Reading files that somebody else has written: whatever lies under a name, no reader waits,
// follows or swallows it without end.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace indexfuzz {

/// Why a file is not read.
enum class Unread : std::uint8_t {
  kNothing,  ///< it is read
  kMissing,
  kLink,
  kFifo,
  kSocket,
  kDevice,
  kFolder,
  kLarge,    ///< larger than the limit; a sparse file counts as what it seems to be
  kRefused,  ///< it cannot be opened or read
};

struct BoundedText {
  std::string text;
  Unread unread = Unread::kNothing;
  std::string
      why;  ///< behind its name: "is a FIFO, not a file", "does not exist"; empty: it is read
};

enum class Links : std::uint8_t { kFollow, kRefuse };

/// Reads a regular file of at most `limit` bytes. `links` is about the last part of the name alone.
/// With a folder `at`, an open descriptor, the name is relative to it.
BoundedText read_bounded(const std::filesystem::path& file, std::size_t limit, Links links);
BoundedText read_bounded_at(int at, const char* name, std::size_t limit, Links links);

}  // namespace indexfuzz
