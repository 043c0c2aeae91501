#pragma once
// The suspects of a campaign: they wait in a line and are examined one after another.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "campaign/examine/finder.h"
#include "campaign/examine/finding_publisher.h"
#include "campaign/examine/operators_aside.h"

namespace indexfuzz {

/// Holds the suspects that wait, and those under examination, so that an error loses none of them:
/// whoever catches it calls abandon_all().
class ExaminationQueue {
 public:
  struct Tools {
    const Hello& hello;
    Workers& workers;
    Finder& finder;
    FindingPublisher& publisher;
    Store& store;
    Runner* on_gpus;  ///< null if there is no GPU
  };
  /// All are borrowed; `memory` is what the workers share.
  ExaminationQueue(Tools tools, SharedMemory& memory)
      : tools_(std::move(tools)), operators_aside_(memory) {}

  /// Sets aside the operators that a batch has called: no worker runs them on the GPU until the
  /// batch is examined or abandoned. False, with nothing set aside, if no operator would be left to
  /// run; else the batch's worker may go on with the others.
  bool set_aside(const Suspect& batch) {
    return operators_aside_.add(batch, tools_.workers.plan());
  }

  /// Puts a suspect into the line: one that the finder has noted, or a batch. See line_up().
  void add(Suspect suspect);
  std::size_t waiting() const { return line_.size(); }
  /// Takes the next suspect to be examined out of the line; none if none waits.
  std::optional<Suspect> take_next();
  /// Examines a suspect, and stores the finding that it turns out to be. Of batches that ended
  /// together, examines all, and resumes the workers of the others if these wait. Returns the
  /// number of the case with which the suspect's worker goes on if it has died. Throws
  /// StorageError, and what ZygoteClient::receive() throws.
  std::uint64_t examine(const Suspect& suspect);
  /// For a suspect that was taken from the line and will not be examined: logs it, and lets workers
  /// report similar failures again. Throws StorageError.
  void abandon(const Suspect& suspect);
  /// As abandon(), for all that wait and those whose examination an error has ended.
  void abandon_all();

  /// CampaignStatus::examined: how the signature of what is examined will begin; empty: nothing is.
  const std::string& examined() const { return examined_; }
  /// The number of batches that broke a GPU, though no single case of them does.
  std::uint64_t unlocated() const { return unlocated_; }

 private:
  std::vector<Suspect> take_fault(const Suspect& noticed);
  void abandon_current();
  std::uint64_t locate_and_examine(const Suspect& noticed);
  void let_wait(Suspect located);
  void save_finding_of(const Suspect& suspect);

  Tools tools_;
  OperatorsAside operators_aside_;
  std::deque<Suspect> line_;
  std::vector<Suspect> current_;  ///< under examination: one, or batches that ended together
  std::uint64_t unlocated_ = 0;
  std::string examined_;
};

}  // namespace indexfuzz
