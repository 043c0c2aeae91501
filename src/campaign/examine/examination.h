#pragma once
// The suspects of a campaign: they wait in a line and are examined one after another.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/examine/finder.h"
#include "campaign/examine/finding_publisher.h"

namespace indexfuzz {

class Examination {
 public:
  struct Tools {
    const Hello& hello;
    Workers& workers;
    Finder& finder;
    FindingPublisher& publisher;
    Store& store;
    Runner* on_gpus;                ///< null where there is no GPU
    std::function<bool()> is_over;  ///< nothing is examined any more
  };
  /// All are borrowed.
  explicit Examination(Tools tools) : tools_(std::move(tools)) {}

  void add(Suspect suspect);
  std::size_t waiting() const { return line_.size(); }
  /// The next one to be examined; none where none waits.
  std::optional<Suspect> take_next();
  /// From suspect to stored finding. Returns the case with which the worker goes on if it has died.
  /// Throws StorageError.
  std::uint64_t examine(const Suspect& suspect);
  /// Of one that was taken and will not be examined: it is logged, and the like of it may come
  /// again. Throws StorageError.
  void abandon(const Suspect& suspect);
  /// The same of all that wait, and of the one whose examination an error has ended.
  void abandon_all();

  /// CampaignStatus::examined: what is examined now, as the finding will begin; empty: nothing.
  const std::string& examined() const { return examined_; }
  /// Batches that broke a GPU, of which no case does so alone.
  std::uint64_t unlocated() const { return unlocated_; }

 private:
  std::vector<Suspect> take_fault(const Suspect& noticed);
  std::uint64_t locate_and_examine(const Suspect& noticed);
  void save_finding_of(const Suspect& suspect);

  Tools tools_;
  std::deque<Suspect> line_;
  std::optional<Suspect> current_;  ///< under examination
  std::uint64_t unlocated_ = 0;
  std::string examined_;
};

}  // namespace indexfuzz
