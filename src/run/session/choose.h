#pragma once
// Which implementations run a case of a campaign.

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

#include "run/coverage/taken.h"
#include "run/session/narrowing.h"
#include "run/session/session.h"

namespace indexfuzz {

using Chosen = boost::container::static_vector<std::size_t, kMaxImplementations>;

/// Where an implementation's operands lie.
enum class Where : std::uint8_t { kHost, kDevice };

/// Fills `chosen` with the implementations at `where` that are to run the case. Of those that have
/// its form, the others are counted (Tally): as unsupported, passed over or steered. Not counted
/// are those that are not asked for it (is_asked(), Implementation::one_in). `key`: support_key of
/// the case.
void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key, Where where,
            Chosen& chosen);

/// Whether any implementation on a GPU has the case's form and, as far as `known` tells, does not
/// pass the case over. For any thread.
bool is_wanted_on_devices(const Session& session, const Narrowings& known, std::uint64_t number,
                          const Case& c);
/// Counts the case as passed over for every implementation on a GPU that is asked for it. For a
/// case for which is_wanted_on_devices() was false.
void count_unwanted(Session& session, std::uint64_t number, const Case& c);

/// Whether an implementation on the CPU would run the case: it has its form, supports its dtypes
/// and narrows itself by none of its traits, as far as is known. kLater: only ones would that
/// steering keeps from it for now.
Taken who_takes(Session& session, const Case& c);

/// Learns from a call of a legal case which dtypes an implementation supports.
void note_support(Session& session, std::size_t implementation, std::uint64_t key, Outcome outcome,
                  Status status);
/// Counts an illegal case on which an implementation is not called, since it refused the legal
/// base: as unsupported by its dtypes, or as narrowed.
void note_refused_base(Session& session, std::size_t implementation, const Case& named,
                       std::uint64_t key, Outcome outcome);

}  // namespace indexfuzz
