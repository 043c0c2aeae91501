#pragma once
// Where the basic blocks of an x86-64 function begin.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace indexfuzz {

/// Owns a disassembler.
class BlockFinder {
 public:
  BlockFinder();
  BlockFinder(const BlockFinder&) = delete;
  BlockFinder& operator=(const BlockFinder&) = delete;
  ~BlockFinder();

  /// Returns the ascending offsets in `code`, a whole function, at which basic blocks begin:
  /// - its entry and the targets of its direct jumps;
  /// - what follows a conditional jump;
  /// - what follows an unconditional jump or a return and is not padding: a landing pad, or the
  ///   target of a jump table.
  /// Each is the first byte of an instruction that control enters only from outside its block. A
  /// call ends no block. Left out are blocks that begin with an int3, and targets of a jump table
  /// that the code before them also runs into.
  /// Empty if the function cannot be disassembled to its last byte or jumps into the middle of one
  /// of its instructions: then no offset can be trusted.
  std::vector<std::uint32_t> find(std::span<const std::uint8_t> code);

 private:
  struct Engine;
  Engine* engine_;
};

}  // namespace indexfuzz
