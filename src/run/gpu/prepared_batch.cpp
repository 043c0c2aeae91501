#include "run/gpu/prepared_batch.h"

#include <chrono>

#include "draw/draw.h"
#include "ops/definition/illegal_rule.h"
#include "run/call/support_table.h"

namespace indexfuzz {
namespace {

/// Lays the case out after those before it, or in another staging; false if it fits into none.
bool stage(const Case& c, Arena& arena, PreparedBatch& batch, std::size_t& staging, LaidOut& laid) {
  arena.prepare(c);
  if (copy_out(arena, *batch.stagings[staging], laid)) return true;
  if (batch.stagings[staging]->empty()) return false;
  ++staging;
  if (staging == batch.stagings.size()) batch.stagings.push_back(std::make_unique<Staging>());
  batch.stagings[staging]->clear();
  return copy_out(arena, *batch.stagings[staging], laid);
}

void prepare_case(const Job& job, std::uint64_t number, const Preparation& preparation,
                  Arena& arena, PreparedBatch& batch, std::size_t& staging,
                  PreparedCase& prepared) {
  prepared.number = number;
  draw_case(job.seed, job.worker, number, {job.targets, job.target_count}, job.limits,
            prepared.drawn);
  prepared.is_wanted = preparation.is_wanted(number, prepared.drawn);
  prepared.key = support_key(prepared.drawn);
  prepared.is_illegal = prepared.is_fatal = prepared.is_too_large = false;
  if (!prepared.is_wanted) return;
  if (prepared.drawn.breaks != 0) {
    make_runnable(prepared.drawn, prepared.broken);
    prepared.is_illegal = prepared.broken.illegal;
    prepared.is_fatal = prepared.is_illegal && is_illegal_by_value(prepared.broken.applied);
  }
  if (prepared.is_fatal) return;
  const Case& applied = prepared.drawn.breaks == 0 ? prepared.drawn : prepared.broken.applied;
  bool fits = stage(applied, arena, batch, staging, prepared.applied);
  prepared.mix = mix_of(arena, number);
  if (fits && prepared.is_illegal && preparation.with_bases) {
    const std::size_t staging_of_applied = staging;
    prepared.base = prepared.broken.named;
    prepared.base.breaks = 0;
    fits = stage(prepared.base, arena, batch, staging, prepared.legal_base);
    // Both are sent together, so they must lie in one staging.
    if (fits && staging != staging_of_applied) {
      const std::size_t staging_of_base = staging;
      fits = stage(applied, arena, batch, staging, prepared.applied) && staging == staging_of_base;
    }
  }
  prepared.is_too_large = !fits;
  prepared.staging = staging;
}

}  // namespace

void prepare_batch(const Job& job, std::uint64_t first, std::uint64_t end,
                   const Preparation& preparation, Arena& arena, PreparedBatch& batch) {
  const auto start = std::chrono::steady_clock::now();
  batch.count = static_cast<std::size_t>(end - first);
  if (batch.cases.size() < batch.count) batch.cases = std::vector<PreparedCase>(batch.count);
  if (batch.stagings.empty()) batch.stagings.push_back(std::make_unique<Staging>());
  std::size_t staging = 0;
  batch.stagings.front()->clear();
  for (std::uint64_t number = first; number < end; ++number) {
    prepare_case(job, number, preparation, arena, batch, staging,
                 batch.cases[static_cast<std::size_t>(number - first)]);
  }
  batch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace indexfuzz
