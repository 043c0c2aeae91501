#pragma once
// A campaign's loop without a supervisor, as benchmarks run it.

#include <cstdint>
#include <thread>
#include <vector>

#include "draw/draw.h"
#include "run/session/session.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// The memory that a worker shares with its supervisor, of one slot, and with children of this
/// process.
class WorkerMemory {
 public:
  WorkerMemory();
  WorkerMemory(const WorkerMemory&) = delete;
  WorkerMemory& operator=(const WorkerMemory&) = delete;
  ~WorkerMemory();

  SharedMemory& shared() const { return *shared_; }
  Slot& slot() const { return *slot_; }

 private:
  SharedMemory* shared_;
  Slot* slot_;
};

/// What stands in for the supervisor: takes note of every new failure, so that the campaign goes
/// on.
class CampaignSetting {
 public:
  CampaignSetting(std::vector<Implementation> tested, const WorkerMemory& memory);

  /// Says which operators' cases are drawn next.
  void aim_at(const std::vector<const OperatorInfo*>& rows);
  /// Cases of the first implementation that judged an element or demanded a refusal.
  std::uint64_t judged() const;

  std::vector<Implementation> implementations;
  SharedMemory* memory;
  Slot* slot;

 private:
  void acknowledge_failures(std::stop_token stop);

  std::jthread supervisor_;
};

}  // namespace indexfuzz
