#include "campaign/store/coverage_corpus.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "campaign/store/bounded_read.h"
#include "campaign/store/folder_entries.h"
#include "case/bytes.h"
#include "draw/input.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 64 << 10;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return {};
  std::vector<fs::path> files = entries_of(folder);
  std::erase_if(files, [](const fs::path& file) { return file.extension() != ".case"; });
  return files;
}

}  // namespace

CoverageCorpus::CoverageCorpus(SharedMemory& memory, std::span<const Target> targets,
                               const Limits& limits)
    : memory_(memory), limits_(limits) {
  for (const Target& target : targets) counts_[target.op] = 0;
}

std::uint64_t CoverageCorpus::count(std::uint16_t op) const {
  const auto found = counts_.find(op);
  return found == counts_.end() ? 0 : found->second;
}

/// Adds a case to the pool; none if it is there already, if its operator is not drawn or has
/// kMostCases, or if the pool is full.
std::optional<CoverageCorpus::Input> CoverageCorpus::take(const Case& c) {
  const auto count = counts_.find(c.op);
  if (count == counts_.end() || count->second == kMostCases) return std::nullopt;
  std::byte encoded[kEncodedBytes];
  const std::size_t size = encode_short(c, encoded);
  const std::uint64_t name = XXH3_64bits(encoded, size);
  const std::uint32_t entry = pooled_.count;
  if (names_.contains(name) || !add_to_pool(memory_.pool, pooled_, c.op, {encoded, size}))
    return std::nullopt;
  names_.insert(name);
  ++count->second;
  return Input{name, entry};
}

bool CoverageCorpus::is_deadly(std::uint32_t entry) const {
  return memory_.pool.entries[entry].deadly.load(std::memory_order_relaxed) != 0;
}

void CoverageCorpus::load(const fs::path& folder, Folder whose) {
  for (const auto& [op, count] : counts_) {
    for (const fs::path& file : files_below(folder / find_operator(op)->name)) {
      const std::string text = read_bounded(file, kMostBytes, Links::kRefuse).text;
      Case c;
      const bool reads = read_input(std::as_bytes(std::span(text)), limits_, c) && c.op == op;
      if (!reads) {
        ++set_aside_;
        continue;
      }
      c.environment = {};
      const auto taken = take(c);
      if (taken && whose == Folder::kOwn) files_.push_back({taken->entry, file});
    }
  }
}

void CoverageCorpus::collect(Slot& slot) {
  // A kernel may write over their number while they are taken.
  for (std::uint64_t i = 0; i < kFoundCases; ++i) {
    const auto bytes = next_found(slot.found);
    if (bytes.empty()) return;
    Case c;
    // A kernel may have written over it.
    if (read_input(bytes, limits_, c)) {
      c.environment = {};
      if (const auto taken = take(c)) {
        ++found_;
        unsaved_.emplace_back(*taken, c);
      }
    }
    drop_found(slot.found);
  }
}

void CoverageCorpus::set_deadly_apart(Store& store) {
  std::erase_if(files_, [&](const File& file) {
    if (!is_deadly(file.entry)) return false;
    store.quarantine(file.path);
    return true;
  });
}

void CoverageCorpus::save(Store& store, std::size_t most) {
  set_deadly_apart(store);
  for (; most > 0 && !unsaved_.empty() && store.trouble().empty(); --most) {
    const auto& [input, c] = unsaved_.front();
    const std::string op(operator_of(c).name);
    const std::string name = fmt::format("{:016x}.case", input.name);
    // Flushing each takes milliseconds; a file torn by a power cut is set aside when it is read.
    if (!is_deadly(input.entry) && store.save_corpus(op, name, to_text(c), Flush::kLater))
      files_.push_back({input.entry, store.corpus(op) / name});
    unsaved_.pop_front();
  }
}

}  // namespace indexfuzz
