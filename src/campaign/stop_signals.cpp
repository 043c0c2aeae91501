#include "campaign/stop_signals.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  // Under nohup, a program is to outlive its terminal.
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ >= 0) return;
  const int error = errno;
  sigprocmask(SIG_UNBLOCK, &set, nullptr);  // else nothing but SIGKILL would end this process
  throw SetupError(fmt::format("signals cannot be waited for: {}.", std::strerror(error)));
}

StopSignals::~StopSignals() {
  arrived();  // a signal that is still pending would end the process now
  if (fd_ >= 0) close(fd_);
  const sigset_t set = stop_set();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool StopSignals::arrived() const {
  signalfd_siginfo info;
  while (read(fd_, &info, sizeof info) == sizeof info) arrived_ = true;
  return arrived_;
}

}  // namespace indexfuzz
