#pragma once
// Which implementations run a case of a campaign.

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

#include "run/coverage/taken.h"
#include "run/narrowing.h"
#include "run/session.h"

namespace indexfuzz {

using Chosen = boost::container::static_vector<std::size_t, kMaxImplementations>;

/// Where an implementation's operands lie.
enum class Where : std::uint8_t { kHost, kDevice };

/// Fills `chosen` with the implementations at `where` that have the case's form and are to run it.
/// Left out and counted are those that are known not to support its dtypes, to refuse similar
/// cases, or to fail on similar ones. `key`: support_key of the case.
void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key, Where where,
            Chosen& chosen);

/// Whether an implementation on a GPU has the case's form and, as far as `known` tells, does not
/// refuse similar cases. For any thread.
bool is_wanted_on_devices(const Session& session, const Narrowings& known, std::uint64_t number,
                          const Case& c);
/// Counts the case as passed over for every implementation on a GPU; for a case that none wanted.
void count_unwanted(Session& session, std::uint64_t number, const Case& c);

/// Whether an implementation on the CPU has the case's form, is not known to refuse it, and is not
/// kept from it for now.
Taken who_takes(Session& session, const Case& c);

/// Learns from a call of a legal case which dtypes an implementation supports.
void note_support(Session& session, std::size_t implementation, std::uint64_t key, Outcome outcome,
                  Status status);
/// Counts an illegal case on which an implementation is not called, since it did not accept the
/// legal base: it lacks the dtype, or narrows itself.
void note_refused_base(Session& session, std::size_t implementation, const Case& named,
                       std::uint64_t key, Outcome outcome);

}  // namespace indexfuzz
