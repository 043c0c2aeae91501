#include "run/native/basic_blocks.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace indexfuzz {

struct BlockFinder::Engine {
  csh handle = 0;
  cs_insn* instruction = nullptr;
};

namespace {

/// How an instruction changes the flow of control.
struct Flow {
  bool falls_through = true;
  bool jumps = false;
  std::optional<std::int64_t> displacement;  ///< of a direct jump, from the next instruction
};

/// Strips the prefixes that compilers put before jumps: bnd, notrack and branch hints.
std::span<const std::uint8_t> without_prefixes(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kPrefixes[] = {0xF2, 0x3E, 0x2E, 0x66};
  while (bytes.size() > 1 && std::ranges::find(kPrefixes, bytes.front()) != std::end(kPrefixes))
    bytes = bytes.subspan(1);
  return bytes;
}

std::int64_t displacement8(std::span<const std::uint8_t> bytes) {
  return static_cast<std::int8_t>(bytes.back());
}
std::int64_t displacement32(std::span<const std::uint8_t> bytes) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + bytes.size() - sizeof value, sizeof value);
  return value;
}

Flow flow_of(const cs_insn& instruction) {
  const auto bytes = without_prefixes({instruction.bytes, instruction.size});
  switch (instruction.id) {
    case X86_INS_RET:
    case X86_INS_RETF:
    case X86_INS_UD2:
    case X86_INS_HLT:
    case X86_INS_INT3: return {false, false, {}};
    case X86_INS_LJMP: return {false, true, {}};
    case X86_INS_JMP:
      if (bytes.front() == 0xEB) return {false, true, displacement8(bytes)};
      if (bytes.front() == 0xE9) return {false, true, displacement32(bytes)};
      return {false, true, {}};
    default: break;
  }
  if (bytes.front() >= 0x70 && bytes.front() <= 0x7F) return {true, true, displacement8(bytes)};
  if (bytes.front() >= 0xE0 && bytes.front() <= 0xE3) return {true, true, displacement8(bytes)};
  if (bytes.size() == 6 && bytes[0] == 0x0F && bytes[1] >= 0x80 && bytes[1] <= 0x8F)
    return {true, true, displacement32(bytes)};
  return {};
}

}  // namespace

BlockFinder::BlockFinder() : engine_(new Engine) {
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &engine_->handle) != CS_ERR_OK) {
    delete engine_;
    throw std::runtime_error("the disassembler capstone was built without x86");
  }
  engine_->instruction = cs_malloc(engine_->handle);
}

BlockFinder::~BlockFinder() {
  cs_free(engine_->instruction, 1);
  cs_close(&engine_->handle);
  delete engine_;
}

std::vector<std::uint32_t> BlockFinder::find(std::span<const std::uint8_t> code) {
  if (code.empty()) return {};
  std::vector<bool> is_instruction(code.size());
  std::vector<std::uint32_t> starts{0};
  const std::uint8_t* next = code.data();
  std::size_t left = code.size();
  std::uint64_t offset = 0;
  bool begins = false;  // the instruction is entered from elsewhere, unless it is padding
  while (left > 0) {
    const auto begin = static_cast<std::uint32_t>(offset);
    if (!cs_disasm_iter(engine_->handle, &next, &left, &offset, engine_->instruction)) return {};
    const cs_insn& instruction = *engine_->instruction;
    is_instruction[begin] = true;
    const bool padding = instruction.id == X86_INS_NOP || instruction.id == X86_INS_INT3;
    if (begins && !padding) {
      starts.push_back(begin);
      begins = false;
    }
    const Flow flow = flow_of(instruction);
    if (flow.displacement) {
      const std::int64_t target = static_cast<std::int64_t>(offset) + *flow.displacement;
      if (target >= 0 && target < static_cast<std::int64_t>(code.size()))
        starts.push_back(static_cast<std::uint32_t>(target));
    }
    if (flow.jumps || !flow.falls_through) begins = true;
  }
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const bool trusted =
      std::ranges::all_of(starts, [&](std::uint32_t s) { return is_instruction[s]; });
  // An int3 of the code's own leaves no place for a trap.
  std::erase_if(starts, [&](std::uint32_t s) { return code[s] == 0xCC; });
  return trusted ? starts : std::vector<std::uint32_t>{};
}

}  // namespace indexfuzz
