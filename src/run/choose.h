#pragma once
// Which implementations run a case of a campaign.

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

#include "run/session.h"

namespace indexfuzz {

using Chosen = boost::container::static_vector<std::size_t, kMaxImplementations>;

/// Where an implementation's operands lie.
enum class Where : std::uint8_t { kHost, kDevice };

/// Those there that have the form, are not known to refuse these dtypes and have not failed on the
/// like; the others are counted. `key`: support_key of the case.
void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key, Where where,
            Chosen& chosen);

/// Whether someone on the CPU has the case's form and is not known to refuse these dtypes.
bool is_taken(Session& session, const Case& c);

/// Learns from a call of a legal case which dtypes an implementation supports.
void note_support(Session& session, std::size_t implementation, std::uint64_t key, Outcome outcome,
                  Status status);

}  // namespace indexfuzz
