#include "run/session/report.h"

#include <unistd.h>

#include <string_view>

#include "case/strings/printable.h"
#include "judge/signature.h"
#include "run/session/mix.h"
#include "run/session/narrowing.h"

namespace indexfuzz {

namespace {

void note_refusal(Slot::Refusal& refusal, std::string_view message) {
  if (message.empty() || refusal.said.load(std::memory_order_relaxed) != 0) return;
  beginning(message, sizeof refusal.text - 1).copy(refusal.text, sizeof refusal.text - 1);
  refusal.said.store(1, std::memory_order_release);
}

bool parent_lives(const Session& session) {
  return getppid() == session.parent;
}

}  // namespace

bool must_end(const Session& session) {
  return session.slot.stop.load(std::memory_order_relaxed) != 0 || !parent_lives(session);
}

Tally& tally_of(Session& session, std::size_t implementation, const Case& c) {
  return session.slot.tallies[implementation][place_of(c.op)];
}

void tally(Session& session, std::size_t implementation, const Verdict& verdict, const Case& named,
           bool illegal) {
  Tally& counters = tally_of(session, implementation, named);
  const auto note_taken = [&] {
    // Most kernels take every case: nothing is noted before the first refusal.
    if (counters.narrowed.load(std::memory_order_relaxed) > 0)
      note_legal_call(session.slot, implementation, named, false);
  };
  count(counter_of(counters, verdict.status, illegal));
  switch (verdict.status) {
    case Status::kAgreed:
      if (!illegal) note_taken();
      if (!illegal && session.implementations[implementation].contract != nullptr)
        note_held(session.slot, implementation, named);
      break;
    case Status::kVacuous:
      if (!illegal) note_taken();
      break;
    case Status::kRefused:
      count(counters.narrowed);
      note_refusal(session.slot.refusals[implementation], verdict.message.data());
      note_legal_call(session.slot, implementation, named, true);
      break;
    case Status::kUnsupported: break;
    case Status::kFinding:
      if (!illegal) note_taken();
      break;
  }
}

void report(Session& session, const Case& named, std::uint64_t number, std::size_t implementation,
            const Verdict& verdict) {
  const std::uint64_t key =
      shrink_key(named, verdict, session.implementations[implementation].name);
  if (is_silenced(session.memory.silenced, key, named)) return;
  session.slot.pending = {number, static_cast<std::uint32_t>(implementation), verdict};
  session.slot.waiting.store(1, std::memory_order_release);
  // Also after a stop: the next failure would overwrite this one.
  while (session.slot.waiting.load(std::memory_order_acquire) != 0 && parent_lives(session))
    usleep(200);
}

}  // namespace indexfuzz
