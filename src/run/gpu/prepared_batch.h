#pragma once
// The next cases of a campaign, drawn, computed and laid out for GPUs before they are called.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "run/gpu/laid_out.h"
#include "run/session/mix.h"
#include "run/session/runnable.h"
#include "run/shared/job.h"

namespace indexfuzz {

/// A case, and what a call of it on a GPU needs. Points into itself and must stay where it is.
struct PreparedCase {
  std::uint64_t number = 0;
  Case drawn;
  std::uint64_t key = 0;      ///< support_key(drawn)
  bool is_wanted = false;     ///< by an implementation on a GPU; else nothing more is prepared
  bool is_illegal = false;    ///< then `broken` holds it with its rule applied
  bool is_fatal = false;      ///< its call would end the GPU's context: it is not called there
  bool is_too_large = false;  ///< for a GPU's buffers
  RunnableCase broken;        ///< if `drawn` breaks a rule
  Case base;                  ///< the legal base of an illegal case, if that was asked for
  std::size_t staging = 0;    ///< the following lie in this one of PreparedBatch::stagings
  LaidOut applied, legal_base;
  CaseMix mix;

  const Case& named() const { return drawn.breaks == 0 ? drawn : broken.named; }
};

struct PreparedBatch {
  std::vector<PreparedCase> cases;
  std::size_t count = 0;  ///< how many of them are in use
  std::vector<std::unique_ptr<Staging>> stagings;
  double seconds = 0;  ///< that it took to prepare
};

/// What to prepare of a batch.
struct Preparation {
  bool with_bases = false;  ///< also the legal bases of illegal cases
  /// Called on any thread.
  std::function<bool(std::uint64_t number, const Case& c)> is_wanted =
      [](std::uint64_t, const Case&) { return true; };
};

/// Prepares the cases [first, end) of a campaign. Reuses what earlier batches have allocated.
void prepare_batch(const Job& job, std::uint64_t first, std::uint64_t end,
                   const Preparation& preparation, Arena& arena, PreparedBatch& batch);

}  // namespace indexfuzz
