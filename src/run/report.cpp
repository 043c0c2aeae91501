#include "run/report.h"

#include <unistd.h>

#include "judge/signature.h"
#include "run/mix.h"

namespace indexfuzz {

bool must_end(const Session& session) {
  return session.slot.stop.load(std::memory_order_relaxed) != 0 || getppid() != session.parent;
}

Tally& tally_of(Session& session, std::size_t implementation, const Case& c) {
  return session.slot.tallies[implementation][place_of(c.op)];
}

namespace {

void note_traits(std::atomic<std::uint64_t>* words, const Case& c) {
  for (const Trait trait : traits(c)) {
    std::atomic<std::uint64_t>& word = words[trait / 64];
    word.store(word.load(std::memory_order_relaxed) | std::uint64_t{1} << trait % 64,
               std::memory_order_relaxed);
  }
}

}  // namespace

void tally(Tally& counters, const Verdict& verdict, const Case& named, bool illegal) {
  switch (verdict.status) {
    case Status::kAgreed:
      count(illegal ? counters.refused : counters.agreed);
      // Most kernels take all; they pay nothing for those that do not.
      if (!illegal && counters.narrowed.load(std::memory_order_relaxed) > 0)
        note_traits(counters.taken_traits, named);
      break;
    case Status::kVacuous: count(counters.vacuous); break;
    case Status::kRefused:
      count(counters.refused);
      count(counters.narrowed);
      note_traits(counters.refused_traits, named);
      break;
    case Status::kUnsupported: count(counters.unsupported); break;
    case Status::kFinding: count(counters.findings); break;
  }
}

void report(Session& session, const Case& named, std::uint64_t number, std::size_t implementation,
            const Verdict& verdict) {
  const std::uint64_t key =
      shrink_key(named, verdict, session.implementations[implementation].name);
  if (is_known_failure(session.memory, key, traits(named))) return;
  session.slot.pending = {number, static_cast<std::uint32_t>(implementation), verdict};
  session.slot.waiting.store(1, std::memory_order_release);
  while (session.slot.waiting.load(std::memory_order_acquire) != 0 && !must_end(session))
    usleep(200);
}

}  // namespace indexfuzz
