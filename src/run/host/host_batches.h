#pragma once
// The cases of a campaign on the implementations on the CPU, whichever engine draws them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "run/coverage/call_outcome.h"
#include "run/host/batch_end.h"
#include "run/host/host_call.h"
#include "run/session/choose.h"
#include "run/session/runnable.h"
#include "run/session/session.h"

namespace indexfuzz {

/// Runs cases in the order of their numbers, and looks at the end of each batch for what a single
/// call does not show.
class HostBatches {
 public:
  /// Gives a case of the current batch again; false if it is no longer known.
  using GetCase = std::function<bool(std::uint64_t number, Case& c)>;

  /// For a job that can give its last `turn` cases again.
  explicit HostBatches(Session& session, GetCase get, std::uint64_t turn = kLeakTurn);

  /// The number of the current batch's first case.
  std::uint64_t first() const { return first_; }

  /// Runs case `number` on every implementation on the CPU that choose() selects, judges and
  /// counts. Hands a new failure to the supervisor and waits for it. If a call finds no memory
  /// left, the session is spent. What it returns is valid until the next call.
  const CallOutcomes& run(std::uint64_t number, const Case& drawn);

  /// Checks the cases of the batch, up to `end`, for stray writes, changed state, results that
  /// change, and leaks. The next batch begins at `end`.
  void end_batch(std::uint64_t end);
  /// As end_batch(), when no case follows. After a lack of memory it looks for the case whose
  /// kernel keeps memory instead, and reports the call that found none left if there is none.
  void end_last_batch(std::uint64_t end);

 private:
  /// A case on its way through the implementations.
  struct Running {
    std::uint64_t number, key;  ///< its support_key
    const Case* named;          ///< as drawn; breaks = 0 if the rule does not apply to it
    const Case* applied;        ///< what is laid out
    bool illegal;
  };
  /// A call that found no memory left. Other calls may have used it up.
  struct Lack {
    Case c;
    std::uint64_t number;
    std::size_t implementation;
    Verdict verdict;
  };

  Running made_runnable(std::uint64_t number, std::uint64_t key, const Case& drawn);
  void call_chosen(const Running& running, const Chosen& chosen);
  Verdict call_in_known_state(const Running& running, std::size_t implementation, const Plan& plan,
                              Inputs inputs);
  void note(const Running& running, std::size_t implementation, const Verdict& verdict);

  Session& session_;
  GetCase get_;
  LeakWatch leaks_;
  std::uint64_t first_;
  RunnableCase broken_;  ///< room for an illegal case
  CallOutcomes outcomes_;
  std::optional<Lack> lack_;
};

}  // namespace indexfuzz
