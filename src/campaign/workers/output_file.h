#pragma once

#include <cstddef>
#include <string>

namespace indexfuzz {

inline constexpr std::size_t kOutputBytes = 64 << 20;

/// A file in memory for what a program prints: it holds 64 MiB, or as much as the process may write
/// into a file if that is less, and takes no memory before it is written. A write beyond its end
/// fails. It may seem to be as large from the beginning; its offset tells how much was written.
/// Returns a descriptor that is closed on exec; -1, with errno, if the system gives none.
int make_output_file();

/// The last `most` bytes of what programs have written into such a file, or all if it is less.
std::string end_of_output(int file, std::size_t most);

}  // namespace indexfuzz
