#pragma once
// Reads files of unknown origin: whatever lies under a name, reading it neither blocks nor goes on
// without end, and follows a link only if asked to.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace indexfuzz {

/// Why a file is not read, or nothing is made of it.
enum class Unread : std::uint8_t {
  kNothing,  ///< it is read
  kMissing,
  kLink,
  kFifo,
  kSocket,
  kDevice,
  kFolder,
  kLarge,       ///< larger than the limit; a sparse file counts as what it seems to be
  kUnreadable,  ///< it cannot be opened or read
  // The following are never of read_bounded(), but of those who look for files or parse them.
  kDamaged,  ///< its text is not what it should be
  kDeep,     ///< nested too deep in folders
};

struct BoundedText {
  std::string text;
  Unread unread = Unread::kNothing;
  /// Follows its name: "is a FIFO, not a file", "does not exist"; empty if it is read.
  std::string why;

  bool is_read() const { return unread == Unread::kNothing; }
};

enum class Links : std::uint8_t { kFollow, kRefuse };

/// Reads a regular file of at most `limit` bytes. `links` applies to the last component of the name
/// only. `at`: the open descriptor of the folder that the name is relative to.
BoundedText read_bounded(const std::filesystem::path& file, std::size_t limit, Links links);
BoundedText read_bounded_at(int at, const char* name, std::size_t limit, Links links);

}  // namespace indexfuzz
