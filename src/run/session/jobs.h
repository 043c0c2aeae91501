#pragma once
// The jobs of a worker.

#include "run/session/session.h"

namespace indexfuzz {

/// Job::Type::kCampaign: draws and judges cases until the end, `stop` or the death of the parent.
void run_campaign(Session& session);

/// Job::Type::kCoverage: as run_campaign(), with cases of one operator that libFuzzer chooses. Ends
/// the process; returns at once if there is no libFuzzer or no target.
void run_coverage(Session& session);
/// Whether libFuzzer was linked into this program.
bool has_libfuzzer();

/// Job::Type::kRun: judges the encoded cases in order. Every case after the lead gives one result
/// per implementation asked for; one that lacks the case's form gives kUnsupported.
void run_cases(Session& session);

/// Job::Type::kTryGpu: lets the implementation's GPU allocate memory and do some work. Ends the
/// process if that fails.
void try_gpu(Session& session);

}  // namespace indexfuzz
