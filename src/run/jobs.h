#pragma once
// The jobs of a worker.

#include "run/session.h"

namespace indexfuzz {

/// Job::Type::kCampaign: draws and judges cases until the end, `stop` or the death of the parent.
void run_campaign(Session& session);

/// Job::Type::kRun: judges the encoded cases in order. Every case gives one result per
/// implementation asked for; one that lacks the case's form is kUnsupported.
void run_cases(Session& session);

}  // namespace indexfuzz
