#pragma once
// The jobs of a worker.

#include "run/session.h"

namespace indexfuzz {

/// Job::Type::kCampaign: draws and judges cases until the end, `stop` or the death of the parent.
void run_campaign(Session& session);

/// Job::Type::kCoverage: the same with cases of one operator that libFuzzer chooses. Ends the
/// process; returns at once where there is no libFuzzer.
void run_coverage(Session& session);
/// Whether libFuzzer was linked into this program.
bool has_libfuzzer();

/// Job::Type::kRun: judges the encoded cases in order. Every case gives one result per
/// implementation asked for; one that lacks the case's form is kUnsupported.
void run_cases(Session& session);

/// Job::Type::kTryGpu: has the implementation's GPU give memory and do some work. Ends the process
/// where it does not.
void try_gpu(Session& session);

}  // namespace indexfuzz
