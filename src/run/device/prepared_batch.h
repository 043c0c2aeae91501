#pragma once
// The next cases of a campaign, drawn, computed and laid out for GPUs before anybody calls them.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "run/device/laid_out.h"
#include "run/mix.h"
#include "run/job.h"
#include "run/runnable.h"

namespace indexfuzz {

/// A case, and what a call of it on a GPU needs. Points into itself and must stay where it is.
struct PreparedCase {
  std::uint64_t number = 0;
  Case drawn;
  std::uint64_t key = 0;      ///< support_key(drawn)
  bool is_wanted = false;     ///< by someone on a GPU; nothing else is prepared otherwise
  bool is_illegal = false;    ///< and `broken` holds it with its rule applied
  bool is_fatal = false;      ///< its call would end the GPU's context: it is not called there
  bool is_too_large = false;  ///< for a GPU's buffers
  RunnableCase broken;        ///< where `drawn` breaks a rule
  Case base;                  ///< the legal base of an illegal case, where that was asked for
  std::size_t staging = 0;    ///< of PreparedBatch::stagings: where the following lie
  LaidOut applied, legal_base;
  CaseMix mix;

  const Case& named() const { return drawn.breaks == 0 ? drawn : broken.named; }
};

struct PreparedBatch {
  std::vector<PreparedCase> cases;
  std::size_t count = 0;  ///< of them in use
  std::vector<std::unique_ptr<Staging>> stagings;
  double seconds = 0;  ///< that preparing it took
};

/// What of a batch is to be prepared.
struct Preparation {
  bool with_bases = false;  ///< the legal bases of illegal cases too
  /// Asked by any thread.
  std::function<bool(std::uint64_t number, const Case& c)> is_wanted =
      [](std::uint64_t, const Case&) { return true; };
};

/// Prepares the cases [first, end) of a campaign. Allocates only what earlier batches did not need.
void prepare_batch(const Job& job, std::uint64_t first, std::uint64_t end,
                   const Preparation& preparation, Arena& arena, PreparedBatch& batch);

}  // namespace indexfuzz
