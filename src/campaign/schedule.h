#pragma once
// The clock of a campaign: when it stops drawing cases, and until when it looks at failures.

#include <chrono>
#include <optional>

#include "campaign/campaign_options.h"

namespace indexfuzz {

/// Starts and ends nothing itself: a campaign asks it, and tells it what it does. Every `now` is
/// the time of the call.
class Schedule {
 public:
  using Clock = std::chrono::steady_clock;

  /// `options` is borrowed.
  Schedule(const CampaignOptions& options, Clock::time_point began)
      : options_(options), began_(began) {}

  /// The campaign begins only now, after all was made ready.
  void begin(Clock::time_point now) { began_ = now; }
  /// The workers start to draw cases, for the first time or once more.
  void begin_drawing();
  /// The workers are told to stop. `enough`: since there are as many findings as were asked for.
  /// Only the first call after begin_drawing() counts.
  void stop(Clock::time_point now, bool enough);
  /// No worker draws any more. Only the first call after begin_drawing() counts.
  void end_drawing(Clock::time_point now);
  /// Workers that stood still go on, and need as much time to stop as those that did not.
  void renew_patience(Clock::time_point now);

  /// Whether options.time has passed or options.stop_at is reached.
  bool time_is_up(Clock::time_point now) const;
  bool stopped() const { return stopped_.has_value(); }
  bool had_enough() const { return had_enough_; }
  /// Whether the workers have had more time to stop than a call may take; if the user has
  /// `interrupted` them, than is worth waiting for.
  bool patience_is_over(Clock::time_point now, bool interrupted) const;
  /// Whether the time to look at failures is up, too: see time_to_examine().
  bool is_late(Clock::time_point now) const { return looks_until_ && now > *looks_until_; }

  bool drawing() const { return !drawn_until_.has_value(); }
  /// Seconds until the last case was drawn, or until now.
  double seconds(Clock::time_point now) const;
  /// Seconds until now.
  double elapsed(Clock::time_point now) const;

 private:
  const CampaignOptions& options_;
  Clock::time_point began_;
  std::optional<Clock::time_point> stopped_;
  Clock::time_point patient_from_{};
  std::optional<Clock::time_point> drawn_until_, looks_until_;
  bool had_enough_ = false;
};

}  // namespace indexfuzz
