#include "campaign/schedule.h"

namespace indexfuzz {

using std::chrono::milliseconds;

void Schedule::begin_drawing() {
  stopped_.reset();
  drawn_until_.reset();
  had_enough_ = false;
}

void Schedule::stop(Clock::time_point now, bool enough) {
  if (stopped_) return;
  stopped_ = patient_from_ = now;
  had_enough_ = enough;
  if (time_is_up(now)) looks_until_ = now + time_to_examine(options_, now - began_);
}

void Schedule::end_drawing(Clock::time_point now) {
  if (!drawn_until_) drawn_until_ = now;
}

void Schedule::renew_patience(Clock::time_point now) {
  patient_from_ = now;
}

bool Schedule::time_is_up(Clock::time_point now) const {
  if (options_.time && now - began_ >= *options_.time) return true;
  return options_.stop_at && std::chrono::system_clock::now() >= *options_.stop_at;
}

bool Schedule::patience_is_over(Clock::time_point now, bool interrupted) const {
  // A call that hangs may still become a finding, unless the user wants the campaign to end now.
  const milliseconds patience =
      interrupted ? milliseconds(1000) : options_.timeout + milliseconds(4000);
  return stopped_ && now - patient_from_ > patience;
}

double Schedule::seconds(Clock::time_point now) const {
  return elapsed(drawn_until_.value_or(now));
}

double Schedule::elapsed(Clock::time_point now) const {
  return std::chrono::duration<double>(now - began_).count();
}

}  // namespace indexfuzz
