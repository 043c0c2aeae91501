#include "run/call/support_table.h"

#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

}  // namespace

std::uint64_t support_key(const Case& c) {
  std::uint64_t key =
      mix(c.op, std::uint64_t{c.overload} << 8 | static_cast<std::uint64_t>(c.variant));
  for (const Operand& operand : c.operands) {
    const std::uint64_t host = operand.on_host ? 256 : 0;
    key = mix(key, operand.present ? static_cast<std::uint64_t>(operand.dtype) + 1 + host : 0);
  }
  if (c.gpu.deterministic) key = mix(key, 2);
  const auto attributes = overload_of(c).attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const AttributeType type = attributes[i].type;
    if (type == AttributeType::kBool || is_choice(type))
      key = mix(key, static_cast<std::uint64_t>(c.attributes[i]));
  }
  return key == 0 ? 1 : key;
}

SupportTable::Entry* SupportTable::find(std::uint64_t key) {
  std::size_t i = home_of(key);
  while (entries()[i].key != 0 && entries()[i].key != key) i = (i + 1) & (kEntries - 1);
  return entries() + i;
}

bool SupportTable::should_skip(std::uint64_t key) {
  if (!taken_[home_of(key)]) return false;
  Entry* const entry = find(key);
  if (entry->key == 0 || entry->mixed) return false;
  return ++entry->skipped % 64 != 0;
}

void SupportTable::note_unsupported(std::uint64_t key) {
  if (!memory_) memory_.emplace(static_cast<std::int64_t>(kEntries * sizeof(Entry)));
  Entry* const entry = find(key);
  if (entry->key != 0 || taken_.count() == kEntries / 2) return;
  entry->key = key;
  taken_.set(static_cast<std::size_t>(entry - entries()));
}

void SupportTable::note_supported(std::uint64_t key) {
  if (!taken_[home_of(key)]) return;
  Entry* const entry = find(key);
  if (entry->key != 0) entry->mixed = true;
}

}  // namespace indexfuzz
